import type { UIMessageChunk } from 'ai'
import type { Tape } from './tape.ts'

/** A chunk that would be valid now, and how often it should come. */
export type Option = readonly [weight: number, make: () => UIMessageChunk]

/** Makes the chunk of one of the options. */
export function makeOne(tape: Tape, options: readonly Option[]): UIMessageChunk {
  const makes = options.flatMap(([weight, make]) => Array.from({ length: weight }, () => make))
  return tape.pick(makes)()
}
