import type { Coverage } from './coverage.ts'
import type { Argument } from './argument.ts'
import type { KnownVariables } from './words.ts'
import type { RuleBook } from './rules.ts'
import type { Draft } from './draft.ts'

/** What is known on the way through a script. */
export interface Scope {
  readonly book: RuleBook
  /** The folders in which a command may run, from where the script starts. */
  readonly folders: Set<string>
  /** Variables whose values are known. */
  readonly variables: KnownVariables
  /** What a command reads from the one before it. */
  readonly input?: Argument | undefined
  /** Counts a step; throws when the command takes too many. */
  step(count: number): void
  /** How many loops a command is in. */
  readonly loops: number
  /** What was seen of the source that is being judged. */
  readonly coverage: Coverage
  /** How deep scripts are in scripts. */
  readonly depth: number
  add(draft: Draft): void
  /** Judges a script inside of this one. */
  judgeText(text: string, scope: Scope): void
}
