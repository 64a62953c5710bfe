export type {
  MessageEngine,
  MessageEngineOptions,
  MessageInput,
  TurnOutcome,
  TurnRequestOptions,
  WhenBusy,
} from './engine.ts'
export { EngineError, isEngineError } from './errors.ts'
export type { EngineErrorCode, EngineErrorOptions } from './errors.ts'
export type { CommandResult, PluginCommandMap, RunPluginCommand } from './commands.ts'
export type {
  AfterRequestContext,
  AnonymousPlugin,
  BeforeRequestContext,
  CommandContext,
  EnginePlugin,
  ErrorContext,
  NamedPlugin,
  PluginCommand,
  PluginContext,
  PluginHooks,
  SettleContext,
} from './plugin.ts'
export type {
  ConfirmationOutcome,
  EngineState,
  PauseReason,
  ProcessingState,
  QueuedMessage,
  RequestState,
  ToolCallConfirmation,
  ToolCallRef,
  TurnState,
} from './state.ts'
export {
  assentMetadata,
  isAwaitingApproval,
  isSettled,
  isToolCallPart,
  isToolRisk,
  toolCallStatus,
  toolNameOf,
} from './message/tool-part.ts'
export type {
  AssentCallMetadata,
  MessagePart,
  ToolCallPart,
  ToolCallStatus,
  ToolRisk,
} from './message/tool-part.ts'
export type { ChunkStream, MessageTransport, RequestExtras } from './transport/transport.ts'
export type {
  CallToolContext,
  Gate,
  ResumeToolCallPayload,
  ToolCall,
  ToolCallContext,
  ToolCallEnd,
  ToolOptions,
  ToolPluginOptions,
} from './plugins/tools/options.ts'
