import type { JSONObject } from '@ai-sdk/provider'
import type { Phrase } from './phrase.ts'
import type { SettledStep } from './prompt.ts'

/** A call that the model wants to make. */
export interface ToolRequest {
  readonly toolName: string
  readonly input: JSONObject
}

/** What the model says and wants in one step. */
export interface Reply {
  readonly reasoning?: string
  readonly text: string
  /** Without calls the turn is over. */
  readonly calls?: readonly ToolRequest[]
  /** The stream fails with this message after the text. */
  readonly breaksOff?: string
  /** So many times the provider answers with this HTTP status before. */
  readonly refused?: { readonly status: number; readonly times: number }
}

/** What to do in the next step of a turn, from the steps that were made for it. */
export type Plan = (steps: readonly SettledStep[]) => Reply

/** A kind of request that the demo model understands. */
export interface Skill {
  readonly name: string
  /** Whole requests that it understands; shown to people as suggestions. */
  readonly examples: readonly string[]
  /** The plan for a request; `undefined` when the request is not of this kind. */
  readonly understand: (request: Phrase) => Plan | undefined
}
