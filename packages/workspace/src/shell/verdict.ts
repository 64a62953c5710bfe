import type { Right } from './rights.ts'

/** What becomes of a command: it runs, a person is asked, or it is refused. */
export type Verdict = 'allow' | 'ask' | 'deny'

/** What a command does at most: it reads, it changes something, or it changes what cannot be brought back. */
export type CommandRisk = 'read' | 'write' | 'destroy'

const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 }
const RISKS: readonly CommandRisk[] = ['read', 'write', 'destroy']

/** A verdict and, in words for a person, why. */
export interface Judgement {
  readonly verdict: Verdict
  /** A sentence without its period. */
  readonly reason: string
  /** The rights without which it fails. */
  readonly needs?: readonly Right[]
}

/** A command inside a script, and what becomes of it. */
export interface CommandPart extends Judgement {
  /** As it stands in the script. */
  readonly text: string
  readonly risk: CommandRisk
  /**
   * It is asked about only because nothing is known of the program, an option or a word of it: where
   * it can do no harm, it needs no question.
   */
  readonly isUnknown?: true
  /**
   * A rule of the app that asks names it, or one that asks or denies may: which commands run is not known
   * before they do.
   */
  readonly mayFallUnderRule?: true
}

/** The stricter of two judgements; the first of two that are equally strict. */
export function stricter<A extends Judgement, B extends Judgement>(one: A, other: B): A | B {
  return STRICTNESS[other.verdict] > STRICTNESS[one.verdict] ? other : one
}

/** Sorts parts that are equally strict: what destroys first, what is only not known last. */
export function stricterFirst(one: CommandPart, other: CommandPart): number {
  const isKnown = Number(one.isUnknown ?? false) - Number(other.isUnknown ?? false)
  return isKnown || RISKS.indexOf(other.risk) - RISKS.indexOf(one.risk)
}

/** The strictest of several; `none` when there are none. */
export function strictest<J extends Judgement>(judgements: readonly J[], none: J): J {
  const [first, ...rest] = judgements
  return first === undefined ? none : rest.reduce<J>(stricter, first)
}

/** The greatest of some risks. */
export function worstRisk(risks: readonly CommandRisk[]): CommandRisk {
  return RISKS[Math.max(0, ...risks.map((risk) => RISKS.indexOf(risk)))] ?? 'destroy'
}
