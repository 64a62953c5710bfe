import type { JSONValue } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../test/tool-engine.ts'
import { textOf } from '../message/message-input.ts'
import { answer, callTools, untilState } from '../testing/index.ts'
import { defineStorage } from './define-storage.ts'
import { memoryStorage, type MemoryStorage } from './memory-storage.ts'
import { storedConversations } from './stored-conversations.ts'

type Script = Parameters<typeof createToolEngine>[0]

const NAMESPACE = 'conversation/chat'
const write = { toolCallId: '1', toolName: 'write', input: { path: 'a.txt' } }

function open(disk: MemoryStorage, script: Script = []) {
  const effects: string[] = []
  const made = createToolEngine(
    script,
    {
      tools: {
        write: {
          inputSchema: z.object({ path: z.string() }),
          execute: ({ path }: { path: string }) => effects.push(path),
        },
      },
      toolApproval: { write: 'user-approval' },
    },
    { id: 'chat', storage: defineStorage(disk) },
  )
  return { ...made, effects }
}

/** A disk on which a turn waits for a person, with a message queued and a draft. */
async function waitingDisk(): Promise<MemoryStorage> {
  const disk = memoryStorage()
  const { engine } = open(disk, [answer('one'), callTools([write])])
  await engine.sendMessage('a')
  await engine.sendMessage('b')
  void engine.sendMessage('c')
  engine.setDraft('composer', 'd')
  engine.dispose()
  const again = open(disk)
  await again.engine.ready
  again.engine.dispose()
  return memoryStorage(disk.snapshot())
}

/** Opens the conversation after some of its records were spoilt. */
async function openSpoilt(spoilt: Record<string, JSONValue | undefined>, script: Script = []) {
  const disk = await waitingDisk()
  const gone = Object.keys(spoilt).filter((key) => spoilt[key] === undefined)
  const put = new Map(
    Object.entries(spoilt).flatMap(([key, value]): [string, JSONValue][] =>
      value === undefined ? [] : [[key, value]],
    ),
  )
  await disk.write(NAMESPACE, { put, remove: gone })
  const made = open(disk, script)
  await made.engine.ready
  return { ...made, disk }
}

describe('a record that is malformed', () => {
  it.each<[string, Record<string, JSONValue | undefined>]>([
    ['about', { about: 'a text' }],
    ['turn', { turn: { requestState: 'somewhere' } }],
    ['turn', { turn: { requestState: 'paused', turn: { id: 7 } } }],
    ['queue', { queue: { id: 'x' } }],
    ['queue', { queue: [{ id: 'x', message: { parts: [] }, held: false }] }],
    ['draft/composer', { 'draft/composer': 'no record' }],
    ['message/00000000', { 'message/00000000': { id: 'x', role: 'god', partCount: 1 } }],
    ['message/00000000', { 'message/00000000': undefined }],
    ['message/00000001/1', { 'message/00000001/1': { type: 'text' } }],
    ['message/00000001/1', { 'message/00000001/1': undefined }],
    ['confirmation/00000000', { 'confirmation/00000000': { id: 'x', at: 1 } }],
    ['confirmation/00000000', { 'confirmation/00000001': { id: 'x' } }],
  ])('is reported and left out: %s', async (key, spoilt) => {
    const { errors } = await openSpoilt(spoilt)
    expect(errors[0]).toMatchObject({ code: 'storage_malformed', retryable: false })
    expect(errors[0]?.details['keys']).toContain(key)
    expect(errors).toHaveLength(1)
  })

  it('of where the turn stood leaves the call waiting, which runs once after the yes', async () => {
    const { engine, resume, effects, completed } = await openSpoilt({ turn: 'lost' }, [
      answer('done'),
      answer('and c'),
    ])
    expect(engine.getState()).toMatchObject({
      requestState: 'paused',
      turn: { pauseReason: { type: 'approval', toolCalls: [{ toolCallId: '1' }] } },
      queue: [{ message: { role: 'user' } }],
      drafts: [{ key: 'composer', value: 'd' }],
    })
    await resume({ toolCallId: '1' })
    await completed()
    expect(effects).toEqual(['a.txt'])
  })

  it('takes no other message, nor the rest of its own, with it', async () => {
    const { engine } = await openSpoilt({ 'message/00000001/1': { type: 'text' } })
    const { messages } = engine.getState()
    // What is left of the answer is where it began.
    expect(messages.map(textOf)).toEqual(['a', '', 'b', ''])
    expect(messages[1]?.parts).toEqual([{ type: 'step-start' }])
    expect(engine.getState().requestState).toBe('paused')
  })

  it('in the queue takes no other message with it', async () => {
    const disk = await waitingDisk()
    const queue = (await disk.read(NAMESPACE)).get('queue')
    const [waiting = null] = Array.isArray(queue) ? queue : []
    const { engine } = await openSpoilt({ queue: [{ id: 'x' }, waiting] })
    expect(engine.getState().queue).toEqual([waiting])
  })

  it('is not written over by one that comes after it', async () => {
    const { engine, resume, completed, disk } = await openSpoilt(
      { 'confirmation/00000004': { id: 'x' }, 'message/00000009': { id: '' } },
      [answer('done'), answer('and c')],
    )
    await resume({ toolCallId: '1' })
    await untilState(engine, ({ messages }) => messages.length === 6)
    await completed()
    engine.dispose()
    const again = open(disk)
    await again.engine.ready
    const records = await disk.read(NAMESPACE)
    expect(records.get('confirmation/00000004')).toEqual({ id: 'x' })
    expect(records.get('message/00000009')).toEqual({ id: '' })
    expect(again.engine.getState().confirmations).toHaveLength(1)
    expect(again.engine.getState().messages).toEqual(engine.getState().messages)
  })

  it('of a list is made up for by what else is stored', async () => {
    const disk = await waitingDisk()
    await disk.write(NAMESPACE, { put: new Map([['about', { version: 1, createdAt: 'x' }]]) })
    expect(await storedConversations(disk).list()).toMatchObject([
      { id: 'chat', title: 'a', messageCount: 4, requestState: 'paused', waitingCount: 1 },
    ])
  })
})
