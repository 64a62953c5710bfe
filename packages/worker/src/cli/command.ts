import type { AuditLog } from '@assent/node'
import type { CliStores } from './open-stores.ts'
import type { Output } from './output.ts'

/**
 * How a command ends:
 * - `done`
 * - `no` it was carried out, and the answer is no: the chain is broken, a task was not dead
 * - `usage` it was called in a way that makes no sense; nothing was done
 * - `failed` it could not be carried out: there is no database, it is locked …
 */
export const EXIT = { done: 0, no: 1, usage: 2, failed: 3 } as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** An option of a command; it is given as `--name`, with a value unless it is a flag. */
export interface CommandOption {
  /** What stands in the place of the value in the help; without it the option is a flag. */
  readonly value?: string
  /** It may be given more than once. */
  readonly isMultiple?: boolean
  readonly help: string
}

/** Something that can be called by its words: `audit list`. */
export interface Command {
  readonly name: string
  /** One line. */
  readonly summary: string
  /** What comes after the options: `<id>…`. */
  readonly operands?: string
  readonly options: Readonly<Record<string, CommandOption>>
  run(call: CommandCall): Promise<ExitCode>
}

/** A command that was called. */
export interface CommandCall {
  readonly options: GivenOptions
  readonly operands: readonly string[]
  /** Opens the stores that the call names; they are closed when the command is over. */
  stores(): Promise<CliStores>
  /** Their audit. Throws `not_found` when they have none. */
  audit(): Promise<AuditLog>
  readonly out: Output
  readonly env: Readonly<Record<string, string | undefined>>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Aborts when somebody wants the process to end. */
  readonly signal: AbortSignal
}

/** The options of a call. Each throws `usage` when what was given cannot be read. */
export interface GivenOptions {
  has(name: string): boolean
  text(name: string): string | undefined
  texts(name: string): readonly string[]
  /** A whole number from `least` to `most`. */
  whole(name: string, least: number, most: number): number | undefined
  one<VALUE extends string>(name: string, of: readonly VALUE[]): VALUE | undefined
  /** Each of them may be several, with commas between. */
  some<VALUE extends string>(name: string, of: readonly VALUE[]): readonly VALUE[]
  /** Milliseconds since the epoch. */
  time(name: string): number | undefined
}
