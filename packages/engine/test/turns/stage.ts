import type { CallPlan, Plan } from './plan.ts'
import type { Rules } from './rules.ts'
import type { TurnModel } from './turn-model.ts'

/** What the server and the tools of a play work with. */
export interface Stage {
  readonly plan: Plan
  readonly rules: Rules
  readonly model: TurnModel
  /** In milliseconds. */
  now(): number
  /** Resolves when the scheduler comes to it. */
  gate(label: string): Promise<void>
  planOf(uid: string): CallPlan
  /** How often the person has retried. */
  retries(): number
  /** Looks at the state now, and holds it to the rules. */
  look(): void
  /** A tool is about to start: holds its gate to the rules. */
  checkGate(uid: string): void
}
