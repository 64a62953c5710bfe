import { answer } from '@assent/engine/testing'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import {
  button,
  calls,
  frames,
  mountApprovalChat,
  readThrough,
  row,
  tray,
} from '../../test/approval-chat.ts'
import { slotElement } from '../../test/mount.ts'
import { ARMING_MS } from '../tool-call/use-armed.ts'

afterEach(() => {
  vi.useRealTimers()
})

const scroller = (): HTMLElement => slotElement('scroller')
const card = (name: string) =>
  page.getByRole('region', { name: 'Conversation' }).getByRole('group', { name })

/** The reader goes to the beginning. */
function goUp(): void {
  scroller().dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
  scroller().scrollTop = 0
}

describe('the tray', () => {
  test('is not there while the one call that waits is in view', async () => {
    await mountApprovalChat(['write:a'])
    await expect.element(card('Write a')).toBeVisible()
    await frames(4)
    expect(tray().elements()).toHaveLength(0)
  })

  test('comes when that call is scrolled away, shows it, and goes again', async () => {
    const long = Array.from({ length: 60 }, (_, index) => `Paragraph ${index}.`).join('\n\n')
    const { chat } = await mountApprovalChat([answer(long), calls('write:a'), answer('Done.')], {
      say: false,
    })
    await chat.sendMessage('Tell me a lot')
    await chat.sendMessage('Write it')
    await expect.element(card('Write a')).toBeVisible()
    await frames(4)
    expect(tray().elements()).toHaveLength(0)
    goUp()
    await expect.element(tray().getByText('1 action needs you')).toBeVisible()
    await button('Show').click()
    await expect.element(card('Write a')).toHaveFocus()
    await expect.element(card('Write a')).toBeInViewport()
    await expect.poll(() => tray().elements()).toHaveLength(0)
  })

  test('leads to the form of a call that is being edited, and does not approve it as it was', async () => {
    await mountApprovalChat(['write:a', 'send:b'])
    await card('Write a').getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: /^file/ }).fill('other')
    await button('Review').click()
    await expect.element(row('Write a')).toHaveAccessibleDescription(/Being edited/)
    expect(row('Write a').getByRole('button', { name: 'Approve' }).elements()).toHaveLength(0)
    await row('Write a').getByRole('button', { name: 'Show' }).click()
    await expect.element(card('Write a')).toHaveFocus()
    await expect.element(page.getByRole('textbox', { name: /^file/ })).toHaveValue('other')
  })

  test('lists every call that waits with its sentence, risk and input', async () => {
    await mountApprovalChat(['write:a', 'send:b', 'wipe:c', 'question:d'])
    await expect.element(tray().getByText('4 actions need you')).toBeVisible()
    await button('Review').click()
    await expect.element(row('Write a')).toHaveAccessibleDescription(/^Changes data/)
    await expect.element(row('Send b')).toHaveAccessibleDescription(/^Sends data outside this app/)
    await expect.element(row('Wipe c')).toHaveAccessibleDescription(/^Cannot be undone/)
    await expect.element(row(/Question d/)).toHaveAccessibleDescription(/^Needs your answer/)
    await expect.element(row('Send b').getByText('2 of 4')).toBeVisible()
    await expect.element(row('Send b').getByRole('definition')).toHaveTextContent('b')
  })

  test('approves and denies single calls; the last decision opens the gate', async () => {
    const { effects, chat } = await mountApprovalChat(['write:a', 'write:b'])
    await button('Review').click()
    await row('Write a').getByRole('button', { name: 'Write' }).click()
    await expect.poll(() => row('Write a').elements()).toHaveLength(0)
    await row('Write b').getByRole('button', { name: 'Deny' }).click()
    await row('Write b').getByRole('button', { name: 'Wrong target' }).click()
    await row('Write b').getByRole('button', { name: 'Deny: Wrong target' }).click()
    await expect.poll(() => page.getByText('All done.')).toBeVisible()
    expect(effects).toEqual(['a'])
    expect(chat.confirmations.value).toMatchObject([
      { toolCallId: 'write:a', outcome: 'yes' },
      { toolCallId: 'write:b', outcome: 'no', reason: 'Wrong target' },
    ])
    expect(tray().elements()).toHaveLength(0)
  })

  test('denies all with one reason', async () => {
    const { effects, chat, transport } = await mountApprovalChat([
      'write:a',
      'wipe:b',
      'question:c',
    ])
    await button('Review').click()
    await button('Deny all 3…').click()
    const named = tray().getByRole('list').first()
    await expect.element(named).toMatchTextContent(/Write a.*Wipe b.*Needs your answer/s)
    await button('Not now').click()
    await button('Deny 3').click()
    await expect.element(page.getByText('All done.')).toBeVisible()
    expect(effects).toEqual([])
    expect(chat.confirmations.value.map((record) => 'reason' in record && record.reason)).toEqual([
      'Not now',
      'Not now',
      'Not now',
    ])
    expect(JSON.stringify(transport.requests[1]?.messages)).toContain('Not now')
  })

  test('is left out of a chat that does not want it', async () => {
    await mountApprovalChat(['write:a', 'write:b'], { tray: false })
    await expect.element(card('Write b')).toBeVisible()
    await frames(4)
    expect(tray().elements()).toHaveLength(0)
  })
})

