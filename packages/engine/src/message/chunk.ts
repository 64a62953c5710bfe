import type { UIMessageChunk } from 'ai'
import { EngineError } from '../errors.ts'

/** The chunk of a type, e.g. `ChunkOf<'text-delta'>`. */
export type ChunkOf<TYPE extends UIMessageChunk['type']> = Extract<UIMessageChunk, { type: TYPE }>

/** The fields by which a chunk names what it is about. */
interface NamingChunk extends Pick<UIMessageChunk, 'type'> {
  toolCallId?: string
  approvalId?: string
  id?: string
}

/**
 * A chunk that does not fit the message.
 *
 * @param problem what is wrong and what to send instead, as sentences; `false` in production
 */
export function invalidChunk(chunk: NamingChunk, problem: string | false): EngineError {
  const { type: chunkType, toolCallId, approvalId, id = approvalId ?? toolCallId } = chunk
  const message = `The stream has a ${chunkType} for "${id}".`
  return new EngineError('stream_invalid', problem ? `${message} ${problem}` : message, {
    details: { chunkType, id },
  })
}
