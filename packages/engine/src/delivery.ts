import type { UIMessage } from 'ai'
import type { EngineError } from './errors.ts'
import type { ToolCallEntry } from './message/tool-calls.ts'
import type { Run } from './run.ts'
import type { EngineState, Resending } from './state.ts'

/**
 * Waits between requests that carry the same decisions, in milliseconds: doubled each time, and the
 * later half of each is random. A page that is online again waits no longer.
 */
export interface ResendOptions {
  /** The first wait. Default 500. */
  baseMs?: number
  /** No wait is longer, but for a server that asks for more. Default 30,000. */
  maxMs?: number
}

/** What tells where decisions are. */
export type DeliveryFacts<MESSAGE extends UIMessage> = Pick<
  EngineState<MESSAGE>,
  'messages' | 'turn'
>

/** How decisions on calls that are executed elsewhere arrive there: of whoever lets people decide. */
export interface Delivery {
  /** The decisions that requests have carried and that nothing has come of so far, in call order. */
  sent<MESSAGE extends UIMessage>(facts: DeliveryFacts<MESSAGE>): ToolCallEntry[]
  /**
   * The decisions that are to be sent until the server's ledger answers: those that nothing has come of,
   * sent or not, as long as there is a ledger for every yes among them. By itself no other yes is sent
   * again.
   */
  toRepeat<MESSAGE extends UIMessage>(facts: DeliveryFacts<MESSAGE>): ToolCallEntry[]
  /**
   * Whether the server has read nothing of a request that failed, so that nothing has come of what it
   * carried.
   */
  wasNotRead(failure: EngineError): boolean
  /**
   * What a request failed with, or, when it carried approvals that nothing has come of, what that
   * means: their calls may have run.
   */
  toUnanswered<MESSAGE extends UIMessage>(
    facts: DeliveryFacts<MESSAGE>,
    cause: EngineError,
  ): EngineError
  /** When a failed step is to be requested again for what it carried; `undefined`: not by itself. */
  resending<MESSAGE extends UIMessage>(
    facts: DeliveryFacts<MESSAGE>,
    failure: EngineError,
    options: ResendOptions,
    now: number,
  ): Resending | undefined
  /** Waits until a step may be requested. Answers `false` when something changed before that. */
  isTime(resending: Resending | undefined, run: Run, now: number): Promise<boolean>
  /**
   * Messages as the model is told them: with what became of calls after they had got their results.
   * What is shown and stored stays as it was. The same messages where there is nothing to add.
   */
  told<MESSAGE extends UIMessage>(messages: readonly MESSAGE[]): MESSAGE[]
}
