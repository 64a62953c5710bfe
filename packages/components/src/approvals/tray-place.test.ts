import {
  EngineError,
  type CommandResult,
  type ResumeToolCallPayload,
  type ToolRisk,
} from '@assent/engine'
import { answer } from '@assent/engine/testing'
import type { WaitingCallEntry } from '@assent/vue'
import * as fc from 'fast-check'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { cleanup, render } from 'vitest-browser-vue'
import { defineComponent, h, shallowRef } from 'vue'
import {
  button,
  calls,
  frames,
  mountApprovalChat,
  row,
  tray,
  useApprovalChat,
  type ApprovalChat,
} from '../../test/approval-chat.ts'
import { slotElement } from '../../test/mount.ts'
import { waitingCall } from '../../test/waiting-call.ts'
import AsChat from '../chat/AsChat.vue'
import { loadMarkdown } from '../markdown/markdown-code.ts'
import AsApprovalTray from './AsApprovalTray.vue'
import { addSpan, coversAll, type Span } from '../review/spans.ts'

// Text that becomes Markdown meanwhile would be less high.
beforeAll(loadMarkdown)
afterEach(() => cleanup())

const scroller = () => slotElement('scroller')
/** Presses the button for what was seen, if it is there, and confirms it as soon as that is possible. */
async function approveAll(): Promise<void> {
  for (const name of ['approve-seen', 'approve-all']) {
    const find = () => document.querySelector<HTMLElement>(`[data-slot="${name}"]`)
    if (name === 'approve-seen' && !find()) return
    while (find()?.getAttribute('aria-disabled') !== null) await frames(1)
    find()?.click()
  }
  await frames(2)
}

const isInColumn = (node: unknown): boolean =>
  node instanceof Element && node.closest('.as-chat-column') !== null
const cardTops = () =>
  [...document.querySelectorAll('.as-chat-column [data-slot="tool-call"]')].map(
    (card) => card.getBoundingClientRect().top,
  )

test('moves nothing in the conversation when it comes, opens, closes and goes', async () => {
  const long = Array.from({ length: 40 }, (_, index) => `Paragraph ${index}.`).join('\n\n')
  const { chat } = await mountApprovalChat([answer(long), calls('write:a'), answer('Done.')], {
    say: false,
  })
  await chat.sendMessage('Tell me a lot')
  await chat.sendMessage('Write it')
  await expect.poll(() => cardTops()).toHaveLength(1)
  await frames(4)
  const shifts: unknown[] = []
  // The button that floats over the conversation goes above the tray; what counts is the conversation.
  const observer = new PerformanceObserver((list) => {
    const sources = list.getEntries().flatMap((entry): unknown => Reflect.get(entry, 'sources'))
    shifts.push(...sources.filter((source) => isInColumn(Reflect.get(Object(source), 'node'))))
  })
  observer.observe({ type: 'layout-shift', buffered: false })

  scroller().dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
  scroller().scrollTop -= 900
  const { scrollTop } = scroller()
  const tops = cardTops()
  await expect.element(tray()).toBeVisible()
  expect([scroller().scrollTop, cardTops()]).toEqual([scrollTop, tops])
  // It goes when the reader is back.
  scroller().scrollTop = scroller().scrollHeight
  const end = scroller().scrollTop
  await expect.poll(() => tray().elements()).toHaveLength(0)
  await frames(2)
  expect(scroller().scrollTop).toBe(end)
  expect(shifts).toEqual([])
  observer.disconnect()
})

test('moves nothing when the last but one is decided, and the next card arms anew', async () => {
  const { chat } = await mountApprovalChat(['write:a', 'write:b'], { height: 900 })
  await expect.element(button('Approve all 2…')).toBeEnabled()
  const tops = cardTops()
  await chat.runPluginCommand('tool', 'resumeToolCall', { toolCallId: 'write:a' })
  await expect.poll(() => tray().elements()).toHaveLength(0)
  await frames(2)
  expect(cardTops()).toEqual(tops)
})

