import { describe, expect, it } from 'vitest'
import { createMessageDraft } from './message-draft.ts'
import { createToolInputs, type InputEncoding } from './tool-inputs.ts'
import type { ToolCallPart } from './tool-part.ts'

function open(encoding?: InputEncoding, text?: string) {
  const draft = createMessageDraft({ id: 'm', role: 'assistant', parts: [] })
  const slot = draft.append<ToolCallPart>({
    type: 'tool-x',
    toolCallId: 'a',
    state: 'input-streaming',
  })
  const inputs = createToolInputs(draft)
  inputs.open('a', slot, encoding, text)
  return { draft, inputs, slot }
}

describe('open inputs', () => {
  it('are written into their parts only when somebody looks', () => {
    const { draft, inputs, slot } = open()
    const before = draft.snapshot()
    expect(inputs.append('a', '{"n":')).toBe(true)
    expect(inputs.append('a', '1')).toBe(true)
    expect(draft.snapshot()).toBe(before)
    inputs.write()
    expect(slot.part).toMatchObject({ input: { n: 1 }, rawInput: '{"n":1' })
    const after = draft.snapshot()
    inputs.write()
    inputs.close('a')
    expect(draft.snapshot()).toBe(after)
  })

  it('go on from the text that is there', () => {
    const { inputs, slot } = open('json', '[1,')
    inputs.append('a', '2')
    inputs.write()
    expect(slot.part).toMatchObject({ input: [1, 2], rawInput: '[1,2' })
  })

  it('leave what has come in the part when they are closed', () => {
    const { inputs, slot } = open('text')
    inputs.append('a', '[1')
    inputs.close('a')
    expect(slot.part).toMatchObject({ input: '[1', rawInput: '[1' })
    expect(inputs.slotOf('a')).toBeUndefined()
    expect(inputs.append('a', '2')).toBe(false)
  })
})
