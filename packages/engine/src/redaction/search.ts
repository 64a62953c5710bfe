import type { Span } from './spans.ts'

/** A secret that is known by what is around it, or what may still turn out to be one. */
export interface Found extends Span {
  readonly isSecret: boolean
  /** To here the text was read to know it; what follows may say something else. */
  readonly reach: number
}

/** Finds secrets of one sort by what is around them. */
export type Search = (text: string) => Iterable<Found>
