import type { Argument } from './argument.ts'
import type { PathAccess } from './path-rule.ts'
import type { Verdict } from './verdict.ts'

/** What is found out about one simple command, and the way to say it. */
export interface Findings {
  add(verdict: Verdict, reason: string): void
  /** A path that the command uses; one that is not known is asked about. */
  path(argument: Argument, access: PathAccess): void
  /** The command runs another one. */
  command(words: readonly Argument[]): void
  /** The command runs a script of the shell. */
  script(text: string): void
  /** What follows runs in another folder. */
  enter(folder: Argument): void
}

/** Judges the arguments of a program. */
export type Program = (args: readonly Argument[], findings: Findings) => void

/** A program that is always asked about. */
export function asks(reason: string): Program {
  return (_args, findings) => findings.add('ask', reason)
}

/** A program that does no harm whatever its arguments are. */
export const harmless: Program = () => {}
