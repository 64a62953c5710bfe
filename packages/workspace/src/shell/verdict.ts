/** What becomes of a command: it runs, a person is asked, or it is refused. */
export type Verdict = 'allow' | 'ask' | 'deny'

const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 }

/** A verdict and, in words for a person, why. */
export interface Judgement {
  readonly verdict: Verdict
  /** A sentence without its period. */
  readonly reason: string
}

/** A command inside a script, and what becomes of it. */
export interface CommandPart extends Judgement {
  /** As it stands in the script. */
  readonly text: string
}

/** The stricter of two judgements; the first of two that are equally strict. */
export function stricter<A extends Judgement, B extends Judgement>(one: A, other: B): A | B {
  return STRICTNESS[other.verdict] > STRICTNESS[one.verdict] ? other : one
}

/** The strictest of several; `none` when there are none. */
export function strictest<J extends Judgement>(judgements: readonly J[], none: J): J {
  const [first, ...rest] = judgements
  return first === undefined ? none : rest.reduce<J>(stricter, first)
}
