import type { ReasoningUIPart, TextUIPart } from 'ai'
import { invalidChunk, type ChunkOf } from './chunk.ts'
import type { Slot } from './message-draft.ts'
import type { ReducerState } from './reducer-state.ts'

type DeltaChunk = ChunkOf<'text-delta' | 'reasoning-delta'>
type EndChunk = ChunkOf<'text-end' | 'reasoning-end'>

export function startText({ draft, texts }: ReducerState, chunk: ChunkOf<'text-start'>): void {
  const slot = draft.append<TextUIPart>({ type: 'text', text: '', state: 'streaming' })
  setProviderMetadata(slot.part, chunk)
  texts.set(chunk.id, slot)
}

export function startReasoning(
  { draft, reasonings }: ReducerState,
  chunk: ChunkOf<'reasoning-start'>,
): void {
  const { id } = chunk
  const slot = draft.append<ReasoningUIPart>({
    type: 'reasoning',
    id,
    text: '',
    state: 'streaming',
  })
  setProviderMetadata(slot.part, chunk)
  reasonings.set(id, slot)
}

export function appendText({ draft, texts }: ReducerState, chunk: ChunkOf<'text-delta'>): void {
  extend(draft.edit(openSlot(texts, chunk)), chunk)
}

export function appendReasoning(
  { draft, reasonings }: ReducerState,
  chunk: ChunkOf<'reasoning-delta'>,
): void {
  extend(draft.edit(openSlot(reasonings, chunk)), chunk)
}

export function endText({ draft, texts }: ReducerState, chunk: ChunkOf<'text-end'>): void {
  const part = draft.edit(openSlot(texts, chunk))
  if (chunk.citations) part.citations = chunk.citations
  end(part, chunk)
  texts.delete(chunk.id)
}

export function endReasoning(
  { draft, reasonings }: ReducerState,
  chunk: ChunkOf<'reasoning-end'>,
): void {
  end(draft.edit(openSlot(reasonings, chunk)), chunk)
  reasonings.delete(chunk.id)
}

function extend(part: TextUIPart | ReasoningUIPart, chunk: DeltaChunk): void {
  part.text += chunk.delta
  setProviderMetadata(part, chunk)
}

function end(part: TextUIPart | ReasoningUIPart, chunk: EndChunk): void {
  part.state = 'done'
  setProviderMetadata(part, chunk)
}

function openSlot<PART extends TextUIPart | ReasoningUIPart>(
  open: ReadonlyMap<string, Slot<PART>>,
  chunk: DeltaChunk | EndChunk,
): Slot<PART> {
  const slot = open.get(chunk.id)
  if (slot) return slot
  const start = chunk.type.startsWith('text') ? 'text-start' : 'reasoning-start'
  throw invalidChunk(chunk, chunk.id, `None with that id is open. Send its ${start} first.`)
}

/** The latest metadata of a text counts. */
function setProviderMetadata(
  part: TextUIPart | ReasoningUIPart,
  { providerMetadata }: Pick<DeltaChunk, 'providerMetadata'>,
): void {
  if (providerMetadata) part.providerMetadata = providerMetadata
}