test('the card and its row are pending together, and show the same refusal', async () => {
  const answered = Promise.withResolvers<CommandResult>()
  const double = await mountApprovalChat(['write:a', 'write:b'], { height: 900 })
  double.chat.runPluginCommand = (() => answered.promise) as never
  await button('Review').click()
  const write = row('Write a').getByRole('button', { name: 'Write' })
  await expect.element(write).toBeEnabled()
  await write.click()
  const card = page
    .getByRole('region', { name: 'Conversation' })
    .getByRole('group', { name: 'Write a' })
  await expect.element(write).toHaveAttribute('aria-busy', 'true')
  await expect
    .element(card.getByRole('button', { name: 'Write' }))
    .toHaveAttribute('aria-busy', 'true')
  answered.resolve({ success: false, error: new EngineError('busy', 'Not yet.') })
  await expect
    .element(card.getByRole('alert'))
    .toHaveTextContent('That didn’t work. Wait until the reply finishes.')
  await expect
    .element(row('Write a').getByRole('alert'))
    .toHaveTextContent('That didn’t work. Wait until the reply finishes.')
})

test('two chats on a page have a tray of their own each', async () => {
  const made: ApprovalChat[] = []
  const Page = defineComponent(() => {
    const scenes = ['x', 'y'].map((name) =>
      useApprovalChat([calls(`write:${name}1`, `write:${name}2`), answer('Done.')]),
    )
    made.push(...scenes)
    return () =>
      h('div', { style: { display: 'flex', blockSize: '640px', inlineSize: '1200px' } }, [
        scenes.map(({ chat }) => h('div', { style: { inlineSize: '600px' } }, h(AsChat, { chat }))),
      ])
  })
  await page.viewport(1200, 700)
  await render(Page)
  const [first, second] = made as [ApprovalChat, ApprovalChat]
  await Promise.all([first.chat.sendMessage('Go'), second.chat.sendMessage('Go')])
  await expect.poll(() => tray().elements()).toHaveLength(2)
  const left = tray().first()
  await left.getByRole('button', { name: 'Review' }).click()
  await expect.element(left.getByRole('group', { name: 'Write x1' })).toHaveFocus()
  expect(tray().nth(1).getByRole('group').elements()).toHaveLength(0)
  await expect.element(left.getByRole('group', { name: 'Write x2' })).toBeVisible()
  expect(left.getByRole('group', { name: /Write y/ }).elements()).toHaveLength(0)
  await expect
    .element(left.getByRole('group', { name: 'Write x1' }).getByRole('button', { name: 'Write' }))
    .toBeEnabled()
  await userEvent.keyboard('a')
  await expect.poll(() => first.chat.confirmations.value).toHaveLength(1)
  expect(second.chat.confirmations.value).toEqual([])
})

test('stays usable with fifty calls', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `write:${index + 1}`)
  const { chat } = await mountApprovalChat(names, { height: 600 })
  await expect.element(tray().getByText('50 actions need you')).toBeVisible()
  await button('Review').click()
  await expect.element(row('Write 1').first()).toHaveFocus()
  await userEvent.keyboard('{End}')
  await expect.element(row('Write 50')).toHaveFocus()
  await expect.element(row('Write 50').getByText('50 of 50')).toBeVisible()
  await button('Deny all 50…').click()
  await tray().getByRole('button', { name: 'Deny 50' }).click()
  await expect.poll(() => chat.confirmations.value).toHaveLength(50)
})

test('without a conversation it takes what waits and tells what was decided', async () => {
  const waiting = shallowRef<readonly WaitingCallEntry[]>([
    waitingCall('c1'),
    waitingCall('c2', { risk: 'destroy' }),
    waitingCall('c3'),
  ])
  const told: ResumeToolCallPayload[][] = []
  const jumped: WaitingCallEntry[] = []
  const Page = defineComponent(
    () => () =>
      h(AsApprovalTray, {
        calls: waiting.value,
        onDecide: (decisions: readonly ResumeToolCallPayload[]) => {
          told.push([...decisions])
          const ids = new Set(decisions.map(({ toolCallId }) => toolCallId))
          waiting.value = waiting.value.filter(({ toolCallId }) => !ids.has(toolCallId))
        },
        onJump: (call: WaitingCallEntry) => jumped.push(call),
      }),
  )
  await page.viewport(800, 900)
  await render(Page)
  await button('Review').click()
  await row('Write c1').getByRole('button', { name: 'Show' }).click()
  expect(jumped.map(({ toolCallId }) => toolCallId)).toEqual(['c1'])
  await button('Review').click()
  for (const name of ['Write c1', 'Write c2', 'Write c3']) {
    await expect.element(row(name)).toHaveFocus()
    await frames(2)
    await userEvent.keyboard('{ArrowDown}')
  }
  await button('Approve 2 reviewed…').click()
  await button('Approve 2').click()
  await expect.poll(() => told).toHaveLength(1)
  expect(told[0]).toMatchObject([
    { messageId: 'a1', toolCallId: 'c1', outcome: 'yes' },
    { messageId: 'a1', toolCallId: 'c3', outcome: 'yes' },
  ])
  await expect.element(row('Write c2')).toBeVisible()
  await row('Write c2').getByRole('button', { name: 'Deny' }).click()
  await row('Write c2').getByRole('button', { name: 'Deny', exact: true }).click()
  await expect
    .poll(() => told[1])
    .toMatchObject([{ messageId: 'a1', toolCallId: 'c2', outcome: 'no' }])
  await expect.poll(() => tray().elements()).toHaveLength(0)
})

