import { memoryStorage, storedConversations, type MemoryStorage } from '@assent/engine/storage'
import { answer, callTools, scriptedTransport } from '@assent/engine/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { conversationScene, type ConversationScene } from './testing/conversation-scene.ts'

const scenes: ConversationScene[] = []
afterEach(() => {
  for (const { scope } of scenes.splice(0)) scope.stop()
})

function openPage(...given: Parameters<typeof conversationScene>): ConversationScene {
  const scene = conversationScene(...given)
  scenes.push(scene)
  return scene
}

const write = (file: string) => callTools({ toolCallId: file, toolName: 'write', input: { file } })

/** A disk that can be broken, for writes or for everything. */
function breakable(): { disk: MemoryStorage; break(what: 'writes' | 'all' | 'nothing'): void } {
  const disk = memoryStorage()
  const { read, write: put, list, remove } = disk
  let broken: 'writes' | 'all' | 'nothing' = 'nothing'
  const guard = async (isWrite: boolean) => {
    if (broken === 'all' || (broken === 'writes' && isWrite)) throw new Error('The disk is full.')
  }
  Object.assign(disk, {
    read: (...args: Parameters<typeof read>) => guard(false).then(() => read(...args)),
    list: (...args: Parameters<typeof list>) => guard(false).then(() => list(...args)),
    write: (...args: Parameters<typeof put>) => guard(true).then(() => put(...args)),
    remove: (...args: Parameters<typeof remove>) => guard(true).then(() => remove(...args)),
  })
  return { disk, break: (what) => void (broken = what) }
}

describe('a store that fails', () => {
  it('is shown, everything goes on in memory, and is stored when it works again', async () => {
    const { disk, break: breakIt } = breakable()
    breakIt('writes')
    const page = openPage(disk, { keep: { retryMs: 5 } })
    page.transport('c1').add(answer('hello'))
    await page.chat.sendMessage('Hi')
    expect(page.error.value).toMatchObject({ code: 'storage_failed', retryable: true })
    expect(page.error.value?.message).toContain('The disk is full.')
    page.create()
    page.transport('c2').add(answer('hello'))
    await page.chat.sendMessage('Ho')
    expect(page.conversations.value.map(({ title }) => title)).toEqual(['Ho', 'Hi'])
    expect(await page.rename('c2', 'Plans')).toMatchObject({ error: { code: 'storage_failed' } })
    await page.open('c1')
    expect(page.chat.messages.value).toHaveLength(2)
    expect(await page.exportConversation('c2')).toMatchObject({
      success: true,
      result: { id: 'c2', messages: [{}, {}] },
    })
    breakIt('nothing')
    await vi.waitFor(() => expect(page.error.value).toBeUndefined())
    await vi.waitFor(async () => expect(await storedConversations(disk).list()).toHaveLength(2))
  })

  it('that cannot even be read leaves a conversation to work with', async () => {
    const { disk, break: breakIt } = breakable()
    breakIt('all')
    const page = openPage(disk)
    await vi.waitFor(() => expect(page.isLoaded.value).toBe(true))
    expect(page.error.value).toMatchObject({ code: 'storage_failed' })
    page.transport('c1').add(write('a.txt'), answer('done'))
    expect(await page.chat.sendMessage('Lisbon')).toMatchObject({ requestState: 'paused' })
    page.create()
    expect(await page.search('lis')).toMatchObject({ success: true, result: [{ id: 'c1' }] })
    expect(await page.refresh()).toMatchObject({ error: { code: 'storage_failed' } })
    expect(await page.importConversation('{')).toMatchObject({ success: false })
    await page.open('c1')
    await page.chat.runPluginCommand('tool', 'resumeToolCall', { toolCallId: 'a.txt' })
    // That it starts cannot be stored, so a person says whether it runs all the same.
    await vi.waitFor(() =>
      expect(JSON.stringify(page.chat.messages.value)).toContain('"recordFailed":true'),
    )
    expect(page.effects).toEqual([])
    await page.chat.runPluginCommand('tool', 'resumeToolCall', {
      toolCallId: 'a.txt',
      withoutRecord: true,
    })
    await vi.waitFor(() => expect(page.chat.requestState.value).toBe('completed'))
    expect(page.effects).toEqual(['a.txt'])
  })

  it('says so when it does not delete', async () => {
    const { disk, break: breakIt } = breakable()
    const page = openPage(disk)
    page.transport('c1').add(answer('hello'))
    await page.chat.sendMessage('Hi')
    breakIt('writes')
    expect(await page.remove('c1')).toMatchObject({ error: { code: 'storage_failed' } })
    expect(page.error.value).toMatchObject({ code: 'storage_failed' })
  })
})

