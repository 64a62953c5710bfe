import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { axeFindings } from '../../test/axe-findings.ts'
import { createChatDouble } from '../../test/chat-double.ts'
import { assistant, decided } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import { notTaken } from '../../test/scenes/delivery.ts'

const words = (): string => slotElement('tool-call').innerText.replaceAll(/\s+/g, ' ').trim()
const alert = (): string => slotElement('ask').querySelector('[role=alert]')?.textContent ?? ''
const payloads = ({ calls }: ReturnType<typeof createChatDouble>) =>
  calls.filter(({ method }) => method === 'runPluginCommand').map(({ args }) => args[2])

describe('a call whose server did not take the decision', () => {
  test('has no receipt, says why, and can be denied', async () => {
    const asks = notTaken('closed', 'Not after six.')
    const double = createChatDouble({
      requestState: 'processing',
      messages: [assistant('a1', decided(asks, true))],
    })
    await mountChat(double)
    expect(words()).toContain('Approved')
    double.set({ requestState: 'paused' })
    double.change('a1', (message) => ({ ...message, parts: [asks] }))
    await expect.poll(() => slotElement('tool-call').dataset['density']).toBe('ask')
    expect(words()).not.toContain('Approved')
    expect(alert()).toContain('Not after six.')
    expect(await axeFindings()).toEqual([])
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await expect.poll(() => payloads(double)).toMatchObject([{ toolCallId: 'c1', outcome: 'no' }])
  })

  test('says in words of the locale that this person may not decide', async () => {
    const messages = [
      assistant('a1', notTaken('may-not-decide', 'You may not decide about deploy.')),
    ]
    await mountChat(createChatDouble({ requestState: 'paused', messages }))
    await expect.poll(alert).toContain('You’re not allowed to do this.')
    await expect.element(page.getByRole('button', { name: /^Deploy|^Approve/ })).toBeVisible()
  })
})
