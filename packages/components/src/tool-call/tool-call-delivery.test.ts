import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { axeFindings } from '../../test/axe-findings.ts'
import { createChatDouble } from '../../test/chat-double.ts'
import { assistant, decided, succeeded } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import { decidedMessages, sending, unanswered, unrecorded } from '../../test/scenes/delivery.ts'

const words = (): string => slotElement('tool-call').innerText.replaceAll(/\s+/g, ' ').trim()

describe('a decision on a call of the server', () => {
  test('is said to be on its way while it is sent again', async () => {
    const double = createChatDouble({ ...sending, messages: decidedMessages })
    await mountChat(double)
    expect(slotElement('tool-call').dataset).toMatchObject({ density: 'line' })
    expect(words()).toContain('Deploy to production · Sending decision')
    expect(await axeFindings()).toEqual([])
    double.set({ turn: { ...sending.turn!, sending: undefined } })
    await expect.poll(words).toContain('Approved')
  })

  test('that nobody answered is sent again with the button, which leaves the focus there', async () => {
    const double = createChatDouble({ ...unanswered, messages: decidedMessages })
    await mountChat(double)
    expect(slotElement('tool-call').dataset).toMatchObject({ density: 'card' })
    expect(words()).toMatch(/^Deploy to production May have run .*Check whether it ran/)
    expect(await axeFindings()).toEqual([])
    const button = page.getByRole('button', { name: 'Send again: Deploy to production' })
    await expect.element(button).toBeVisible()
    // The card has said why, and offers it once.
    expect(slotElement('error-notice').innerText.trim()).toBe('The reply couldn’t be finished')
    expect(page.getByRole('button', { name: /Send again/ }).elements()).toHaveLength(1)
    slotElement('send-again').focus()
    await userEvent.keyboard('{Enter}')
    expect(double.calls.map(({ method }) => method)).toEqual(['retry'])
    double.set({ requestState: 'processing', error: undefined })
    await expect.poll(() => slotElement('tool-call').dataset['density']).toBe('line')
    expect(slotElement('tool-call').contains(document.activeElement)).toBe(true)
  })

  test('is no longer in doubt once its result is there', async () => {
    const [request, answer] = decidedMessages
    const double = createChatDouble({ ...unanswered, messages: [request!, answer!] })
    await mountChat(double)
    double.change('a1', (message) => ({
      ...message,
      parts: message.parts.map((part) =>
        part.type === 'tool-deploy' ? succeeded(part as never, 'deployed') : part,
      ),
    }))
    await expect.poll(() => slotElement('tool-call').dataset['density']).toBe('line')
    expect(words()).not.toContain('May have run')
  })
})

describe('a call that could not be recorded', () => {
  async function show(risk: 'write' | 'destroy') {
    const double = createChatDouble({
      requestState: 'paused',
      messages: [assistant('a1', unrecorded(risk))],
    })
    await mountChat(double)
    return double
  }
  const payloads = ({ calls }: ReturnType<typeof createChatDouble>) =>
    calls.filter(({ method }) => method === 'runPluginCommand').map(({ args }) => args[2])
  const buttons = () =>
    [...slotElement('ask').querySelectorAll<HTMLElement>('.as-actions button')].map(
      ({ dataset }) => dataset['slot'],
    )

  test('says so, and is tried again', async () => {
    const double = await show('write')
    expect(words()).toContain('This couldn’t be recorded, so it didn’t run.')
    expect(buttons()).toEqual(['deny', 'without-record', 'approve'])
    expect(await axeFindings()).toEqual([])
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => payloads(double)).toMatchObject([{ toolCallId: 'c1', outcome: 'yes' }])
    expect(payloads(double)[0]).not.toHaveProperty('withoutRecord')
  })

  test('runs without a record, by keyboard too, which its receipt says', async () => {
    const double = await show('write')
    slotElement('ask').focus()
    // Always and edits would be about more than this one run.
    await userEvent.keyboard('l')
    expect(buttons()).toContain('without-record')
    const button = page.getByRole('button', { name: 'Run without a record' })
    await expect.element(button).toBeEnabled()
    slotElement('without-record').focus()
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => payloads(double))
      .toMatchObject([{ toolCallId: 'c1', outcome: 'yes', withoutRecord: true }])
    const part = decided(unrecorded('write'), true)
    const { toolMetadata } = part
    const assent = { decidedBy: 'person', decidedAt: 1, withoutRecord: true }
    double.put(assistant('a1', { ...part, toolMetadata: { ...toolMetadata, assent } }))
    await expect.poll(words).toContain('No record')
  })

  test('never does so when it destroys', async () => {
    await show('destroy')
    expect(buttons()).toEqual(['deny', 'approve'])
  })
})
