import { toolPlugin, type MessageEngine } from '@assent/engine'
import { defineStorage, memoryStorage, type MemoryStorage } from '@assent/engine/storage'
import { callTools, scriptedTransport } from '@assent/engine/testing'
import { useMessage, type UseMessageReturn } from '@assent/vue'
import type { JSONValue } from 'ai'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { render } from 'vitest-browser-vue'
import { defineComponent, h, nextTick, shallowRef, type ShallowRef } from 'vue'
import { z } from 'zod'
import { provideChat } from './chat-context.ts'
import { callDraftKey, useDraft, type KeptDraft } from './use-draft.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

interface Scene {
  readonly form: KeptDraft
  readonly chat: UseMessageReturn
  readonly key: ShallowRef<string | undefined>
  readonly id: ShallowRef<string>
  /** Ends the app, or only the form. */
  unmount(): void
  hideForm(): Promise<void>
}

/** A form in an app whose conversations are kept on this disk. */
async function mountForm(disk: MemoryStorage, firstKey = 'composer'): Promise<Scene> {
  const key = shallowRef<string | undefined>(firstKey)
  const id = shallowRef('chat')
  const isShown = shallowRef(true)
  let form: KeptDraft | undefined
  let chat: UseMessageReturn | undefined
  const Form = defineComponent(() => {
    form = useDraft(() => key.value)
    return () => h('p', JSON.stringify(form?.draft.value))
  })
  const App = defineComponent(() => {
    const opened = useMessage({
      id: () => id.value,
      storage: defineStorage(disk),
      transport: scriptedTransport([callTools([{ toolCallId: '1', toolName: 'ask', input: {} }])]),
      plugins: [toolPlugin({ tools: { ask: { inputSchema: z.object({}) } } })],
    })
    chat = opened
    provideChat(() => opened)
    return () => (isShown.value ? h(Form) : undefined)
  })
  const { unmount } = await render(App)
  if (!form || !chat) throw new Error('Nothing was mounted.')
  await chat.engine.value.ready
  chat.engine.value.flush()
  return {
    form,
    chat,
    key,
    id,
    unmount,
    async hideForm() {
      isShown.value = false
      await nextTick()
    },
  }
}

const draftsOf = (engine: MessageEngine) =>
  engine.getState().drafts.map(({ key, value }): [string, JSONValue] => [key, value])
const kept = ({ chat }: Scene) => draftsOf(chat.engine.value)

test('a draft is kept a moment after the last change, and shown at once', async () => {
  const scene = await mountForm(memoryStorage())
  scene.form.keep('h')
  vi.advanceTimersByTime(299)
  scene.form.keep('he')
  vi.advanceTimersByTime(299)
  expect(kept(scene)).toEqual([])
  expect(scene.form.draft.value).toBe('he')
  vi.advanceTimersByTime(1)
  expect(kept(scene)).toEqual([['composer', 'he']])
})

test('typing without a pause is kept all the same', async () => {
  const scene = await mountForm(memoryStorage())
  for (let typed = 1; typed <= 21; typed++) {
    scene.form.keep('x'.repeat(typed))
    vi.advanceTimersByTime(100)
  }
  expect(kept(scene)).toEqual([['composer', 'x'.repeat(20)]])
})

test('a draft is dropped at once', async () => {
  const scene = await mountForm(memoryStorage())
  scene.form.keep('hello')
  vi.advanceTimersByTime(300)
  scene.form.keep(undefined)
  expect(kept(scene)).toEqual([])
  expect(scene.form.draft.value).toBeUndefined()
})

test('a draft is kept at once when the page is hidden, and when it goes', async () => {
  const scene = await mountForm(memoryStorage())
  scene.form.keep('one')
  document.dispatchEvent(new Event('visibilitychange'))
  expect(kept(scene)).toEqual([])
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  document.dispatchEvent(new Event('visibilitychange'))
  expect(kept(scene)).toEqual([['composer', 'one']])
  visibility.mockRestore()
  scene.form.keep('two')
  window.dispatchEvent(new Event('pagehide'))
  expect(kept(scene)).toEqual([['composer', 'two']])
})

