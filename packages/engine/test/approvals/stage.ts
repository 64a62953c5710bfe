import type { Holder } from './holder.ts'
import type { DecisionModel } from '../../src/testing/decision-model.ts'
import type { Watch } from './invariants.ts'
import type { CallPlan, Plan, ToolName } from './plan.ts'

/** A call that was streamed: what was planned for it, and the name by which the test knows it. */
export interface StreamedCall extends Omit<CallPlan, 'tool'> {
  readonly tool: ToolName
  readonly uid: string
  readonly toolCallId: string
}

/** What server, tools, person and witness of a play work with. */
export interface Stage {
  readonly plan: Plan
  readonly model: DecisionModel
  readonly watch: Watch
  /** In milliseconds. */
  now(): number
  /** Resolves when the scheduler comes to it. */
  gate(label: string): Promise<void>
  /** Looks at the state now. */
  look(): void
  /** How often the person has retried. */
  retries(): number
  /** An engine does something to the world. */
  acts(holder: Holder): void
  /** A tool is about to take effect, here or on the server: noted outside of the engine. */
  runs(uid: string, tool: string, args: unknown): void
  /** The call that a tool or rule is asked about: ids are reused, the last one is meant. */
  callOf(toolCallId: string): StreamedCall
}
