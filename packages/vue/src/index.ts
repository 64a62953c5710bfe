export { injectMessage, messageKey, provideMessage } from './message-context.ts'
export { useMessage } from './use-message.ts'
export type { UseMessageReturn } from './use-message.ts'
export type {
  ExistingEngineOptions,
  NewEngineOptions,
  UseMessageOptions,
} from './use-message-options.ts'
