import type { LanguageModelUsage, TextStreamPart, ToolSet } from 'ai'

/** What the metadata of a response's end says. */
export interface FinishMetadata {
  /** Why the provider ended it, in its own words: the continuation plugin goes by them. */
  readonly rawFinishReason?: string
  /** Tokens of all steps of the response, without what the provider's own count adds. */
  readonly totalUsage: Omit<LanguageModelUsage, 'raw'>
}

/**
 * The metadata of a response's end, which the engine reads into its turn; a stream has none of it otherwise.
 * For a route of the AI SDK: `toUIMessageStream({ …, messageMetadata: finishMetadata })`.
 */
export function finishMetadata({
  part,
}: {
  part: TextStreamPart<ToolSet>
}): FinishMetadata | undefined {
  if (part.type !== 'finish') return undefined
  const { rawFinishReason, totalUsage } = part
  const { raw: _raw, ...usage } = totalUsage
  return { ...(rawFinishReason !== undefined && { rawFinishReason }), totalUsage: usage }
}

/**
 * Whether the provider has paused the turn, as a condition of `stopWhen`: a route of several steps leaves it
 * to the page to go on then, whose continuations are counted.
 */
export function isPausedTurn({
  steps,
}: {
  readonly steps: readonly { readonly rawFinishReason?: string | undefined }[]
}): boolean {
  return steps.at(-1)?.rawFinishReason === 'pause_turn'
}
