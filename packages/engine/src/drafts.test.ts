import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../test/tool-engine.ts'
import { answer, callTools } from './testing/index.ts'

const write = (toolCallId: string) => ({ toolCallId, toolName: 'write', input: { path: 'a.txt' } })
const tools = {
  tools: {
    write: { inputSchema: z.object({ path: z.string() }), execute: () => 'done' },
    ask: { inputSchema: z.object({}) },
  },
  toolApproval: { write: 'user-approval' },
} as const

/** A turn that waits for decisions on these calls. */
async function waiting(...ids: string[]) {
  const made = createToolEngine([callTools(ids.map(write)), answer('done')], tools)
  await made.engine.sendMessage('go')
  const messageId = made.engine.getState().messages.at(-1)!.id
  const about = (toolCallId: string) => ({ messageId, toolCallId })
  const keys = () => made.engine.getState().drafts.map(({ key }) => key)
  return { ...made, about, keys, messageId }
}

describe('a draft', () => {
  it('is there under its key until it is dropped', () => {
    const { engine } = createToolEngine([])
    engine.setDraft('composer', 'hel')
    engine.setDraft('__proto__', { a: [1] })
    engine.setDraft('composer', 'hello')
    expect(engine.getState().drafts).toEqual([
      { key: '__proto__', value: { a: [1] } },
      { key: 'composer', value: 'hello' },
    ])
    engine.setDraft('composer', undefined)
    expect(engine.getState().drafts).toEqual([{ key: '__proto__', value: { a: [1] } }])
  })

  it('changes nothing else: neither a message nor their list', async () => {
    const { engine, messageId } = await waiting('1')
    const before = engine.getState()
    const told = vi.fn()
    engine.subscribeMessage(messageId, told)
    engine.setDraft('composer', 'hello')
    engine.flush()
    const after = engine.getState()
    expect(after.messages).toBe(before.messages)
    expect(after.messageIds).toBe(before.messageIds)
    expect(told).not.toHaveBeenCalled()
    engine.setDraft('composer', 'hello')
    expect(engine.getState()).toBe(after)
  })

  it('is a copy: what is changed later is not in it', () => {
    const { engine } = createToolEngine([])
    const given = { lines: ['one'] }
    engine.setDraft('form', given)
    given.lines.push('two')
    expect(engine.getState().drafts[0]?.value).toEqual({ lines: ['one'] })
  })

  it.each<[string, string, unknown]>([
    ['without a key', '', 'text'],
    ['that is a function', 'key', () => 1],
    ['that holds itself', 'key', Object.assign([], { 0: globalThis })],
    ['of a number that JSON has not', 'key', 1n],
    ['that is too long', 'key', 'x'.repeat(100_000)],
  ])('%s is refused', (_, key, value) => {
    const { engine } = createToolEngine([])
    expect(() => engine.setDraft(key, value as never)).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
    expect(engine.getState().drafts).toEqual([])
  })

  it('about a call goes when that is decided; those of others stay', async () => {
    const { engine, about, keys, resume, completed } = await waiting('1', '2')
    engine.setDraft('deny 1', 'because', about('1'))
    engine.setDraft('deny 2', 'because', about('2'))
    engine.setDraft('composer', 'and then')
    await resume({ toolCallId: '1' })
    expect(keys()).toEqual(['deny 2', 'composer'])
    await resume({ toolCallId: '2', outcome: 'no' })
    await completed()
    expect(keys()).toEqual(['composer'])
  })

  it('about a call goes when its turn is aborted', async () => {
    const { engine, about, keys } = await waiting('1')
    engine.setDraft('deny 1', 'because', about('1'))
    await engine.abort()
    expect(keys()).toEqual([])
  })

  it('about a call that does not wait any more comes too late', async () => {
    const { engine, about, keys, resume } = await waiting('1', '2')
    await resume({ toolCallId: '1' })
    engine.setDraft('deny 1', 'because', about('1'))
    engine.setDraft('deny 3', 'because', about('3'))
    expect(keys()).toEqual([])
  })

  it('about an answer that is asked for goes when it is given', async () => {
    const ask = { toolCallId: '1', toolName: 'ask', input: {} }
    const { engine, completed } = createToolEngine([callTools([ask]), answer('done')], tools)
    await engine.sendMessage('go')
    const messageId = engine.getState().messages.at(-1)!.id
    engine.setDraft('answer', '4', { messageId, toolCallId: '1' })
    expect(engine.getState().drafts).toHaveLength(1)
    await engine.runPluginCommand('tool', 'submitToolOutput', { toolCallId: '1', output: '42' })
    await completed()
    expect(engine.getState().drafts).toEqual([])
  })

  it('about a message goes with it', async () => {
    const { engine } = createToolEngine([answer('one'), answer('two'), answer('three')])
    await engine.sendMessage('first')
    await engine.sendMessage('second')
    const [, , second] = engine.getState().messageIds
    engine.setDraft('edit', 'the second', { messageId: second! })
    expect(engine.getState().drafts).toHaveLength(1)
    await engine.editMessage(engine.getState().messageIds[0]!, 'other')
    expect(engine.getState().drafts).toEqual([])
  })
})
