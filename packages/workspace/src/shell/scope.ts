import type { PathRule } from './path-rule.ts'
import type { RuleBook } from './rules.ts'
import type { CommandPart } from './verdict.ts'

/** What is known on the way through a script. */
export interface Scope {
  readonly book: RuleBook
  readonly judgePath: PathRule | undefined
  /** The folders in which a command may run, from where the script starts. */
  readonly folders: Set<string>
  /** How many loops a command is in. */
  readonly loops: number
  /** How deep scripts are in scripts. */
  readonly depth: number
  add(part: CommandPart): void
  /** Judges a script inside of this one. */
  judgeText(text: string, scope: Scope): void
}
