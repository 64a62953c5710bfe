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

/** The settings among other options. */
export function modelSettings(options: ModelSettings): ModelSettings {
  const { maxRetries = 1, timeout, headers, toolChoice, providerOptions, telemetry } = options
  const { maxOutputTokens, temperature, topP, topK, stopSequences, seed, reasoning } = options
  const { presencePenalty, frequencyPenalty } = options
  const model = { maxOutputTokens, temperature, topP, topK, stopSequences, seed, reasoning }
  const penalties = { presencePenalty, frequencyPenalty }
  const request = { maxRetries, timeout, headers, toolChoice, providerOptions, telemetry }
  return { ...model, ...penalties, ...request }
}
