import type { SharingEnvironment } from '@assent/engine/shared'
import { memoryStorage, type ConversationStorage } from '@assent/engine/storage'
import { answer, callTools } from '@assent/engine/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { conversationScene, type ConversationScene } from './testing/conversation-scene.ts'

const held = new Map<string, Promise<void>>()
const asked: string[] = []

/** What a browser has: locks that are had in turn, and channels. */
const browser: SharingEnvironment = {
  locks: {
    async request(name, _, hold) {
      asked.push(name)
      const had = (held.get(name) ?? Promise.resolve()).then(hold)
      held.set(name, had)
      await had
    },
  },
  channel: (name) => new BroadcastChannel(name),
}

const scenes: ConversationScene[] = []
afterEach(() => {
  for (const { scope } of scenes.splice(0)) scope.stop()
})

/** A store that is there for all tabs. */
function store(): ConversationStorage {
  return { ...memoryStorage(), claims: 'store', endsWithProcess: false, sharing: browser }
}

function openTab(
  storage: ConversationStorage,
  more: Parameters<typeof conversationScene>[1] = {},
): ConversationScene {
  const scene = conversationScene(storage, { id: chatId, ...more })
  scenes.push(scene)
  return scene
}

let chats = 0
let chatId = ''
const write = callTools({ toolCallId: '1', toolName: 'write', input: { file: 'a' } })
const texts = (page: ConversationScene) => page.chat.messages.value.map(({ role }) => role)

/** Two tabs with one conversation, in the first of which a call waits. */
async function openTwo(storage: ConversationStorage, share?: boolean) {
  chatId = `shared ${++chats}`
  const first = openTab(storage, share === undefined ? {} : { share })
  first.transport(chatId).add(write, answer('Written.'))
  expect(await first.chat.sendMessage('Write a')).toMatchObject({ requestState: 'paused' })
  const second = openTab(storage, share === undefined ? {} : { share })
  return { first, second }
}

describe('conversations that two tabs have open', () => {
  it('are one: what waits in one waits in the other, and is decided in either', async () => {
    const { first, second } = await openTwo(store())
    await vi.waitFor(() => expect(second.chat.isPaused.value).toBe(true))
    await second.chat.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' })
    await vi.waitFor(() => expect(second.chat.requestState.value).toBe('completed'))
    expect(texts(second)).toEqual(texts(first))
    expect([first.effects, second.effects]).toEqual([['a'], []])
  })

  it('are two engines where that is not wanted, of which one starts a call', async () => {
    const { first, second } = await openTwo(store(), false)
    second.transport(chatId).add(answer('Written.'))
    await vi.waitFor(() => expect(second.chat.isPaused.value).toBe(true))
    await Promise.all(
      [first, second].map(({ chat }) =>
        chat.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1' }),
      ),
    )
    await vi.waitFor(() => expect([...first.effects, ...second.effects]).toEqual(['a']))
  })

  it('are not shared where the claims of their store are those of one process', async () => {
    const storage: ConversationStorage = { ...store(), claims: 'process' }
    const { first } = await openTwo(storage)
    expect(asked).not.toContain(`assent:${chatId}`)
    expect(first.errors).toMatchObject([{ code: 'sharing_unavailable' }])
    first.create()
    await vi.waitFor(() => expect(first.chat.requestState.value).toBe('idle'))
    expect(scenes.flatMap(({ errors }) => errors)).toHaveLength(1)
  })

  it('say nothing of a store that ends with the page', async () => {
    const { first } = await openTwo({ ...memoryStorage(), sharing: browser })
    expect(first.errors).toEqual([])
  })
})
