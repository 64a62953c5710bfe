import type { TextUIPart, UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { createMessageDraft } from './message-draft.ts'

const TEXT: TextUIPart = { type: 'text', text: 'a' }

function message(...parts: UIMessage['parts']): UIMessage {
  return { id: 'm', role: 'assistant', parts }
}

describe('a draft', () => {
  it('is the message that it goes on with, until something changes', () => {
    const initial = message(TEXT)
    const draft = createMessageDraft(initial)
    expect(draft.snapshot()).toBe(initial)
  })

  it('never changes the message that it goes on with', () => {
    const initial = message({ ...TEXT })
    const before = structuredClone(initial)
    const draft = createMessageDraft(initial)
    draft.edit({ index: 0, part: TEXT, age: -1 }).text = 'b'
    draft.append({ type: 'text', text: 'c' })
    draft.setMetadata({ a: 1 })
    draft.dropStep()
    draft.restart('n')
    expect(initial).toEqual(before)
  })

  it('hands out the same snapshot as long as nothing changes', () => {
    const draft = createMessageDraft(message())
    draft.append({ type: 'text', text: 'a' })
    const snapshot = draft.snapshot()
    expect(draft.snapshot()).toBe(snapshot)
    draft.dropStep()
    expect(draft.snapshot()).not.toBe(snapshot)
    const empty = draft.snapshot()
    draft.dropStep()
    expect(draft.snapshot()).toBe(empty)
  })

  it('copies a part once after a snapshot, and shares all others', () => {
    const draft = createMessageDraft(message())
    const first = draft.append<TextUIPart>({ type: 'text', text: 'a' })
    draft.append<TextUIPart>({ type: 'text', text: 'b' })
    const before = draft.snapshot()
    const own = draft.edit(first)
    own.text += '1'
    expect(draft.edit(first)).toBe(own)
    own.text += '2'
    const after = draft.snapshot()
    expect(before.parts).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ])
    expect(after.parts[0]).toEqual({ type: 'text', text: 'a12' })
    expect(after.parts[1]).toBe(before.parts[1])
  })

  it('knows where its current step begins', () => {
    const draft = createMessageDraft(message(TEXT, { type: 'step-start' }, TEXT))
    expect(draft.stepStart).toBe(2)
    draft.startStep()
    expect(draft.stepStart).toBe(4)
    draft.append({ type: 'text', text: 'b' })
    draft.dropStep()
    expect(draft.parts).toEqual([TEXT, { type: 'step-start' }, TEXT, { type: 'step-start' }])
    expect(draft.snapshot().parts).toEqual(draft.parts)
  })

  it('begins an empty message of the assistant when it restarts', () => {
    const draft = createMessageDraft({ ...message(TEXT), metadata: { a: 1 } })
    draft.restart('n')
    expect(draft.snapshot()).toEqual({ id: 'n', role: 'assistant', parts: [] })
    expect(draft.head.metadata).toBeUndefined()
    expect(draft.stepStart).toBe(0)
  })
})