describe('a list that others change', () => {
  it('is read again for one conversation alone, which may be new, another one or gone', async () => {
    const disk = memoryStorage()
    const { list } = disk
    let lists = 0
    disk.list = (...args) => {
      lists++
      return list(...args)
    }
    const about = {
      version: 3,
      createdAt: 1,
      messageCount: 1,
      requestState: 'idle',
      waitingCount: 0,
    }
    const write = (id: string, title: string, updatedAt: number) =>
      disk.write(`conversation/${id}`, {
        put: new Map([['about', { ...about, title, updatedAt }]]),
      })
    await write('a', 'A', 1)
    await write('b', 'B', 2)
    const page = openPage(disk)
    page.transport('c1').add(answer('hello'))
    await page.chat.sendMessage('Mine')
    const shown = () => page.conversations.value.map(({ title }) => title)
    expect(shown()).toEqual(['Mine', 'B', 'A'])
    lists = 0
    await write('a', 'A again', 3)
    await write('new', 'New', 4)
    await storedConversations(disk).remove('b')
    await write('c1', 'Older than what is open here', 5)
    for (const id of ['a', 'new', 'b', 'c1', 'none']) {
      expect(await page.refresh(id)).toMatchObject({ success: true })
    }
    expect(shown()).toEqual(['Mine', 'New', 'A again'])
    const exported = await page.exportConversation('a')
    expect(exported).toMatchObject({ success: true, result: { title: 'A again' } })
    await page.importConversation({
      ...(exported.success && exported.result),
      id: 'file',
      title: 'From a file',
    })
    await page.rename('new', 'Named')
    expect(shown()).toEqual(expect.arrayContaining(['Named', 'From a file']))
    await page.rename('new', '')
    expect(shown()).toEqual(expect.arrayContaining(['Mine', 'New', 'A again', 'From a file']))
    expect(lists).toBe(0)
    await page.refresh()
    expect(lists).toBeGreaterThan(0)
  })

  it('is read by pages, and finds what was not read', async () => {
    const disk = memoryStorage()
    const facts = {
      version: 3,
      createdAt: 1,
      messageCount: 1,
      requestState: 'idle',
      waitingCount: 0,
    }
    for (let count = 0; count < 120; count++) {
      const about = { ...facts, title: `About ${count};`, updatedAt: count }
      await disk.write(`conversation/${count}`, { put: new Map([['about', about]]) })
    }
    const page = openPage(disk)
    await vi.waitFor(() => expect(page.isLoaded.value).toBe(true))
    const ids = () => page.conversations.value.map(({ id }) => Number(id))
    const upTo = (last: number) => Array.from({ length: 120 - last }, (_, at) => 119 - at)
    expect([ids(), page.hasMore.value]).toEqual([upTo(70), true])
    await page.search('about 3;')
    expect(page.found.value?.map(({ id }) => id)).toEqual(['3'])
    await page.remove('3')
    expect(page.found.value).toEqual([])
    await Promise.all([page.loadMore(), page.loadMore()])
    expect([ids(), page.hasMore.value]).toEqual([upTo(20), true])
    await disk.write('conversation/new', {
      put: new Map([['about', { ...facts, title: 'New', updatedAt: 200 }]]),
    })
    await storedConversations(disk).remove('100')
    await page.refresh()
    expect(page.conversations.value).toHaveLength(100)
    expect(page.conversations.value[0]).toMatchObject({ title: 'New' })
    expect(ids()).not.toContain(100)
    while (page.hasMore.value) await page.loadMore()
    expect(page.conversations.value).toHaveLength(119)
    expect(await page.loadMore()).toMatchObject({ success: true })
  })

  it('keeps what changed here while one of it was read', async () => {
    const disk = memoryStorage()
    const page = openPage(disk)
    page.transport('c1').add(answer('hello'))
    await page.chat.sendMessage('Hi')
    page.create()
    await vi.waitFor(async () => expect(await storedConversations(disk).list()).toHaveLength(1))
    const { read } = disk
    disk.read = async (...args) => {
      const records = await read(...args)
      disk.read = read
      void page.rename('c1', 'Named meanwhile')
      return records
    }
    await page.refresh('c1')
    expect(page.conversations.value).toMatchObject([{ title: 'Named meanwhile' }])
  })
})

