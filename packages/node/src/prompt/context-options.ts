import { estimateTokens, type CountTokens } from './estimate-tokens.ts'
import type { PromptBudget } from './fit-prompt.ts'

/** How much a model is told in one request. */
export interface ContextOptions {
  /**
   * The most tokens of a request: instructions, tools and messages together. Leave room below the model's context for
   * the answer, and for what the estimate does not see.
   */
  readonly maxTokens: number
  /** Counts the tokens of a message, instead of `estimateTokens`. */
  readonly countTokens?: CountTokens
}

/** The budget of messages, beside tools that take so many tokens. */
export function budgetOf({ maxTokens, countTokens }: ContextOptions, tools: number): PromptBudget {
  return { maxTokens: maxTokens - tools, count: countTokens ?? estimateTokens }
}
