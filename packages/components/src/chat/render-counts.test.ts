import { beforeAll, expect, test } from 'vitest'
import type { ComponentPublicInstance } from 'vue'
import { createChatDouble } from '../../test/chat-double.ts'
import { ask, assistant, text, user } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import { loadMarkdown } from '../markdown/markdown-code.ts'

beforeAll(loadMarkdown)

/** Counts renders after the first by component, and by the text of the bubble they are in. */
function counter() {
  const counts = new Map<string, number>()
  return {
    counts,
    reset: () => counts.clear(),
    mixin: {
      updated(this: ComponentPublicInstance) {
        const name = this.$options.__name ?? this.$options.name ?? 'anonymous'
        counts.set(name, (counts.get(name) ?? 0) + 1)
      },
    },
  }
}

const history = Array.from({ length: 50 }, (_, index) => [
  user(`u${index}`, `Question ${index}`),
  assistant(`a${index}`, text(`Answer ${index}`), ask('list', `c${index}`, {})),
]).flat()

test('a streaming token renders one bubble, and nothing else', async () => {
  const double = createChatDouble({ requestState: 'processing', messages: history })
  double.put(assistant('last', text('First paragraph.\n\nSecond', 'streaming')))
  const { counts, reset, mixin } = counter()
  await mountChat(double, { mixin })
  await expect.poll(() => slotElement('list').innerText).toContain('Second')
  await expect
    .poll(() => document.querySelectorAll('[data-slot="ask"][data-active]').length)
    .toBe(1)
  reset()
  for (const end of ['Second t', 'Second to', 'Second token']) {
    double.put(assistant('last', text(`First paragraph.\n\n${end}`, 'streaming')))
    await expect.poll(() => slotElement('list').innerText).toContain(end)
  }
  expect(Object.fromEntries(counts)).toEqual({
    BubbleListItem: 3,
    AsBubble: 3,
    BubbleText: 3,
    AsMarkdown: 3,
    MarkdownContent: 3,
    MarkdownBlock: 3,
  })
})

test('a new message renders the list, and none of the messages before it', async () => {
  const double = createChatDouble({ messages: history })
  const { counts, reset, mixin } = counter()
  await mountChat(double, { mixin, slots: { 'part-data-x': () => 'x' } })
  await expect
    .poll(() => document.querySelectorAll('[data-slot="ask"][data-active]').length)
    .toBe(1)
  reset()
  double.put(user('new', 'One more'))
  await expect.poll(() => slotElement('list').innerText).toContain('One more')
  expect(counts.get('AsBubble') ?? 0).toBe(0)
  expect(counts.get('BubbleListItem') ?? 0).toBe(0)
  expect(counts.get('AsBubbleList')).toBe(1)
})

test('typing renders the composer, and no message', async () => {
  const double = createChatDouble({ messages: history })
  const { counts, reset, mixin } = counter()
  await mountChat(double, { mixin })
  await expect
    .poll(() => document.querySelectorAll('[data-slot="ask"][data-active]').length)
    .toBe(1)
  reset()
  const field = slotElement('composer-field')
  if (!(field instanceof HTMLTextAreaElement)) throw new Error('There is no field.')
  field.value = 'Typed'
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  await expect.poll(() => counts.get('AsComposer')).toBeGreaterThan(0)
  for (const name of ['AsBubbleList', 'BubbleListItem', 'AsBubble', 'ToolCallAsk']) {
    expect([name, counts.get(name) ?? 0]).toEqual([name, 0])
  }
})
