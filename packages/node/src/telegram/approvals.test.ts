import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  ADA,
  BEN,
  GROUP,
  openHarness,
  type ChannelHarness,
} from '../../test/telegram/channel-harness.ts'
import type { Inbox } from '../worker/inbox.ts'
import type { WaitingCall } from '../worker/task-waiting.ts'
import type { TelegramChannelOptions } from './telegram-channel.ts'

let harness: ChannelHarness

beforeEach(async () => {
  harness = await openHarness()
})

afterEach(() => harness.close())

/** A message of Ada that has come to a question about a call. */
async function askAda(
  call: Partial<WaitingCall> = {},
  options: Partial<TelegramChannelOptions> = {},
) {
  const { api } = harness
  const ada = api.person(ADA)
  await harness.start(options)
  ada.says('Write it down')
  await harness.until(async () => (await harness.tasks()).length === 1)
  const claim = await harness.claim()
  await harness.park(claim, [call])
  await harness.until(() => api.shown(ADA).some(({ buttons }) => buttons.length > 0))
  return { ada, claim, taskId: claim.task.id, question: harness.last(ADA) }
}

describe('a question', () => {
  it('shows what would be done, how risky that is and why it asks, and has buttons', async () => {
    const { question } = await askAda({
      summary: 'Write “notes.md”',
      risk: 'write',
      reason: 'it changes a file',
      preview: { kind: 'diff', files: [{ path: 'notes.md', before: 'a\n', after: 'b\n' }] },
    })
    expect(question.text).toContain('Write “notes.md”')
    expect(question.text).toContain('Tool: write · changes something')
    expect(question.text).toContain('Why I ask: it changes a file')
    expect(question.text).toContain('-a\n+b')
    expect(question.entities).toContainEqual(
      expect.objectContaining({ type: 'pre', language: 'diff' }),
    )
    expect(question.buttons.flat().map(({ text }) => text)).toEqual(['Approve', 'Always …', 'Deny'])
  })

  it('hands a yes to its task once, and becomes a receipt without buttons', async () => {
    const { ada, taskId, question } = await askAda({ summary: 'Write “notes.md”' })
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
          decisions: [{ toolCallId: 'call-0', messageId: 'answer-1', step: 1, outcome: 'yes' }],
          by: 'Ada (telegram:11)',
        },
      ],
    })
  })

  it('takes the same decision again for nothing, and refuses another one', async () => {
    const { ada, taskId, question } = await askAda()
    const [approve, , deny] = question.buttons.flat()
    ada.forges(question.id, approve!.callback_data)
    const same = ada.forges(question.id, approve!.callback_data)
    const other = ada.forges(question.id, deny!.callback_data)
    await harness.until(() => harness.api.answerOf(other) !== undefined)
    expect(harness.api.answerOf(same)?.text).toBe('That was decided just so already.')
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
    expect(api.answerOf(refused)).toEqual({ text: 'You may not decide about this.', isAlert: true })
    expect((await harness.tasks())[0]?.state).toBe('parked')
    ada.presses(question.id, 'Deny')
    await harness.until(() => question.buttons.length === 0)
    expect(question.text).toContain('✗ Denied by Ada')
  })

  it('is denied with a reason by a reply to it', async () => {
    const { ada, taskId, question } = await askAda()
    ada.repliesTo(question.id, 'Not on a Friday')
    await harness.until(() => question.buttons.length === 0)
    expect(question.text).toContain('Said: Not on a Friday')
    expect((await harness.inbox.get(taskId))?.answers).toMatchObject([
      { decisions: [{ outcome: 'no', reason: 'Not on a Friday' }] },
    ])
    expect(await harness.tasks()).toHaveLength(1)
    ada.repliesTo(question.id, 'On second thoughts')
    await harness.until(() => harness.last(ADA).text.includes('I have not passed your words on'))
    expect(await harness.tasks()).toHaveLength(1)
  })

  it('is allowed for always with what that covers', async () => {
    const { ada, taskId, question } = await askAda()
    ada.presses(question.id, 'Always')
    await harness.until(() => question.buttons.length === 3)
    ada.presses(question.id, 'Back')
    await harness.until(() => question.buttons.length === 2)
    ada.presses(question.id, 'Always')
    await harness.until(() => question.buttons.length === 3)
    ada.presses(question.id, 'Always exactly this')
    await harness.until(() => question.buttons.length === 0)
    expect(question.text).toContain('Holds for exactly this.')
    expect((await harness.inbox.get(taskId))?.answers).toMatchObject([
      { decisions: [{ outcome: 'yes_always', scope: { covers: 'input' } }] },
    ])
  })

  it('asks twice about what cannot be undone, and never allows it for always', async () => {
    const { ada, taskId, question } = await askAda({ risk: 'destroy' })
    const labels = () => question.buttons.flat().map(({ text }) => text)
    expect(labels()).toEqual(['Approve', 'Deny'])
    const token = question.buttons[0]![0]!.callback_data.split(':')[0]
    const skipped = ada.forges(question.id, `${token}:sure`)
    const always = ada.forges(question.id, `${token}:always-tool`)
    await harness.until(() => harness.api.answerOf(always) !== undefined)
    expect(harness.api.answerOf(skipped)?.text).toBe('Press Approve first.')
    expect(harness.api.answerOf(always)?.text).toBe('This cannot be allowed for always.')
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
    const { ada, taskId, question } = await askAda()
    const approve = question.buttons[0]![0]!.callback_data
    await harness.pass(24 * 3_600_000)
    await harness.until(() => question.buttons.length === 0)
    expect(question.text).toContain('Nobody decided in time')
    expect((await harness.inbox.get(taskId))?.answers).toMatchObject([
      {
        decisions: [{ outcome: 'no', reason: 'Nobody decided about this in time.' }],
        by: 'telegram',
      },
    ])
    const late = ada.forges(question.id, approve)
    await harness.until(() => harness.api.answerOf(late) !== undefined)
    expect(harness.api.answerOf(late)).toMatchObject({ isAlert: true })
    expect((await harness.inbox.get(taskId))?.answers).toHaveLength(1)
  })

  it('says so when its task is over, or was decided elsewhere', async () => {
    const { ada, claim, question } = await askAda()
    const approve = question.buttons[0]![0]!.callback_data
    await harness.inbox.answer(claim.task.id, { abort: {} })
    await harness.inbox.complete(await harness.claim())
    await harness.until(() => question.buttons.length === 0)
    expect(question.text).toContain('This does not wait any more')
    const late = ada.forges(question.id, approve)
    await harness.until(() => harness.api.answerOf(late) !== undefined)
    expect(harness.api.answerOf(late)).toMatchObject({ isAlert: true })
  })

  it('that was decided elsewhere says so, while others of its task wait on', async () => {
    const { api } = harness
    api.person(ADA).says('Write two')
    await harness.start()
    await harness.until(async () => (await harness.tasks()).length === 1)
    const calls = [{ toolCallId: 'a' }, { toolCallId: 'b' }]
    const claim = await harness.claim()
    await harness.park(claim, calls)
    await harness.until(() => api.shown(ADA).length === 2)
    await harness.inbox.answer(claim.task.id, { decisions: [{ toolCallId: 'a' }] })
    await harness.park(await harness.claim(), calls.slice(1))
    const [a, b] = api.shown(ADA)
    await harness.until(() => a!.buttons.length === 0)
    expect(a!.text).toContain('This does not wait any more')
    expect(b!.buttons).toHaveLength(2)
  })

  it('is asked once per call, with one message for each, also by a channel that starts anew', async () => {
    const { api } = harness
    api.person(ADA).says('Write two')
    await harness.start()
    await harness.until(async () => (await harness.tasks()).length === 1)
    await harness.park(await harness.claim(), [{}, { toolName: 'bash' }])
    await harness.until(() => api.shown(ADA).length === 2)
    await harness.channel.stop()
    await harness.start()
    await harness.pass(60_000)
    api.person(ADA).presses(harness.last(ADA).id, 'Approve')
    await harness.until(() => harness.last(ADA).buttons.length === 0)
    expect(api.shown(ADA)).toHaveLength(2)
    expect(api.shown(ADA)[0]?.buttons).toHaveLength(2)
  })

  it('is asked again, and says why, when the decision could not be taken', async () => {
    const { ada, question, taskId } = await askAda()
    ada.presses(question.id, 'Approve')
    await harness.until(() => question.buttons.length === 0)
    const claim = await harness.claim()
    const { waitingFor } = claim.task
    const refused = [{ code: 'scope_refused', message: 'That covers too much.' }]
    await harness.inbox.park(claim, { ...(waitingFor as object), refused })
    await harness.until(() => harness.last(ADA).id !== question.id)
    const again = harness.last(ADA)
    expect(again.text).toContain('I have to ask again: That covers too much.')
    ada.presses(again.id, 'Deny')
    await harness.until(() => again.buttons.length === 0)
    expect((await harness.inbox.get(taskId))?.answers).toMatchObject([
      { decisions: [{ outcome: 'no' }] },
    ])
  })

  it('is asked again when its task was begun anew', async () => {
    const { claim, question } = await askAda()
    await harness.inbox.answer(claim.task.id, { abort: {} })
    await harness.inbox.fail(await harness.claim(), { code: 'x', message: 'Gone.' }, undefined)
    await harness.until(() => question.buttons.length === 0)
    await harness.until(() => harness.last(ADA).text === 'I could not finish this. Gone.')
    await harness.inbox.replay(claim.task.id)
    await harness.park(await harness.claim(), [{}])
    await harness.pass(60_000)
    await harness.until(() => harness.last(ADA).buttons.length > 0)
    expect(harness.last(ADA).id).not.toBe(question.id)
  })

  it('is decided once, although its task cannot be told at first', async () => {
    let failures = 1
    const inbox: Inbox = {
      ...harness.inbox,
      answer: (taskId, answer) =>
        failures-- > 0
          ? Promise.reject(new Error('database is locked'))
          : harness.inbox.answer(taskId, answer),
    }
    const { ada, taskId, question } = await askAda({}, { inbox })
    ada.presses(question.id, 'Approve')
    await harness.until(() => question.buttons.length === 0)
    expect((await harness.inbox.get(taskId))?.answers).toHaveLength(1)
    expect(harness.errors).toEqual([expect.objectContaining({ message: 'database is locked' })])
  })

  it('that came twice is decided by either of its messages, and both say so', async () => {
    const { api } = harness
    const ada = api.person(ADA)
    await harness.start()
    ada.says('Write it down')
    await harness.until(async () => (await harness.tasks()).length === 1)
    api.fail({ method: 'sendMessage', by: 'cut-after' })
    await harness.park(await harness.claim(), [{}])
    await harness.passBackoff()
    await harness.until(() => api.shown(ADA).length === 2)
    const [first, second] = api.shown(ADA)
    ada.presses(first!.id, 'Deny')
    await harness.until(() => first!.buttons.length + second!.buttons.length === 0)
    expect(first!.text).toBe(second!.text)
    expect((await harness.tasks())[0]?.answers).toHaveLength(1)
  })

  it('about an output is answered by a reply', async () => {
    const { ada, taskId, question } = await askAda({ waitsFor: 'output', toolName: 'askPerson' })
    expect(question.buttons.flat().map(({ text }) => text)).toEqual(['No answer'])
    ada.repliesTo(question.id, 'Blue')
    await harness.until(() => question.buttons.length === 0)
    expect((await harness.inbox.get(taskId))?.answers).toMatchObject([
      { outputs: [{ toolCallId: 'call-0', messageId: 'answer-1', output: 'Blue' }] },
    ])
  })

  it('that cannot be sent is denied, so that its task goes on', async () => {
    const { api } = harness
    const ada = api.person(ADA)
    await harness.start()
    ada.says('Write it down')
    await harness.until(async () => (await harness.tasks()).length === 1)
    const claim = await harness.claim()
    api.block(ADA)
    await harness.park(claim, [{}])
    await harness.until(async () => (await harness.inbox.get(claim.task.id))?.state === 'queued')
    expect((await harness.inbox.get(claim.task.id))?.answers).toMatchObject([
      { decisions: [{ outcome: 'no', reason: 'The person could not be asked about this.' }] },
    ])
    expect(harness.errors).toEqual([expect.objectContaining({ code: 'blocked' })])
  })

  it('takes no data that is not its own', async () => {
    const { ada, question, taskId } = await askAda()
    const token = question.buttons[0]![0]!.callback_data.split(':')[0]
    const stranger = harness.api.person(ADA, { groupId: GROUP })
    const queries = [
      ada.forges(question.id, 'x'.repeat(22) + ':yes'),
      ada.forges(question.id, `${token}:destroy`),
      ada.forges(question.id, ''),
      // Known in its own chat only.
      stranger.forges(question.id, `${token}:yes`),
    ]
    await harness.until(() => queries.every((query) => harness.api.answerOf(query) !== undefined))
    for (const query of queries) {
      expect(harness.api.answerOf(query)?.text).toBe('I do not know this button any more.')
    }
    expect((await harness.inbox.get(taskId))?.state).toBe('parked')
  })
})
