import { estimateTokens, type CountTokens } from './estimate-tokens.ts'
import type { PromptBudget } from './fit-prompt.ts'
import type { SummaryOptions } from './summary-options.ts'

/** How much a model is told in one request. */
export interface ContextOptions {
  /**
   * The most tokens of a request: instructions, tools and messages together. Leave room below the model's context for
   * the answer, and for what the estimate does not see.
   */
  readonly maxTokens: number
  /** Counts the tokens of a message, instead of `estimateTokens`. */
  readonly countTokens?: CountTokens
  /**
   * Writes a summary of earlier messages before they have to be left out. It becomes a part of the answer, which people
   * can read and which is stored with it, and stands for these messages in later requests. `true`: the same model writes it.
   * Default: none.
   */
  readonly summary?: boolean | SummaryOptions
}

/** The budget of messages, beside what takes so many tokens. */
export function budgetOf({ maxTokens, countTokens }: ContextOptions, beside: number): PromptBudget {
  return { maxTokens: maxTokens - beside, count: countTokens ?? estimateTokens }
}
