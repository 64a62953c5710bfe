import { createMessageEngine } from '@assent/engine'
import { scriptedTransport } from '@assent/engine/testing'
import { mount } from '@vue/test-utils'
import type { UIMessage } from 'ai'
import { expect, test } from 'vitest'
import { defineComponent, h, nextTick } from 'vue'
import { injectMessage, provideMessage } from './message-context.ts'
import { manualFrames } from './testing/manual-frames.ts'
import { observeEngine } from './testing/observed-engine.ts'
import { useMessage, type UseMessageReturn } from './use-message.ts'

const HISTORY = 2_000

function history(): UIMessage[] {
  return Array.from({ length: HISTORY }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    parts: [{ type: 'text', text: `Text ${index}` }],
  }))
}

/** A list as an app would write it, that counts its renders. */
function countingList() {
  const renders = new Map<string, number>()
  const count = (name: string): void => void renders.set(name, (renders.get(name) ?? 0) + 1)
  const Bubble = defineComponent({
    props: { messageId: { type: String, required: true } },
    setup(props) {
      const chat = injectMessage()
      return () => {
        count(props.messageId)
        const message = chat.message(props.messageId).value
        return h(
          'p',
          message?.parts.map((part) => (part.type === 'text' ? part.text : '')),
        )
      }
    },
  })
  const Status = defineComponent(() => {
    const chat = injectMessage()
    return () => {
      count('status')
      return h('em', `${chat.requestState.value} ${chat.queue.value.length}`)
    }
  })
  return { renders, Bubble, Status, count }
}

test('a streaming token renders one bubble of 2,000, a draft none, and no list of messages is made', async () => {
  const frames = manualFrames()
  const transport = scriptedTransport()
  const held = transport.hold()
  const { engine, listReads } = observeEngine(
    createMessageEngine({ messages: history(), transport, scheduleFrame: frames.scheduleFrame }),
  )
  const { renders, Bubble, Status, count } = countingList()
  let opened: UseMessageReturn | undefined
  const wrapper = mount(
    defineComponent(() => {
      const chat = provideMessage(useMessage({ engine }))
      opened = chat
      return () => {
        count('list')
        return h('div', [
          h(Status),
          chat.messageIds.value.map((messageId) => h(Bubble, { key: messageId, messageId })),
        ])
      }
    }),
  )
  const sent = engine.sendMessage('Hi')
  await held.push(
    { type: 'start', messageId: 'answer' },
    { type: 'start-step' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'word' },
  )
  const shows = (text: string) => () => wrapper.text().endsWith(text)
  await renderUntil(shows('word'))
  expect(renders.size).toBe(HISTORY + 4)
  renders.clear()
  const readsBefore = listReads()

  let text = 'word'
  for (let token = 0; token < 5; token += 1) {
    await held.push({ type: 'text-delta', id: 't', delta: ` ${token}` })
    text += ` ${token}`
    await renderUntil(shows(text))
  }
  expect(Object.fromEntries(renders)).toEqual({ answer: 5 })
  expect(listReads()).toBe(readsBefore)

  renders.clear()
  for (const draft of ['h', 'he', 'hey']) {
    opened?.setDraft('composer', draft)
    await frames.next()
    await nextTick()
  }
  expect(opened?.drafts.value).toEqual([{ key: 'composer', value: 'hey' }])
  expect(Object.fromEntries(renders)).toEqual({})
  expect(listReads()).toBe(readsBefore)

  wrapper.unmount()
  engine.dispose()
  expect((await sent).requestState).not.toBe('completed')

  async function renderUntil(isShown: () => boolean): Promise<void> {
    while (!isShown()) {
      await frames.next()
      await nextTick()
    }
  }
})

test('a reader of messages renders once per publication', async () => {
  const frames = manualFrames()
  const transport = scriptedTransport()
  const held = transport.hold()
  let renders = 0
  let text = ''
  const wrapper = mount(
    defineComponent(() => {
      const chat = useMessage({ transport, scheduleFrame: frames.scheduleFrame })
      void chat.sendMessage('Hi')
      return () => {
        renders += 1
        const parts = chat.messages.value.at(-1)?.parts ?? []
        text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
        return h('p', text)
      }
    }),
  )
  await held.push(
    { type: 'start', messageId: 'answer' },
    { type: 'start-step' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: '0' },
  )
  const show = async (expected: string): Promise<void> => {
    const isShown = (): boolean => text === expected
    while (!isShown()) {
      await frames.next()
      await nextTick()
    }
  }
  await show('0')
  renders = 0
  for (const delta of ['1', '2', '3']) await held.push({ type: 'text-delta', id: 't', delta })
  await show('0123')
  expect(renders).toBeLessThanOrEqual(3)
  const shown = renders
  expect(frames.isWaiting()).toBe(false)
  await nextTick()
  expect(renders).toBe(shown)
  wrapper.unmount()
})

test('a message that nobody shows any more costs no render and stays subscribed at most once', async () => {
  const frames = manualFrames()
  const { engine, subscribedMessages } = observeEngine(
    createMessageEngine({
      messages: history().slice(0, 3),
      transport: scriptedTransport(),
      scheduleFrame: frames.scheduleFrame,
    }),
  )
  const { renders, Bubble } = countingList()
  const List = defineComponent({
    props: { ids: { type: Array<string>, required: true } },
    setup(props) {
      provideMessage(useMessage({ engine }))
      return () => props.ids.map((messageId) => h(Bubble, { key: messageId, messageId }))
    },
  })
  const wrapper = mount(List, { props: { ids: ['m0', 'm1'] } })
  expect(subscribedMessages.toSorted()).toEqual(['m0', 'm1'])
  for (let round = 0; round < 3; round += 1) {
    await wrapper.setProps({ ids: ['m1', 'm2'] })
    await wrapper.setProps({ ids: ['m0', 'm1'] })
  }
  expect(subscribedMessages.toSorted()).toEqual(['m0', 'm1', 'm2'])
  expect(renders.get('m1')).toBe(1)
  wrapper.unmount()
  expect(subscribedMessages).toEqual([])
  engine.dispose()
})
