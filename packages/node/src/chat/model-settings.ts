import type {
  LanguageModelCallOptions,
  RequestOptions,
  streamText,
  TelemetryOptions,
  ToolChoice,
  ToolSet,
} from 'ai'

/** How a model is called: the AI SDK's own settings, see its `streamText`. */
export interface ModelSettings
  extends LanguageModelCallOptions, Pick<RequestOptions, 'timeout' | 'headers'> {
  /**
   * How often a request that failed before its answer began is made again at once. Default 1:
   * whoever waits, a person or a worker with a rhythm of its own, would rather be told.
   */
  maxRetries?: number
  toolChoice?: ToolChoice<ToolSet>
  providerOptions?: Parameters<typeof streamText>[0]['providerOptions']
  telemetry?: TelemetryOptions
}
