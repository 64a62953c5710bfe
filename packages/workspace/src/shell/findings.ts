import type { Argument } from './argument.ts'
import type { PathAccess } from './path-rule.ts'
import type { Right } from './rights.ts'
import type { Finding } from './draft.ts'
import type { CommandRisk, Verdict } from './verdict.ts'

/** What is known of a finding beside its verdict. */
export type FindingDetails = Pick<Finding, 'needs' | 'risk'>

/** What is found out about one simple command, and the way to say it. */
export interface Findings {
  add(verdict: Verdict, reason: string, details?: FindingDetails): void
  /** Asks because nothing is known of an option, a word or the program. */
  unknown(reason: string): void
  /** A path that the command uses; one that is not known is asked about. */
  path(argument: Argument, access: PathAccess): void
  /** A revision of Git or a path; what a revision holds has a path behind its colons. */
  revision(argument: Argument): void
  /** The command runs another one. */
  command(words: readonly Argument[]): void
  /** The command runs a script of the shell. */
  script(text: string): void
  /** What the command reads from the one before it, when that is known. */
  readonly input: Argument | undefined
  /** What follows runs in another folder. */
  enter(folder: Argument): void
}

/** Judges the arguments of a program. */
export type Program = (args: readonly Argument[], findings: Findings) => void

/** A program that is always asked about. */
export function asks(reason: string, risk: CommandRisk, ...needs: Right[]): Program {
  return (_args, findings) => findings.add('ask', reason, { risk, needs })
}

/** A program of which nothing is known before it runs. */
export function unknown(reason: string): Program {
  return (_args, findings) => findings.unknown(reason)
}

/** A program that does no harm whatever its arguments are. */
export const harmless: Program = () => {}
