/** Every component of the kit, by the name that it has in templates. */
export { AsApprovalTray } from '../approvals/index.ts'
export { AsBubble, AsBubbleList } from '../bubble/index.ts'
export { AsChat } from '../chat/index.ts'
export { AsComposer } from '../composer/index.ts'
export { AsConfigProvider } from '../config/index.ts'
export { AsMarkdown } from '../markdown/index.ts'
export { AsQueue } from '../queue/index.ts'
export { AsToolCall } from '../tool-call/index.ts'