describe('what is allowed everywhere', () => {
  const allow = (page: ConversationScene, toolCallId: string) =>
    page.chat.runPluginCommand('tool', 'resumeToolCall', {
      toolCallId,
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'everywhere' },
    })

  /** A disk on which conversation c1 has allowed to write. */
  async function allowed(): Promise<MemoryStorage> {
    const disk = memoryStorage()
    const page = openPage(disk)
    page.transport('c1').add(write('a.txt'), answer('done'))
    await page.chat.sendMessage('Write')
    await allow(page, 'a.txt')
    await vi.waitFor(() => expect(page.chat.requestState.value).toBe('completed'))
    expect(page.everywherePolicies.value).toMatchObject([{ toolName: 'write', uses: 0 }])
    page.scope.stop()
    await vi.waitFor(async () => expect(await storedConversations(disk).list()).toHaveLength(1))
    return disk
  }

  it('stands in other conversations, says what call it was given on, and is counted', async () => {
    const page = openPage(await allowed(), { generateId: () => 'new' })
    await vi.waitFor(() =>
      expect(page.everywherePolicies.value).toMatchObject([
        { where: 'everywhere', origin: { conversationId: 'c1', summary: 'Write a.txt' } },
      ]),
    )
    page.transport('new').add(write('b.txt'), answer('done'))
    expect(await page.chat.sendMessage('Write')).toMatchObject({ requestState: 'completed' })
    expect(page.effects).toEqual(['b.txt'])
    expect(page.everywherePolicies.value).toMatchObject([{ uses: 1 }])
  })

  it('is taken back in the open conversation and for all others', async () => {
    const disk = await allowed()
    const page = openPage(disk, { generateId: () => 'new' })
    await vi.waitFor(() => expect(page.everywherePolicies.value).toHaveLength(1))
    const id = page.everywherePolicies.value[0]?.id ?? ''
    expect(await page.revokeEverywhere(id)).toEqual({ success: true, result: id })
    expect(page.everywherePolicies.value).toEqual([])
    page.transport('new').add(write('b.txt'))
    expect(await page.chat.sendMessage('Write')).toMatchObject({ requestState: 'paused' })
    const later = openPage(disk, { generateId: () => 'later' })
    later.transport('later').add(write('c.txt'))
    expect(await later.chat.sendMessage('Write')).toMatchObject({ requestState: 'paused' })
    expect(later.everywherePolicies.value).toEqual([])
    expect(await later.revokeEverywhere('none')).toMatchObject({
      success: false,
      error: { code: 'unknown_policy' },
    })
  })

  it('is paused by stopAll in every conversation, until it is let go on', async () => {
    const page = openPage(await allowed(), { generateId: () => 'new' })
    await vi.waitFor(() => expect(page.everywherePolicies.value).toHaveLength(1))
    await page.stopAll()
    expect(page.everywherePolicies.value).toMatchObject([{ isSuspended: true }])
    page.transport('new').add(write('b.txt'), answer('done'))
    expect(await page.chat.sendMessage('Write')).toMatchObject({ requestState: 'paused' })
    await page.resumePolicies()
    await vi.waitFor(() => expect(page.chat.requestState.value).toBe('completed'))
    expect(page.effects).toEqual(['b.txt'])
    expect(page.everywherePolicies.value).toMatchObject([{ isSuspended: false, uses: 1 }])
  })

  it('is taken back in the store when no open conversation knows of it', async () => {
    const disk = await allowed()
    const page = openPage(disk, {
      generateId: () => 'new',
      engine: () => ({ transport: scriptedTransport() }),
    })
    await vi.waitFor(() => expect(page.everywherePolicies.value).toHaveLength(1))
    const id = page.everywherePolicies.value[0]?.id ?? ''
    expect(await page.revokeEverywhere(id)).toMatchObject({ success: true })
    expect(page.everywherePolicies.value).toEqual([])
    expect((await storedConversations(disk).everywhere()).at(-1)).toMatchObject({ revokes: id })
  })
})
