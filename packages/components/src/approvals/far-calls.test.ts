import { beforeAll, expect, test } from 'vitest'
import { button, frames, mountApprovalChat, row } from '../../test/approval-chat.ts'
import { ask, assistant, text, user } from '../../test/fixtures.ts'
import { slotElement } from '../../test/mount.ts'
import { loadMarkdown } from '../markdown/markdown-code.ts'

beforeAll(loadMarkdown)

const COUNT = 80
/** Of very different heights, so that what is guessed about them is wrong. */
const answer = (index: number): string =>
  `Answer ${index}\n\n${'More of it, and more.\n\n'.repeat((index * 7) % 23)}`
const history = Array.from({ length: COUNT }, (_, index) => [
  user(`u${index}`, `Question ${index}`),
  assistant(`a${index}`, text(answer(index))),
]).flat()
/** The open turn: its cards are further from each other than the view is high. */
const open = assistant(
  'open',
  text(answer(9)),
  ask('write', 'c1', { file: 'c1' }),
  text(answer(21)),
  ask('write', 'c2', { file: 'c2' }),
  text(answer(18)),
)

function isWholeInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  const view = slotElement('scroller').getBoundingClientRect()
  return top >= view.top - 1 && bottom <= view.bottom + 1
}

const card = (call: string): HTMLElement => {
  const found = document.querySelector<HTMLElement>(
    `.as-chat-column [data-call="${call}"] [data-slot="ask"]`,
  )
  if (!found) throw new Error(`There is no card of ${call}.`)
  return found
}

test.each([true, false])(
  'a row leads to its card in a long conversation, and the view stays there (virtual: %s)',
  async (virtual) => {
    const messages = [...history, user('u', 'Write'), open]
    await mountApprovalChat([], { messages, virtual, say: false })
    for (const [call, from] of [
      ['c1', 0],
      ['c2', 0.5],
      ['c1', 1],
    ] as const) {
      const scroller = slotElement('scroller')
      scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
      scroller.scrollTop = from * scroller.scrollHeight
      await frames(6)
      await button('Review').click()
      await row(`Write ${call}`).getByRole('button', { name: 'Show' }).click()
      await expect.poll(() => document.activeElement).toBe(card(call))
      await expect.poll(() => isWholeInView(card(call))).toBe(true)
      const before = card(call).getBoundingClientRect().top
      await frames(12)
      expect(Math.abs(card(call).getBoundingClientRect().top - before)).toBeLessThan(3)
    }
  },
)
