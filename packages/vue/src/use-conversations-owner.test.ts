import { memoryStorage, storedConversations } from '@assent/engine/storage'
import { answer, callTools } from '@assent/engine/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { nextTick, shallowRef } from 'vue'
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

const titles = (page: ConversationScene) => page.conversations.value.map(({ title }) => title)
const loaded = (page: ConversationScene) => vi.waitFor(() => expect(page.isLoaded.value).toBe(true))

describe('conversations of an owner', () => {
  it('are those of who is logged in, and of nobody else', async () => {
    const disk = memoryStorage()
    const owner = shallowRef<string | undefined>('ada')
    const page = openPage(disk, { owner })
    page.transport('c1').add(answer('Hello, Ada.'))
    await page.chat.sendMessage('I am Ada')
    page.chat.setDraft('composer', 'secret')
    owner.value = 'bob'
    await loaded(page)
    expect(titles(page)).toEqual([])
    expect(page.chat.messages.value).toEqual([])
    expect(page.chat.drafts.value).toEqual([])
    expect(await page.search('Ada')).toMatchObject({ result: [] })
    await page.open('c1')
    expect(page.chat.messages.value).toEqual([])
    owner.value = 'ada'
    await loaded(page)
    await vi.waitFor(() => expect(titles(page)).toEqual(['I am Ada']))
    await page.open('c1')
    expect(page.chat.messages.value).toHaveLength(2)
    expect(page.chat.drafts.value).toMatchObject([{ value: 'secret' }])
  })

  it('are neither read nor stored while nobody is known', async () => {
    const disk = memoryStorage()
    const nobody = openPage(disk)
    nobody.transport('c1').add(answer('Hello.'))
    await nobody.chat.sendMessage('From before')
    nobody.scope.stop()
    const before = disk.snapshot()
    const page = openPage(disk, { owner: () => undefined, id: 'c1' })
    await loaded(page)
    expect(titles(page)).toEqual([])
    expect(page.chat.messages.value).toEqual([])
    page.transport('c1').add(answer('Hello, stranger.'))
    await page.chat.sendMessage('Who am I?')
    expect(page.chat.messages.value).toHaveLength(2)
    expect(disk.snapshot()).toEqual(before)
  })

  it('are all gone after a logout, in every page that had them, whatever they did', async () => {
    const disk = memoryStorage()
    const [page, other, bobs] = [
      openPage(disk, { owner: 'ada' }),
      openPage(disk, { owner: 'ada' }),
      openPage(disk, { owner: 'bob' }),
    ]
    const write = callTools({ toolCallId: '1', toolName: 'write', input: { file: 'a' } })
    for (const one of [page, bobs]) one.transport('c1').add(write, answer('Written.'))
    await page.chat.sendMessage('Write a')
    await bobs.chat.sendMessage('Write b')
    await other.refresh()
    expect(titles(other)).toEqual(['Write a'])
    const decide = () => page.chat.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    const { engine } = page.chat
    const former = engine.value
    expect(await page.clearOwner()).toMatchObject({ success: true })
    await nextTick()
    expect(engine.value).not.toBe(former)
    for (const one of [page, other]) {
      await loaded(one)
      expect(titles(one)).toEqual([])
      expect(one.chat.messages.value).toEqual([])
    }
    expect(await decide()).toMatchObject({ success: false })
    expect(page.effects).toEqual([])
    expect(await storedConversations(disk, { owner: 'ada' }).list()).toEqual([])
    expect(titles(bobs)).toEqual(['Write b'])
    expect(bobs.chat.isPaused.value).toBe(true)
    other.transport('c2').add(answer('Welcome back.'))
    await other.chat.sendMessage('Again')
    expect(await storedConversations(disk, { owner: 'ada' }).list()).toMatchObject([
      { title: 'Again' },
    ])
  })
})