test('a refused batch decides nothing, says why, and can be tried again', async () => {
  const answers: CommandResult[] = [
    { success: false, error: new EngineError('batch_refused', '1 of 2 decisions was refused.') },
    { success: true, result: undefined },
  ]
  const told: number[] = []
  const list = [waitingCall('c1'), waitingCall('c2')]
  const Page = defineComponent(
    () => () =>
      h(AsApprovalTray, {
        calls: list,
        onDecide: async (decisions: readonly ResumeToolCallPayload[]) => {
          told.push(decisions.length)
          return answers.shift()
        },
      }),
  )
  await page.viewport(800, 900)
  await render(Page)
  await button('Review').click()
  await frames(4)
  await button('Approve all 2…').click()
  await button('Approve 2').click()
  await expect
    .element(page.getByRole('alert'))
    .toHaveTextContent('That didn’t work. Some of these couldn’t be decided, so none was.')
  await button('Approve 2').click()
  await expect.poll(() => told).toEqual([2, 2])
})

test('over any calls and any places in the conversation, a yes to all covers only what was shown', async () => {
  const drawn = fc.array(
    fc.record({
      risk: fc.constantFrom<ToolRisk>('read', 'write', 'send', 'destroy'),
      checkFailed: fc.boolean(),
      lines: fc.integer({ min: 1, max: 14 }),
    }),
    { minLength: 2, maxLength: 9 },
  )
  await page.viewport(800, 700)
  let decidedCount = 0
  const style = document.head.appendChild(document.createElement('style'))
  style.textContent = '.as-tray-item { content-visibility: visible !important }'
  await fc.assert(
    fc.asyncProperty(drawn, fc.double({ min: 0, max: 1, noNaN: true }), async (facts, place) => {
      const told: string[] = []
      const list = facts.map(({ lines, ...rest }, index) => ({
        ...waitingCall(`c${index}`, rest),
        input: { text: Array.from({ length: lines }, (_, line) => `Line ${line}`).join('\n') },
      }))
      const Page = defineComponent(
        () => () =>
          h('div', { style: { blockSize: '700px' } }, [
            h(AsApprovalTray, {
              calls: list,
              open: true,
              onDecide: (decisions: readonly ResumeToolCallPayload[]) => {
                told.push(...decisions.map(({ toolCallId }) => toolCallId))
              },
            }),
          ]),
      )
      await render(Page)
      await expect.poll(() => document.querySelector('[data-slot="tray-row"]')).not.toBeNull()
      const panel = slotElement('tray-panel')
      panel.scrollTop = place * panel.scrollHeight
      await frames(6)
      // Where the view was at first, and where it went: nothing else was ever on the screen.
      const { top: origin, height: view } = panel.getBoundingClientRect()
      const windows = [0, panel.scrollTop].map((top) => [top, top + view] as const)
      const items = [...document.querySelectorAll('.as-tray-item')]
      const wasShown = items.map((item) => {
        const { top, height } = item.getBoundingClientRect()
        const from = top - origin + panel.scrollTop
        const seen = windows
          .map(([start, end]): Span => [Math.max(start - from, 0), Math.min(end - from, height)])
          .filter(([start, end]) => end > start)
        return coversAll(seen.reduce<readonly Span[]>(addSpan, []), height - 2)
      })
      await approveAll()
      const wrong = told.filter((id) => {
        const index = list.findIndex(({ toolCallId }) => toolCallId === id)
        const { risk, checkFailed } = list[index] ?? {}
        return checkFailed || risk === 'destroy' || !wasShown[index]
      })
      expect(wrong).toEqual([])
      decidedCount += told.length
      cleanup()
    }),
    { numRuns: 8 },
  )
  style.remove()
  // Else the property would hold for nothing.
  expect(decidedCount).toBeGreaterThan(0)
})
