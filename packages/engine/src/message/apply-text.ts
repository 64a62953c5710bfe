import { isDevelopment } from '../development.ts'
import type { ReasoningUIPart, TextUIPart } from 'ai'
import { invalidChunk, type ChunkOf } from './chunk.ts'
import type { ReducerState } from './reducer-state.ts'

type StartChunk = ChunkOf<'text-start' | 'reasoning-start'>
type NextChunk = ChunkOf<'text-delta' | 'text-end' | 'reasoning-delta' | 'reasoning-end'>

/** A text or reasoning begins. */
export function startText({ draft, texts }: ReducerState, chunk: StartChunk): void {
  const slot = draft.append<TextUIPart | ReasoningUIPart>(
    chunk.type === 'text-start'
      ? { type: 'text', text: '', state: 'streaming' }
      : { type: 'reasoning', id: chunk.id, text: '', state: 'streaming' },
  )
  setProviderMetadata(slot.part, chunk)
  texts.set(keyOf(chunk), slot)
}

/** An open text or reasoning goes on, or ends. */
export function continueText({ draft, texts }: ReducerState, chunk: NextChunk): void {
  const key = keyOf(chunk)
  const slot = texts.get(key)
  if (!slot) {
    const [kind] = chunk.type.split('-')
    throw invalidChunk(
      chunk,
      isDevelopment && `No such ${kind} is open. Send its ${kind}-start first.`,
    )
  }
  const part = draft.edit(slot)
  if ('delta' in chunk) {
    part.text += chunk.delta
  } else {
    part.state = 'done'
    if (part.type === 'text' && 'citations' in chunk && chunk.citations) {
      part.citations = chunk.citations
    }
    texts.delete(key)
  }
  setProviderMetadata(part, chunk)
}

/** Texts and reasoning are named apart: `t1` is the text with the id `1`. */
function keyOf({ type, id }: StartChunk | NextChunk): string {
  return type.charAt(0) + id
}

/** The latest metadata of a text counts. */
function setProviderMetadata(
  part: TextUIPart | ReasoningUIPart,
  { providerMetadata }: StartChunk | NextChunk,
): void {
  if (providerMetadata) part.providerMetadata = providerMetadata
}
