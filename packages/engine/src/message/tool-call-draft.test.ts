import { describe, expect, it } from 'vitest'
import { factsOf, withChanges } from './tool-call-draft.ts'
import type { ToolCallPart } from './tool-part.ts'

describe('a call with changes', () => {
  it('is a copy in which undefined takes a field away', () => {
    const part: ToolCallPart = {
      type: 'tool-x',
      toolCallId: 'a',
      state: 'input-streaming',
      input: 1,
      rawInput: '1',
      title: 'X',
    }
    const before = structuredClone(part)
    expect(withChanges(part, { state: 'input-available', rawInput: undefined })).toStrictEqual({
      type: 'tool-x',
      toolCallId: 'a',
      state: 'input-available',
      input: 1,
      title: 'X',
    })
    expect(part).toStrictEqual(before)
  })
})

describe('the tool metadata that a chunk brings', () => {
  type Metadata = ToolCallPart['toolMetadata']

  function next(toolMetadata: Metadata, brought: Metadata): unknown {
    const part: ToolCallPart = { type: 'tool-x', toolCallId: 'a', state: 'input-streaming' }
    return factsOf(
      { ...(brought && { toolMetadata: brought }) },
      { ...part, ...(toolMetadata && { toolMetadata }) },
      true,
    )
  }

  it('takes the place of the former', () => {
    expect(next({ a: 1 }, { b: 2 })).toEqual({ toolMetadata: { b: 2 } })
    expect(next(undefined, { b: 2 })).toEqual({ toolMetadata: { b: 2 } })
    expect(next({ a: 1 }, undefined)).toStrictEqual({})
  })

  it('leaves what Assent has noted, and may add to it', () => {
    const former = { a: 1, assent: { decidedAt: 7, risk: 'send' } }
    expect(next(former, { b: 2 })).toEqual({
      toolMetadata: { b: 2, assent: { decidedAt: 7, risk: 'send' } },
    })
    expect(next(former, { assent: { risk: 'write', summary: 'Sends' } })).toEqual({
      toolMetadata: { assent: { decidedAt: 7, risk: 'write', summary: 'Sends' } },
    })
    expect(next(former, { assent: 'nonsense' })).toEqual({
      toolMetadata: { assent: { decidedAt: 7, risk: 'send' } },
    })
  })
})
