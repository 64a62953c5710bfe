import type { UIMessageChunk } from 'ai'
import { EngineError } from '../errors.ts'

/** The chunk of a type, e.g. `ChunkOf<'text-delta'>`. */
export type ChunkOf<TYPE extends UIMessageChunk['type']> = Extract<UIMessageChunk, { type: TYPE }>

/** Fields without those that are `undefined`. */
export type Given<FIELDS> = { [NAME in keyof FIELDS]?: Exclude<FIELDS[NAME], undefined> }

/** The fields that are there: a copy without those that are `undefined`. */
export function given<FIELDS extends object>(fields: FIELDS): Given<FIELDS> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  // The names and values are those of the fields.
  return Object.fromEntries(entries) as Given<FIELDS>
}

/**
 * A chunk that does not fit the message.
 *
 * @param name the id that it refers to
 * @param problem what is wrong and what to send instead, as sentences
 */
export function invalidChunk(
  { type }: Pick<UIMessageChunk, 'type'>,
  name: string,
  problem: string,
): EngineError {
  return new EngineError('stream_invalid', `The stream has a ${type} for "${name}". ${problem}`, {
    details: { chunkType: type, id: name },
  })
}
