export {
  AsApprovalTray,
  AsAuditTrail,
  AsPolicyList,
  provideApprovalBoard,
  useApprovalBatch,
} from './approvals/index.ts'
export type {
  ApprovalBatch,
  AsApprovalTrayEmits,
  AsApprovalTrayProps,
  AsAuditTrailProps,
  AsPolicyListProps,
  AsPolicyListSlots,
  TrailEntry,
  AuditOutcome,
  LeftOut,
} from './approvals/index.ts'
export { useAttention } from './attention/index.ts'
export type { Attention, AttentionOptions } from './attention/index.ts'
export { AsBubble, AsBubbleList } from './bubble/index.ts'
export type {
  AsBubbleListProps,
  AsBubbleProps,
  BubbleSlots,
  EditedMessage,
  Feedback,
  MessageAction,
  MessageActionEmits,
  OwnActionsProps,
  PartSlotProps,
} from './bubble/index.ts'
export { AsChat } from './chat/index.ts'
export type { AsChatEmits, AsChatProps, AsChatSlots, ChatPrompt } from './chat/index.ts'
export { AsComposer } from './composer/index.ts'
export type {
  AsComposerEmits,
  AsComposerProps,
  AsComposerSlots,
  ComposerHandle,
  UploadFile,
  UploadOptions,
} from './composer/index.ts'
export { AsConfigProvider, useConfig, useLocale } from './config/index.ts'
export type {
  AsConfigProviderProps,
  AssentConfig,
  AssentDensity,
  AssentTheme,
  ConfigOverrides,
  PresentedCall,
  ToolPresentation,
} from './config/index.ts'
export { AssentComponents, type AssentComponentsOptions } from './install/index.ts'
export type { AssentGlobalComponents } from './install/global-components.ts'
export type { IconName, IconSet } from './icon/icon-set.ts'
export { AsConversationList, AsDrawer } from './conversations/index.ts'
export type {
  AsConversationListEmits,
  AsConversationListProps,
  AsConversationListSlots,
  AsDrawerProps,
  ConversationOffer,
  ConversationSource,
} from './conversations/index.ts'
export { en, withWords } from './locale/index.ts'
export type { AssentLocale, LocaleWords } from './locale/index.ts'
export { AsMarkdown } from './markdown/index.ts'
export type {
  AsMarkdownProps,
  CodeHighlighter,
  CodePiece,
  MarkdownConfig,
  MarkdownPlugin,
  MarkdownRendererProps,
  SourcePart,
} from './markdown/index.ts'
export {
  defineDynamicToolRenderer,
  definePartRenderer,
  defineToolRenderer,
} from './renderer/index.ts'
export type {
  DefinePartRenderer,
  DefineToolRenderer,
  RenderedCall,
  RenderedPart,
  Renderer,
  ToolSource,
} from './renderer/index.ts'
export { AsQueue } from './queue/index.ts'
export type { AsQueueEmits, AsQueueProps } from './queue/index.ts'
export { AsToolCall } from './tool-call/index.ts'
export type {
  AsToolCallProps,
  AsToolCallSlots,
  ApproveOptions,
  CancelCall,
  Decide,
  PendingDecision,
  SubmitOutput,
  ToolCallSlotProps,
} from './tool-call/index.ts'
