import { describe, expect, it, vi } from 'vitest'
import { createToolEngine } from '../../test/tool-engine.ts'
import { answer, callTools } from '../testing/index.ts'
import { defineStorage } from './define-storage.ts'
import { memoryStorage, type MemoryStorage } from './memory-storage.ts'
import { storedConversations } from './stored-conversations.ts'

const write = { toolCallId: '1', toolName: 'write', input: {} }

let opened = 0

/** Opens a conversation in which calls of `write` wait for a person. */
function open(disk: MemoryStorage, id: string, script: Parameters<typeof createToolEngine>[0]) {
  let time = ++opened * 1_000
  return createToolEngine(
    script,
    { tools: {}, callTool: () => 'written', shouldPauseToolCall: () => true },
    { id, storage: defineStorage(disk), now: () => ++time },
  )
}

describe('the conversations of a store', () => {
  it('are listed with title, counts and state, the last one changed first', async () => {
    const disk = memoryStorage()
    const one = open(disk, 'one', [answer('hello')])
    await one.engine.sendMessage('  What is\n new? ')
    const two = open(disk, 'two', [callTools(write)])
    await two.engine.sendMessage('Write it')
    expect(await storedConversations(disk).list()).toMatchObject([
      {
        id: 'two',
        title: 'Write it',
        messageCount: 2,
        requestState: 'paused',
        waitingCount: 1,
      },
      { id: 'one', title: 'What is new?', messageCount: 2, waitingCount: 0 },
    ])
  })

  it('keep a title that was given, also when they go on', async () => {
    const disk = memoryStorage()
    const conversations = storedConversations(disk)
    const { engine } = open(disk, 'one', [answer('hello'), answer('again')])
    await engine.sendMessage('Hi')
    await conversations.rename('one', ' My plans ')
    await engine.sendMessage('More')
    expect(await conversations.list()).toMatchObject([{ title: 'My plans' }])
    await conversations.rename('one', '')
    expect(await conversations.list()).toMatchObject([{ title: 'Hi' }])
    await expect(conversations.rename('none', 'x')).rejects.toMatchObject({
      code: 'unknown_conversation',
    })
  })

  it('are gone once they are deleted, whatever an engine saves that has them open', async () => {
    const disk = memoryStorage()
    const conversations = storedConversations(disk)
    const { engine } = open(disk, 'one', [answer('hello'), answer('late')])
    await engine.sendMessage('Hi')
    await conversations.remove('one')
    expect(await conversations.list()).toEqual([])
    await engine.sendMessage('Still there?')
    expect(await conversations.list()).toEqual([])
    expect(await disk.read('conversation/one')).toEqual(new Map())
  })

  it('are found by title and by what was said, whatever the case', async () => {
    const disk = memoryStorage()
    const conversations = storedConversations(disk)
    await open(disk, 'one', [answer('Lisbon is lovely')]).engine.sendMessage('Where to?')
    await open(disk, 'two', [answer('no')]).engine.sendMessage('LISBON?')
    await open(disk, 'three', [answer('no')]).engine.sendMessage('Rome?')
    await vi.waitFor(async () => {
      const ids = (await conversations.search('lisbon')).map(({ id }) => id)
      expect(ids.toSorted()).toEqual(['one', 'two'])
    })
  })

  it('are searched several at a time, and found in their order', async () => {
    const disk = memoryStorage()
    for (let count = 0; count < 30; count++) {
      await open(disk, `${count}`, [answer('no')]).engine.sendMessage(`Lisbon ${count % 3}?`)
    }
    let reading = 0
    let most = 0
    const slow = {
      ...disk,
      async read(...call: Parameters<typeof disk.read>) {
        most = Math.max(most, ++reading)
        // As one that is on another machine.
        await new Promise((resolve) => void setTimeout(resolve))
        reading--
        return disk.read(...call)
      },
    }
    const conversations = storedConversations(slow)
    await conversations.rename('7', 'Rome')
    const found = await conversations.search('lisbon 1')
    expect(found.map(({ id }) => id).toSorted()).toEqual(
      Array.from({ length: 30 }, (_, index) => `${index}`)
        .filter((id) => Number(id) % 3 === 1)
        .toSorted(),
    )
    const order = (await conversations.list()).map(({ id }) => id)
    expect(found.map(({ id }) => order.indexOf(id))).toEqual(
      found.map(({ id }) => order.indexOf(id)).toSorted((a, b) => a - b),
    )
    expect(most).toBeGreaterThan(5)
    expect(most).toBeLessThanOrEqual(20)
  })

  it('travel as a file: nothing waits, runs or is allowed by it where it arrives', async () => {
    const disk = memoryStorage()
    const { engine, resume } = open(disk, 'one', [
      callTools(write),
      callTools({ ...write, toolCallId: '2', toolName: 'send' }),
    ])
    await engine.sendMessage('Write it')
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    const file = JSON.stringify(await storedConversations(disk).export('one'))

    const other = memoryStorage()
    const conversations = storedConversations(other)
    expect(await conversations.import(file)).toBe('one')
    expect(await conversations.import(JSON.parse(file))).not.toBe('one')
    expect(await conversations.list()).toHaveLength(2)
    const arrived = open(other, 'one', [callTools({ ...write, toolCallId: '3' })])
    await arrived.engine.ready
    expect(arrived.engine.getState()).toMatchObject({ requestState: 'idle' })
    expect(arrived.calls().at(-1)).toMatchObject({ state: 'output-error' })
    expect(await arrived.engine.sendMessage('Again')).toMatchObject({ requestState: 'paused' })
  })

  it('say what nobody has looked at, and what id is not to be used again', async () => {
    const disk = memoryStorage()
    const conversations = storedConversations(disk)
    await open(disk, 'one', [answer('hello')]).engine.sendMessage('Hi')
    const [{ updatedAt } = { updatedAt: 0 }] = await conversations.list()
    await conversations.markUnread('one', 2)
    expect(await conversations.list()).toMatchObject([{ unreadCount: 2, updatedAt }])
    await conversations.markUnread('one', 0)
    expect(await conversations.list()).toMatchObject([{ unreadCount: 0 }])
    expect(await conversations.isRemoved('one')).toBe(false)
    await conversations.remove('one')
    expect(await conversations.isRemoved('one')).toBe(true)
  })

  it('are looked up one by one as they are listed, also by rename and export', async () => {
    const disk = memoryStorage()
    const { engine } = open(disk, 'one', [answer('hello')])
    await engine.sendMessage('Hi')
    const other = open(disk, 'one/2', [answer('hello')])
    await other.engine.sendMessage('Ho')
    await disk.write('conversation/odd', { put: new Map([['about', 'no summary']]) })
    await disk.write('conversation/begun', { put: new Map([['draft/a', { value: 'a' }]]) })
    const conversations = storedConversations(disk)
    await conversations.rename('one', 'Plans')
    await conversations.markUnread('one', 2)
    const listed = await conversations.list()
    expect(listed.map(({ id }) => id).toSorted()).toEqual(['odd', 'one', 'one/2'])
    const alone = storedConversations({
      ...disk,
      list: () => Promise.reject(new Error('Nothing else is to be read.')),
    })
    for (const one of listed) expect(await alone.get(one.id)).toEqual(one)
    for (const id of ['begun', 'none', 'on']) expect(await alone.get(id)).toBeUndefined()
    await alone.rename('one', '')
    expect(await alone.export('one')).toMatchObject({ title: 'Hi', messages: [{}, {}] })
    await expect(alone.rename('none', 'x')).rejects.toMatchObject({ code: 'unknown_conversation' })
    await alone.remove('one')
    await disk.write('conversation/one', { put: new Map([['about', 'saved late']]) })
    expect(await alone.get('one')).toBeUndefined()
    expect(await alone.get('one/2')).toMatchObject({ title: 'Ho' })
  })

  it('are listed by pages, each once, as all together', async () => {
    const disk = memoryStorage()
    const facts = {
      version: 3,
      createdAt: 1,
      messageCount: 1,
      requestState: 'idle',
      waitingCount: 0,
    }
    for (let count = 0; count < 250; count++) {
      const about = { ...facts, title: `About ${count}`, updatedAt: count % 90 }
      await disk.write(`conversation/${count}`, { put: new Map([['about', about]]) })
    }
    await disk.write('conversation/odd', { put: new Map([['about', 'no summary']]) })
    const conversations = storedConversations(disk)
    await conversations.rename('17', 'Plans')
    await conversations.markUnread('17', 2)
    await conversations.remove('18')
    // Saved by a page that had it open.
    const late = { ...facts, title: 'Late', updatedAt: 89 }
    await disk.write('conversation/18', { put: new Map([['about', late]]) })
    const all = await conversations.list()
    expect(all).toHaveLength(250)
    expect(all).toContainEqual(
      expect.objectContaining({ id: '17', title: 'Plans', unreadCount: 2 }),
    )
    for (const limit of [1, 7, 100, 120, 1_000]) {
      const paged: typeof all = []
      let next: Awaited<ReturnType<typeof conversations.page>>['next']
      do {
        const page = await conversations.page(limit, next)
        expect(page.conversations.length).toBeLessThanOrEqual(limit)
        paged.push(...page.conversations)
        ;({ next } = page)
      } while (next)
      const byId = (list: typeof all) => list.toSorted((one, other) => (one.id < other.id ? -1 : 1))
      expect(byId(paged)).toEqual(byId(all))
      const times = paged.map(({ id, updatedAt }) => (id === 'odd' ? 0 : updatedAt))
      expect(times).toEqual(times.toSorted((one, other) => other - one))
    }
  })

  it('are searched by the store where it can, and by their messages in the end', async () => {
    const disk = memoryStorage()
    for (const [id, text] of [
      ['one', 'a Marigold'],
      ['two', 'a rose'],
      ['three', 'MARIGOLDS'],
    ] as const) {
      await open(disk, id, [answer('yes')]).engine.sendMessage(text)
    }
    const asked: unknown[] = []
    const searching = storedConversations({
      ...disk,
      list: () => Promise.reject(new Error('Nothing else is to be read.')),
      async search(...args) {
        asked.push(args)
        return ['three', 'two', 'one', 'none'].map((id) => `conversation/${id}`)
      },
    })
    const found = await searching.search('marigold')
    expect(found.map(({ id }) => id).toSorted()).toEqual(['one', 'three'])
    expect(asked).toEqual([['marigold', 'conversation/']])
    const cannot = storedConversations({ ...disk, search: () => undefined })
    expect(await cannot.search('marigold')).toEqual(found)
  })

  it('are imported a few records at a time, and listed once all are there', async () => {
    const disk = memoryStorage()
    const written: number[] = []
    const listed: unknown[] = []
    let most = Infinity
    const conversations = storedConversations({
      ...disk,
      async write(namespace, changes, options) {
        if (written.length >= most) throw new Error('The disk is full.')
        const { put } = changes
        if (put) written.push(put.size)
        if (put?.has('about') === false) listed.push(...(await conversations.list()))
        return disk.write(namespace, changes, options)
      },
    })
    const messages = Array.from({ length: 1_200 }, (_, at) => ({
      id: `m${at}`,
      role: at % 2 === 0 ? 'user' : 'assistant',
      parts: [{ type: 'text', text: `Text ${at}` }],
    }))
    const file = {
      format: 'assent-conversation',
      version: 1,
      id: 'large',
      title: 'Large',
      createdAt: 1,
      messages,
      confirmations: [],
    }
    most = 3
    await expect(conversations.import(file)).rejects.toThrow('full')
    expect((await disk.read('conversation/large')).size).toBe(0)
    most = Infinity
    written.length = 0
    expect(await conversations.import(file)).toBe('large')
    expect(listed).toEqual([])
    expect(Math.max(...written)).toBeLessThanOrEqual(500)
    expect(written.length).toBeGreaterThan(4)
    expect((await conversations.export('large')).messages).toHaveLength(1_200)
  })

  it('share what is allowed everywhere, until it is taken back in the store', async () => {
    const disk = memoryStorage()
    const conversations = storedConversations(disk)
    const one = open(disk, 'one', [callTools(write), answer('done')])
    await one.engine.sendMessage('Write it')
    await one.resume({
      toolCallId: '1',
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'everywhere' },
    })
    await one.completed()
    const [given] = await conversations.everywhere()
    expect(given).toMatchObject({ outcome: 'yes_always', conversationId: 'one' })
    await expect(conversations.revokeEverywhere('none')).rejects.toMatchObject({
      code: 'unknown_policy',
    })
    await conversations.revokeEverywhere(given?.id ?? '')
    expect((await conversations.everywhere()).at(-1)).toMatchObject({ revokes: given?.id })
    const two = open(disk, 'two', [callTools(write)])
    expect(await two.engine.sendMessage('Write it')).toMatchObject({ requestState: 'paused' })
  })

  it.each(['{', '{}', 7, { format: 'assent-conversation', version: 99 }])(
    'refuse what is no such file: %j',
    async (file) => {
      await expect(storedConversations(memoryStorage()).import(file)).rejects.toMatchObject({
        code: 'invalid_argument',
      })
    },
  )
})
