import type { MessageEngine } from '@assent/engine'
import { memoryStorage, storedConversations, type MemoryStorage } from '@assent/engine/storage'
import { answer, callTools } from '@assent/engine/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { nextTick, ref, shallowRef } from 'vue'
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
const titles = ({ conversations }: ConversationScene) =>
  conversations.value.map(({ title }) => title)
const stored = (disk: MemoryStorage) => storedConversations(disk).list()

/** A conversation that is disposed is in the store alone. */
async function isDisposed(engine: MessageEngine): Promise<boolean> {
  const result = await engine.runPluginCommand('none', 'none')
  return !result.success && result.error.code === 'disposed'
}

/** A page in which something was said in as many conversations; the last one is active. */
async function pageWith(disk: MemoryStorage, ...texts: string[]): Promise<ConversationScene> {
  const page = openPage(disk)
  for (const text of texts) {
    if (text !== texts[0]) page.create()
    page.transport(page.active.value).add(answer('ok'))
    await page.chat.sendMessage(text)
  }
  await vi.waitFor(async () => expect(await stored(disk)).toHaveLength(texts.length))
  return page
}

describe('conversations', () => {
  it('begin with a new one, which is listed with its first message and its title', async () => {
    const page = openPage()
    expect(page.active.value).toBe('c1')
    expect(page.isLoaded.value).toBe(false)
    await vi.waitFor(() => expect(page.isLoaded.value).toBe(true))
    expect(page.conversations.value).toEqual([])
    page.transport('c1').add(answer('hello'))
    await page.chat.sendMessage('  Hi\n there ')
    expect(page.conversations.value).toMatchObject([
      {
        id: 'c1',
        title: 'Hi there',
        messageCount: 2,
        requestState: 'completed',
        waitingCount: 0,
        unreadCount: 0,
      },
    ])
  })

  it('are listed by their last change, which opening is none of', async () => {
    const disk = memoryStorage()
    const page = await pageWith(disk, 'one', 'two', 'three')
    expect(titles(page)).toEqual(['three', 'two', 'one'])
    await page.open('c1')
    expect(page.chat.messageIds.value).toHaveLength(2)
    expect(titles(page)).toEqual(['three', 'two', 'one'])
    page.transport('c1').add(answer('more'), answer('more'))
    await page.chat.sendMessage('again')
    expect(titles(page)).toEqual(['one', 'three', 'two'])
    const later = openPage(disk, { generateId: () => 'new' })
    await vi.waitFor(() => expect(titles(later)).toEqual(['one', 'three', 'two']))
    expect(later.chat.messages.value).toEqual([])
  })

  it('are in the page at once when they are opened, and follow who sends', async () => {
    const page = await pageWith(memoryStorage(), 'one', 'two')
    const opening = page.open('c1')
    expect(page.active.value).toBe('c1')
    expect(page.chat.id.value).toBe('c1')
    page.transport('c1').add(answer('more'), answer('more'))
    await page.chat.sendMessage('again')
    expect(await opening).toEqual({ success: true, result: 'c1' })
    expect(page.conversations.value[0]).toMatchObject({ id: 'c1', messageCount: 4 })
  })

  it('wait in the store for a person, and run after the yes once they are opened again', async () => {
    const disk = memoryStorage()
    const page = openPage(disk)
    page.transport('c1').add(write('a.txt'), answer('done'))
    expect(await page.chat.sendMessage('Write')).toMatchObject({ requestState: 'paused' })
    expect(page.conversations.value).toMatchObject([{ requestState: 'paused', waitingCount: 1 }])
    const first = page.chat.engine.value
    page.create()
    await expect.poll(() => isDisposed(first)).toBe(true)
    expect(page.conversations.value).toMatchObject([{ requestState: 'paused', waitingCount: 1 }])
    await page.open('c1')
    expect(page.chat.isPaused.value).toBe(true)
    await page.chat.runPluginCommand('tool', 'resumeToolCall', { toolCallId: 'a.txt' })
    await vi.waitFor(() => expect(page.chat.requestState.value).toBe('completed'))
    expect(page.conversations.value).toMatchObject([{ waitingCount: 0 }])
    expect(page.effects).toEqual(['a.txt'])
  })

  it('go on in the background while they are busy, count what is unread, and end there', async () => {
    const disk = memoryStorage()
    const page = await pageWith(disk, 'one')
    const held = page.transport('c1').hold()
    void page.chat.sendMessage('more')
    await held.push(...answer('half of it').slice(0, 4))
    const engine = page.chat.engine.value
    page.create()
    expect(page.conversations.value[0]).toMatchObject({
      requestState: 'processing',
      unreadCount: 0,
    })
    await held.push(...answer('half of it').slice(4))
    await held.end()
    await vi.waitFor(() =>
      expect(page.conversations.value[0]).toMatchObject({
        requestState: 'completed',
        unreadCount: 1,
      }),
    )
    await expect.poll(() => isDisposed(engine)).toBe(true)
    await vi.waitFor(async () => expect(await stored(disk)).toMatchObject([{ unreadCount: 1 }]))
    const later = openPage(disk, { generateId: () => 'new' })
    await vi.waitFor(() => expect(later.conversations.value[0]?.unreadCount).toBe(1))
    await later.open('c1')
    expect(later.conversations.value[0]?.unreadCount).toBe(0)
    expect(later.chat.messages.value.at(-1)?.parts.at(-1)).toMatchObject({ text: 'half of it' })
    await vi.waitFor(async () => expect(await stored(disk)).toMatchObject([{ unreadCount: 0 }]))
  })

  it('have what was begun in them again, also one in which nothing was said', async () => {
    const disk = memoryStorage()
    const page = await pageWith(disk, 'one', 'two')
    const times = () => page.conversations.value.map(({ updatedAt }) => updatedAt)
    const before = times()
    page.chat.setDraft('composer', 'and two')
    page.create()
    expect(page.chat.drafts.value).toEqual([])
    page.chat.setDraft('composer', 'three')
    await page.open('c1')
    expect(page.conversations.value.map(({ id }) => id)).toEqual(['c3', 'c2', 'c1'])
    expect(times().slice(1)).toEqual(before)
    await vi.waitFor(async () => expect(await stored(disk)).toHaveLength(3))
    await page.open('c2')
    expect(page.chat.drafts.value).toEqual([{ key: 'composer', value: 'and two' }])
    await page.open('c3')
    expect(page.chat.drafts.value).toEqual([{ key: 'composer', value: 'three' }])
    page.chat.setDraft('composer', undefined)
    await page.open('c1')
    expect(page.conversations.value.map(({ id }) => id)).toEqual(['c2', 'c1'])
    await vi.waitFor(async () => expect(await stored(disk)).toHaveLength(2))
  })

  it('keep the title that they are given, until it is taken back', async () => {
    const disk = memoryStorage()
    const page = await pageWith(disk, 'one')
    const renaming = page.rename('c1', ' My plans ')
    expect(titles(page)).toEqual(['My plans'])
    expect(await renaming).toMatchObject({ success: true })
    page.transport('c1').add(answer('x'), answer('x'))
    await page.chat.sendMessage('more')
    expect(titles(page)).toEqual(['My plans'])
    expect(await stored(disk)).toMatchObject([{ title: 'My plans' }])
    await page.rename('c1', '')
    expect(titles(page)).toEqual(['one'])
    expect(await page.rename('none', 'x')).toMatchObject({
      success: false,
      error: { code: 'unknown_conversation' },
    })
  })

  it('are gone for good, also when an answer streams, and a new one is there instead', async () => {
    const disk = memoryStorage()
    const page = await pageWith(disk, 'one', 'two')
    const held = page.transport('c2').hold()
    void page.chat.sendMessage('more')
    await held.push(...answer('half').slice(0, 4))
    const renaming = page.rename('c2', 'late')
    const removing = page.remove('c2')
    expect(page.active.value).toBe('c3')
    expect(titles(page)).toEqual(['one'])
    await Promise.all([renaming, removing])
    expect(await removing).toEqual({ success: true, result: 'c2' })
    await page.refresh()
    expect(titles(page)).toEqual(['one'])
    expect(await disk.read('conversation/c2')).toEqual(new Map())
    expect(await page.open('c2')).toMatchObject({
      success: false,
      error: { code: 'unknown_conversation' },
    })
    expect(page.active.value).toBe('c4')
  })

  it('are found by what was said; an answer that is late is not shown', async () => {
    const disk = memoryStorage()
    const page = await pageWith(disk, 'Lisbon', 'Rome')
    const gate = Promise.withResolvers<void>()
    const read = disk.read
    disk.read = async (namespace) => {
      await gate.promise
      return read(namespace)
    }
    const slow = page.search('ok')
    disk.read = read
    expect(await page.search('lisbon')).toMatchObject({ success: true, result: [{ id: 'c1' }] })
    expect(page.found.value).toMatchObject([{ id: 'c1' }])
    gate.resolve()
    expect(await slow).toMatchObject({ result: [{ id: 'c2' }, { id: 'c1' }] })
    expect(page.found.value).toMatchObject([{ id: 'c1' }])
    await page.remove('c1')
    expect(page.found.value).toEqual([])
    await page.search(' ')
    expect(page.found.value).toBeUndefined()
  })

  it('travel as files', async () => {
    const page = await pageWith(memoryStorage(), 'one')
    const file = await page.exportConversation('c1')
    if (!file.success) throw file.error
    const other = openPage(memoryStorage(), { generateId: () => 'other' })
    expect(await other.importConversation(JSON.stringify(file.result))).toEqual({
      success: true,
      result: 'c1',
    })
    expect(other.conversations.value).toMatchObject([{ id: 'c1', title: 'one', messageCount: 2 }])
    await other.open('c1')
    expect(other.chat.messages.value).toEqual(page.chat.messages.value)
    expect(await other.importConversation('{')).toMatchObject({
      success: false,
      error: { code: 'invalid_argument' },
    })
    expect(await other.exportConversation('none')).toMatchObject({
      error: { code: 'unknown_conversation' },
    })
    expect(other.error.value).toBeUndefined()
  })

  it('follow an id from outside, and the store itself', async () => {
    const [one, two] = [memoryStorage(), memoryStorage()]
    await pageWith(one, 'in one')
    await pageWith(two, 'in two')
    const id = ref<string | undefined>('c1')
    const storage = shallowRef(one)
    const page = openPage(one, { storage, id, generateId: () => 'new' })
    await vi.waitFor(() => expect(page.chat.messageIds.value).toHaveLength(2))
    id.value = 'other'
    expect(page.active.value).toBe('other')
    id.value = undefined
    expect(page.active.value).toBe('other')
    storage.value = two
    expect(page.active.value).toBe('new')
    expect(page.conversations.value).toEqual([])
    await vi.waitFor(() => expect(titles(page)).toEqual(['in two']))
  })

  it('are opened anew by the options of now', async () => {
    const page = await pageWith(memoryStorage(), 'one')
    const before = page.chat.engine.value
    expect(await page.reopen()).toEqual({ success: true, result: 'c1' })
    expect(page.chat.engine.value).not.toBe(before)
    expect(page.chat.messages.value).toEqual(before.getState().messages)
    page.transport('c1').add(answer('x'), answer('x'))
    await page.chat.sendMessage('more')
    expect(page.conversations.value).toMatchObject([{ messageCount: 4 }])
  })

  it('end with their scope: every engine, also those in the background', async () => {
    const page = await pageWith(memoryStorage(), 'one')
    const held = page.transport('c1').hold()
    void page.chat.sendMessage('more')
    await held.push(...answer('half').slice(0, 4))
    const background = page.chat.engine.value
    page.create()
    const active = page.chat.engine.value
    await nextTick()
    page.scope.stop()
    await expect.poll(() => isDisposed(background)).toBe(true)
    await expect.poll(() => isDisposed(active)).toBe(true)
  })
})
