import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  ADA,
  askAda,
  BEN,
  GROUP,
  openHarness,
  type ChannelHarness,
} from '../test/channel-harness.ts'

let harness: ChannelHarness

beforeEach(async () => {
  harness = await openHarness()
})

afterEach(() => harness.close())

describe('a question', () => {
  it('shows what would be done, how risky that is and why it asks, and has buttons', async () => {
    const { question } = await askAda(harness, {
      summary: 'Write “notes.md”',
      risk: 'write',
      requestReason: 'it changes a file',
      preview: { kind: 'diff', files: [{ path: 'notes.md', before: 'a\n', after: 'b\n' }] },
    })
    expect(question.text).toContain('Write “notes.md”')
    expect(question.text).toContain('Tool: write · changes data')
    expect(question.text).toContain('Why I ask: it changes a file')
    expect(question.text).toContain('-a\n+b')
    expect(question.entities).toContainEqual(
      expect.objectContaining({ type: 'pre', language: 'diff' }),
    )
    expect(question.buttons.flat().map(({ text }) => text)).toEqual(['Approve', 'Always …', 'Deny'])
  })

  it('hands a yes to its task once, and becomes a receipt without buttons', async () => {
    const call = { summary: 'Write “notes.md”', fingerprint: 'f1' }
    const { ada, taskId, question } = await askAda(harness, call)
    const query = ada.presses(question.id, 'Approve')
    await harness.until(
      () => question.buttons.length === 0 && harness.api.answerOf(query) !== undefined,
    )
    expect(question.text).toContain('✓ Approved by Ada, 21 Nov 2026, 09:00 UTC')
    expect(question.text).toContain('Write “notes.md”')
    expect(harness.api.answerOf(query)).toEqual({ text: 'Noted.', isAlert: false })
    const task = await harness.inbox.get(taskId)
    expect(task).toMatchObject({
      state: 'queued',
      answers: [
        {
          decisions: [
            {
              toolCallId: 'call-0',
              messageId: 'answer-1',
              step: 1,
              fingerprint: 'f1',
              outcome: 'yes',
            },
          ],
          by: 'Ada (telegram:11)',
          user: 'telegram:11',
        },
      ],
    })
  })

  it('takes the same decision again for nothing, and refuses another one', async () => {
    const { ada, taskId, question } = await askAda(harness)
    const [approve, , deny] = question.buttons.flat()
    ada.forges(question.id, approve!.callback_data)
    const same = ada.forges(question.id, approve!.callback_data)
    const other = ada.forges(question.id, deny!.callback_data)
    await harness.until(() => harness.api.answerOf(other) !== undefined)
    expect(harness.api.answerOf(same)?.text).toBe('Already decided that way.')
    expect(harness.api.answerOf(other)).toEqual({ text: 'Already decided by Ada.', isAlert: true })
    expect((await harness.inbox.get(taskId))?.answers).toHaveLength(1)
  })

  it('is decided by those who may only: others get an alert', async () => {
    const { api } = harness
    const [ada, ben] = [
      api.person(ADA, { groupId: GROUP }),
      api.person(BEN, { groupId: GROUP, name: 'Ben' }),
    ]
    await harness.start()
    ben.says('@helper_bot write it down')
    await harness.until(async () => (await harness.tasks()).length === 1)
    await harness.park(await harness.claim(), [{}])
    await harness.until(() => api.shown(GROUP).length === 1)
    const question = harness.last(GROUP)
    const refused = ben.presses(question.id, 'Approve')
    await harness.until(() => api.answerOf(refused) !== undefined)
    expect(api.answerOf(refused)).toEqual({ text: "You can't decide this.", isAlert: true })
    expect((await harness.tasks())[0]?.state).toBe('parked')
    ada.presses(question.id, 'Deny')
    await harness.until(() => question.buttons.length === 0)
    expect(question.text).toContain('✗ Denied by Ada')
  })

  it('is denied with a reason by a reply to it', async () => {
    const { ada, taskId, question } = await askAda(harness)
    ada.repliesTo(question.id, 'Not on a Friday')
    await harness.until(() => question.buttons.length === 0)
    expect(question.text).toContain('“Not on a Friday”')
    expect((await harness.inbox.get(taskId))?.answers).toMatchObject([
      { decisions: [{ outcome: 'no', reason: 'Not on a Friday' }] },
    ])
    expect(await harness.tasks()).toHaveLength(1)
    ada.repliesTo(question.id, 'On second thoughts')
    await harness.until(() => harness.last(ADA).text.includes("I didn't pass your reply on"))
    expect(await harness.tasks()).toHaveLength(1)
  })

  it('is allowed for always with what that covers', async () => {
    const { ada, taskId, question } = await askAda(harness)
    ada.presses(question.id, 'Always')
    await harness.until(() => question.buttons.length === 3)
    ada.presses(question.id, 'Back')
    await harness.until(() => question.buttons.length === 2)
    ada.presses(question.id, 'Always')
    await harness.until(() => question.buttons.length === 3)
    ada.presses(question.id, 'Always, exactly this')
    await harness.until(() => question.buttons.length === 0)
    expect(question.text).toContain("I won't ask again before exactly this in this conversation.")
    expect((await harness.inbox.get(taskId))?.answers).toMatchObject([
      { decisions: [{ outcome: 'yes_always', scope: { covers: 'input' } }] },
    ])
  })

  it('asks twice about what cannot be undone, and never allows it for always', async () => {
    const { ada, taskId, question } = await askAda(harness, { risk: 'destroy' })
    const labels = () => question.buttons.flat().map(({ text }) => text)
    expect(labels()).toEqual(['Approve', 'Deny'])
    const token = question.buttons[0]![0]!.callback_data.split(':')[0]
    const skipped = ada.forges(question.id, `${token}:sure`)
    const always = ada.forges(question.id, `${token}:always-tool`)
    await harness.until(() => harness.api.answerOf(always) !== undefined)
    expect(harness.api.answerOf(skipped)?.text).toBe('Press Approve first.')
    expect(harness.api.answerOf(always)?.text).toBe("This can't be always allowed.")
    ada.presses(question.id, 'Approve')
    await harness.until(() => labels().includes('Back'))
    expect((await harness.inbox.get(taskId))?.state).toBe('parked')
    ada.presses(question.id, 'Yes, do it')
    await harness.until(() => question.buttons.length === 0)
    expect((await harness.inbox.get(taskId))?.answers).toMatchObject([
      { decisions: [{ outcome: 'yes' }] },
    ])
  })

  it('that nobody decides about in time is denied, and says so', async () => {
    const { ada, taskId, question } = await askAda(harness)
    const approve = question.buttons[0]![0]!.callback_data
    await harness.pass(24 * 3_600_000)
    await harness.until(() => question.buttons.length === 0)
    expect(question.text).toContain('nobody decided in time')
    expect((await harness.inbox.get(taskId))?.answers).toMatchObject([
      {
        decisions: [{ outcome: 'no', reason: 'Nobody decided in time.' }],
        by: 'telegram',
      },
    ])
    const late = ada.forges(question.id, approve)
    await harness.until(() => harness.api.answerOf(late) !== undefined)
    expect(harness.api.answerOf(late)).toMatchObject({ isAlert: true })
    expect((await harness.inbox.get(taskId))?.answers).toHaveLength(1)
  })

  it('about an output is answered by a reply', async () => {
    const { ada, taskId, question } = await askAda(harness, {
      kind: 'output',
      toolName: 'askPerson',
    })
    expect(question.buttons.flat().map(({ text }) => text)).toEqual(['No answer'])
    ada.repliesTo(question.id, 'Blue')
    await harness.until(() => question.buttons.length === 0)
    expect((await harness.inbox.get(taskId))?.answers).toMatchObject([
      { outputs: [{ toolCallId: 'call-0', messageId: 'answer-1', output: 'Blue' }] },
    ])
  })
})
