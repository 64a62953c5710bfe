import { describe, expect, it } from 'vitest'
import { createToolEngine } from '../../test/tool-engine.ts'
import type { MessageEngineOptions } from '../message-engine.ts'
import { createSharedEngine } from '../sharing/index.ts'
import { answer, callTools, scriptedTransport } from '../testing/index.ts'
import { defineStorage } from './define-storage.ts'
import { memoryStorage, type MemoryStorage } from './memory-storage.ts'
import { clearOwner, storedConversations } from './stored-conversations.ts'

const write = { toolCallId: '1', toolName: 'write', input: { path: 'a' } }
const tools = {
  tools: {},
  callTool: () => 'written',
  shouldPauseToolCall: () => true,
}
const everywhere = { covers: 'tool', where: 'everywhere' } as const

async function open(
  disk: MemoryStorage,
  owner: string | undefined,
  script: Parameters<typeof createToolEngine>[0] = [],
  id = 'chat',
) {
  const owned = owner === undefined ? {} : { owner }
  const made = createToolEngine(script, tools, { id, storage: defineStorage(disk), ...owned })
  await made.engine.ready
  return made
}

describe('an owner', () => {
  it('is never shown the conversation or the draft of another one, nor one of nobody', async () => {
    const disk = memoryStorage()
    const ada = await open(disk, 'ada', [answer('Hello, Ada.')])
    await ada.engine.sendMessage('I am Ada')
    ada.engine.setDraft('composer', 'secret')
    ada.engine.dispose()
    for (const owner of ['bob', undefined]) {
      const { engine, errors } = await open(disk, owner)
      expect(engine.getState()).toMatchObject({ messages: [], drafts: [], turn: undefined })
      expect(errors).toEqual([])
      engine.dispose()
    }
    const again = await open(disk, 'ada')
    expect(again.engine.getState()).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant' }],
      drafts: [{ value: 'secret' }],
    })
  })

  it('is not shown what was stored before there were owners', async () => {
    const disk = memoryStorage()
    const nobody = await open(disk, undefined, [answer('Hello.')])
    await nobody.engine.sendMessage('Hi')
    nobody.engine.dispose()
    expect((await open(disk, 'ada')).engine.getState().messages).toEqual([])
    expect(await storedConversations(disk, { owner: 'ada' }).list()).toEqual([])
    expect(await storedConversations(disk).list()).toHaveLength(1)
  })

  it('is not bound by what another one allowed everywhere', async () => {
    const disk = memoryStorage()
    const ada = await open(disk, 'ada', [callTools(write), answer('Done.')])
    await ada.engine.sendMessage('Write')
    await ada.resume({ toolCallId: '1', outcome: 'yes_always', scope: everywhere })
    await ada.completed()
    for (const [owner, state] of [
      ['bob', 'paused'],
      [undefined, 'paused'],
      ['ada', 'completed'],
    ] as const) {
      const script = [callTools(write), answer('Done.')]
      const { engine } = await open(disk, owner, script, `of ${owner}`)
      expect(await engine.sendMessage('Write')).toMatchObject({ requestState: state })
    }
    expect(await storedConversations(disk, { owner: 'bob' }).everywhere()).toEqual([])
    expect(await storedConversations(disk, { owner: 'ada' }).everywhere()).not.toEqual([])
  })

  it.each([undefined, '', 7, null])('is no owner as %j, which must not mean everybody', (owner) => {
    const options = {
      id: 'chat',
      storage: defineStorage(memoryStorage()),
      transport: scriptedTransport([]),
      owner,
    } as MessageEngineOptions & { id: string }
    const error = expect.objectContaining({ code: 'invalid_argument' })
    expect(() => createToolEngine([], tools, options)).toThrow(error)
    expect(() => storedConversations(memoryStorage(), options)).toThrow(error)
  })
})

describe('clearing an owner', () => {
  it('ends what is open of that owner, and leaves nothing of it in the store', async () => {
    const disk = memoryStorage()
    const ada = await open(disk, 'ada', [callTools(write)])
    const bob = await open(disk, 'bob', [callTools(write)])
    await Promise.all([ada, bob].map(({ engine }) => engine.sendMessage('Write')))
    ada.engine.setDraft('composer', 'begun a moment ago')
    await clearOwner(disk, 'ada')
    expect(await ada.resume({ toolCallId: '1', outcome: 'yes' })).toMatchObject({
      error: { code: 'disposed' },
    })
    ada.engine.setDraft('composer', 'and now')
    await new Promise((resolve) => void setTimeout(resolve))
    expect([...disk.snapshot()].filter(([, records]) => records.size > 0)).toHaveLength(1)
    expect(await storedConversations(disk, { owner: 'ada' }).list()).toEqual([])
    expect((await open(disk, 'ada')).engine.getState().messages).toEqual([])
    expect(bob.engine.getState().requestState).toBe('paused')
  })

  it('aborts what runs', async () => {
    const disk = memoryStorage()
    let signal: AbortSignal | undefined
    const { engine, resume } = createToolEngine(
      [callTools(write)],
      {
        ...tools,
        callTool: (_, context) => {
          signal = context.abortSignal
          return new Promise(() => undefined)
        },
      },
      { id: 'chat', storage: defineStorage(disk), owner: 'ada' },
    )
    await engine.sendMessage('Write')
    await resume({ toolCallId: '1', outcome: 'yes' })
    await expect.poll(() => signal).toBeDefined()
    await clearOwner(disk, 'ada')
    expect(signal?.aborted).toBe(true)
  })

  it('refuses an owner that is none: all would be taken away', async () => {
    const disk = memoryStorage()
    const { engine } = await open(disk, 'ada', [answer('Hello.')])
    await engine.sendMessage('Hi')
    await expect(clearOwner(disk, '')).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(await storedConversations(disk, { owner: 'ada' }).list()).toHaveLength(1)
  })

  it('ends the mirrors of a conversation that another tab holds', async () => {
    const disk = memoryStorage()
    const channels = new Set<(event: { data: unknown }) => void>()
    const locks = { request: () => new Promise<never>(() => undefined) }
    const names: string[] = []
    const engine = createSharedEngine({
      id: 'chat',
      owner: 'ada',
      storage: defineStorage(disk),
      transport: scriptedTransport([]),
      locks,
      channel: (name) => {
        names.push(name)
        return {
          postMessage: () => undefined,
          addEventListener: (_, listener) => void channels.add(listener),
          close: () => undefined,
        }
      },
    })
    expect(names).toEqual(['assent:owner/3/ada/chat'])
    const sent = engine.sendMessage('Hi')
    await clearOwner(disk, 'ada')
    expect(await sent).toMatchObject({ error: { code: 'disposed' } })
  })
})