describe('approving what was seen', () => {
  const seen = ['write:a', 'send:b', 'wipe:c', 'question:d', 'write:e']

  test('covers what was scrolled through, and says what it leaves out and why', async () => {
    const { effects, chat } = await mountApprovalChat(seen, { height: 420 })
    await readThrough()
    await button('Approve 3 reviewed…').click()
    await expect.element(tray().getByText('Approve these 3?')).toBeVisible()
    const covered = tray().getByRole('list').first()
    expect(covered.element().textContent).toMatch(/Write a.*Send b.*Write e/s)
    const left = tray().getByRole('list', { name: 'Not included' })
    expect(left.element().textContent).toMatch(/Wipe c.*Can’t be undone.*Question d.*your answer/s)
    await button('Approve 3').click()
    await expect
      .poll(() => chat.confirmations.value.map(({ toolCallId }) => toolCallId))
      .toEqual(['write:a', 'send:b', 'write:e'])
    await expect.element(tray().getByText('2 actions need you')).toBeVisible()
    // One step: nothing runs before the rest is decided.
    expect(effects).toEqual([])
  })

  test('does not cover what was never in view, nor what was only passed by half', async () => {
    const { chat } = await mountApprovalChat(
      Array.from({ length: 8 }, (_, index) => `write:${index}`),
      { height: 520 },
    )
    await expect.element(tray()).toBeVisible()
    await frames(4)
    const inView = () =>
      [...document.querySelectorAll<HTMLElement>('[data-slot="tool-call"]')].filter((element) => {
        const evidence = element.querySelector('.as-ask-evidence')!.getBoundingClientRect()
        const lid = slotElement('approval-tray').getBoundingClientRect()
        // It was there until the tray came.
        return evidence.bottom <= lid.bottom
      })
    const expected = inView().map(({ dataset }) => dataset['call'])
    expect(expected.length).toBeGreaterThan(0)
    expect(expected.length).toBeLessThan(4)
    await button(/^Approve .*reviewed…$/).click()
    await expect.element(tray().getByText('Not reviewed yet').first()).toBeVisible()
    await button(/^Approve \d$/).click()
    await expect
      .poll(() => chat.confirmations.value.map(({ toolCallId }) => toolCallId))
      .toEqual(expected)
  })

  test('counts a row of the tray like a card', async () => {
    await mountApprovalChat(['write:a', 'write:b', 'write:c', 'write:d', 'write:e'], {
      height: 460,
    })
    await button('Review').click()
    await expect.element(row('Write a')).toHaveFocus()
    expect(button('Approve all 5…').elements()).toHaveLength(0)
    for (const name of ['Write b', 'Write c', 'Write d', 'Write e']) {
      await userEvent.keyboard('{ArrowDown}')
      await expect.element(row(name)).toHaveFocus()
      await frames(2)
    }
    await expect.element(button('Approve all 5…')).toBeVisible()
  })

  test('leaves out what a box inside of the card still hides', async () => {
    const style = document.createElement('style')
    style.textContent =
      '.as-ask .as-evidence { max-block-size: 20px; overflow-y: auto } .as-evidence-rows { padding-block-end: 80px }'
    document.head.append(style)
    try {
      await mountApprovalChat(['write:a', 'write:b'], { height: 640 })
      const evidence = (index: number): HTMLElement => slotElement('evidence', index)
      await frames(6)
      await expect.element(tray()).toBeVisible()
      expect(
        tray()
          .getByRole('button', { name: /Approve/ })
          .elements(),
      ).toHaveLength(0)
      for (const index of [0, 1]) {
        evidence(index).scrollTop = 1_000
        await frames(4)
      }
      await expect.element(button('Approve all 2…')).toBeVisible()
    } finally {
      style.remove()
    }
  })

  test('takes no click in the first moment', async () => {
    const { chat } = await mountApprovalChat(['write:a', 'write:b'])
    await expect.element(button('Approve all 2…')).toBeEnabled()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    slotElement('approve-seen').click()
    const approveAll = () => document.querySelector<HTMLElement>('[data-slot="approve-all"]')
    while (!approveAll()) await frames(1)
    await vi.advanceTimersByTimeAsync(ARMING_MS - 1)
    approveAll()?.click()
    await frames(4)
    expect(chat.confirmations.value).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    vi.useRealTimers()
    approveAll()?.click()
    await expect.poll(() => chat.confirmations.value).toHaveLength(2)
  })
})

test('what Needs typed confirmation is shown, but approved on its card only', async () => {
  await mountApprovalChat(['write:a', 'write:b', 'send:c'], {
    height: 1_100,
    config: { tools: { send: { confirm: 'c' } } },
  })
  await button('Approve 2 reviewed…').click()
  const left = tray().getByRole('list', { name: 'Not included' })
  await expect.element(left.getByText(/Needs typed confirmation/)).toBeVisible()
  await button('Back').click()
  await expect.element(row('Send c').getByRole('button', { name: 'Deny' })).toBeVisible()
  expect(row('Send c').getByRole('button', { name: 'Send' }).elements()).toHaveLength(0)
})

test('a batch can be taken back call by call in the time for that', async () => {
  const { chat } = await mountApprovalChat(['write:a', 'write:b'], {
    height: 1_000,
    config: { undoMs: 60_000 },
  })
  await button('Approve all 2…').click()
  await button('Approve 2').click()
  await card('Write a').getByRole('button', { name: 'Undo' }).click()
  await card('Write b').getByRole('button', { name: 'Approve now' }).click()
  await expect
    .poll(() => chat.confirmations.value.map(({ toolCallId }) => toolCallId))
    .toEqual(['write:b'])
})