test('a draft is kept at once when its form goes, or the app, and is there again', async () => {
  const disk = memoryStorage()
  const scene = await mountForm(disk)
  scene.form.keep('one')
  await scene.hideForm()
  expect(kept(scene)).toEqual([['composer', 'one']])
  const other = await mountForm(disk)
  other.form.keep('two')
  other.unmount()
  const again = await mountForm(disk)
  expect(again.form.draft.value).toBe('two')
})

test('what is begun in another tab is shown, unless it is older than what is begun here', async () => {
  const scene = await mountForm(memoryStorage())
  const elsewhere = async (draft: string) => {
    scene.chat.setDraft('composer', draft)
    scene.chat.engine.value.flush()
    await nextTick()
  }
  await elsewhere('theirs')
  expect(scene.form.draft.value).toBe('theirs')
  scene.form.keep('mine')
  await elsewhere('theirs too')
  expect(scene.form.draft.value).toBe('mine')
  vi.advanceTimersByTime(300)
  scene.chat.engine.value.flush()
  expect(kept(scene)).toEqual([['composer', 'mine']])
  expect(scene.form.draft.value).toBe('mine')
  await elsewhere('theirs again')
  expect(scene.form.draft.value).toBe('theirs again')
})

test('what is begun is kept where it began when another conversation is shown', async () => {
  const disk = memoryStorage()
  const scene = await mountForm(disk)
  scene.form.keep('for the first')
  const first = scene.chat.engine.value
  scene.id.value = 'other'
  await scene.chat.engine.value.ready
  expect(draftsOf(first)).toEqual([['composer', 'for the first']])
  expect(kept(scene)).toEqual([])
  expect(scene.form.draft.value).toBeUndefined()
  scene.id.value = 'chat'
  await scene.chat.engine.value.ready
  scene.chat.engine.value.flush()
  expect(scene.form.draft.value).toBe('for the first')
})

test('another key is another draft; without one nothing is kept', async () => {
  const scene = await mountForm(memoryStorage())
  scene.form.keep('one')
  scene.key.value = undefined
  expect(kept(scene)).toEqual([['composer', 'one']])
  scene.form.keep('two')
  vi.advanceTimersByTime(300)
  expect(scene.form.draft.value).toBeUndefined()
  scene.key.value = 'composer'
  expect(scene.form.draft.value).toBe('one')
})

test('a draft about a call goes with it, and comes too late after that', async () => {
  const scene = await mountForm(memoryStorage())
  const { chat } = scene
  await chat.sendMessage('go')
  const message = chat.messages.value.at(-1)
  const part = message?.parts.find(({ type }) => type === 'tool-ask')
  const key = callDraftKey(message?.id, part as Parameters<typeof callDraftKey>[1])
  scene.key.value = `${key}/answer`
  scene.form.keep('4')
  vi.advanceTimersByTime(300)
  expect(kept(scene)).toEqual([[`${key}/answer`, '4']])
  scene.form.keep('42')
  await chat.runPluginCommand('tool', 'submitToolOutput', { toolCallId: '1', output: '42' })
  await scene.hideForm()
  expect(kept(scene)).toEqual([])
})

test('the key of a call tells it from all others, whatever their ids', () => {
  const call = (toolCallId: string, approval?: string) =>
    ({
      type: 'dynamic-tool',
      toolName: 'x',
      toolCallId,
      state: 'approval-requested',
      input: {},
      approval: { id: approval ?? '' },
    }) as const
  const keys = [
    callDraftKey('a', call('b/c')),
    callDraftKey('a/b', call('c')),
    callDraftKey('a', call('b~1c')),
    callDraftKey('a', call('b', 'c')),
    callDraftKey('a\ud800', call('b')),
  ]
  expect(new Set(keys).size).toBe(keys.length)
  expect(callDraftKey(undefined, call('a'))).toBeUndefined()
})

test('without a conversation above nothing is kept', async () => {
  let form: KeptDraft | undefined
  const Form = defineComponent(() => {
    form = useDraft(() => 'composer')
    return () => undefined
  })
  await render(Form)
  form?.keep('one')
  vi.advanceTimersByTime(300)
  expect(form?.draft.value).toBeUndefined()
})
