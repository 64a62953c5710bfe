import { expect, test, vi } from 'vitest'
import type { Component } from 'vue'
import { createChatDouble } from '../../test/chat-double.ts'
import { assistant, text, user } from '../../test/fixtures.ts'
import { mountChat } from '../../test/mount.ts'
import MarkdownContent from '../markdown/MarkdownContent.vue'

// What makes elements of Markdown is there when the test says so, and stays: one test for all modes.
const loading = vi.hoisted(() => Promise.withResolvers<Component>())
vi.mock('../markdown/load-content.ts', () => ({ loadContent: () => loading.promise }))

const answer = (index: number): string =>
  `## Answer ${index}\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n\`\`\`ts\nconst n = ${index}\n\`\`\`\n\nThat is **all**.`
const history = Array.from({ length: 30 }, (_, index) => [
  user(`u${index}`, `Question ${index}`),
  assistant(`a${index}`, text(answer(index))),
]).flat()

async function frames(count: number): Promise<void> {
  for (let frame = 0; frame < count; frame += 1) await new Promise(requestAnimationFrame)
}

/** A chat of that history; its scroller, laid out. */
async function open(props: object): Promise<HTMLElement> {
  const { container } = await mountChat(createChatDouble({ messages: history }), { props })
  const scroller = container.querySelector<HTMLElement>('[data-slot="scroller"]')!
  await expect.poll(() => scroller.querySelectorAll('[data-slot="text"]').length).toBeGreaterThan(0)
  // Longer than a view that opens at its end looks for it.
  await frames(12)
  return scroller
}

const distance = ({ scrollHeight, clientHeight, scrollTop }: HTMLElement): number =>
  scrollHeight - clientHeight - scrollTop

test('the view stays where it was when the code of Markdown comes late', async () => {
  const atEnd = await Promise.all(
    [{}, { scroll: 'anchor-turn' }, { virtual: true }].map((props) => open(props)),
  )
  expect(atEnd.map(distance).filter((gap) => gap > 2)).toEqual([])
  const reader = await open({})
  reader.dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
  reader.scrollTop -= 1_500
  await frames(4)
  const edge = reader.getBoundingClientRect().top
  const reading = [...reader.querySelectorAll('[data-role="user"]')].find(
    (bubble) => bubble.getBoundingClientRect().top > edge + 8,
  )!
  const before = reading.getBoundingClientRect().top
  expect(document.querySelector('[data-slot="markdown"] table')).toBeNull()

  loading.resolve(MarkdownContent)
  for (const scroller of [...atEnd, reader]) {
    await expect.poll(() => scroller.querySelector('[data-slot="markdown"] table')).not.toBeNull()
  }
  await frames(6)
  expect(atEnd.map(distance).filter((gap) => gap > 2)).toEqual([])
  expect(Math.abs(reading.getBoundingClientRect().top - before)).toBeLessThan(2)
})
