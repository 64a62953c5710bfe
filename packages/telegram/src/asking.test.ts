import type { Inbox } from '@assent/worker'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ADA, askAda, GROUP, openHarness, type ChannelHarness } from '../test/channel-harness.ts'

let harness: ChannelHarness

beforeEach(async () => {
  harness = await openHarness()
})

afterEach(() => harness.close())

describe('a question', () => {
  it('says so when its task is over, or was decided elsewhere', async () => {
    const { ada, claim, question } = await askAda(harness)
    const approve = question.buttons[0]![0]!.callback_data
    await harness.inbox.answer(claim.task.id, { abort: {} })
    await harness.inbox.complete(await harness.claim())
    await harness.until(() => question.buttons.length === 0)
    expect(question.text).toContain('No longer waits for you')
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
    expect(a!.text).toContain('No longer waits for you')
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

  it('is sent once, however often it is looked at meanwhile', async () => {
    const { api } = harness
    api.person(ADA).says('Write it down')
    await harness.start()
    await harness.until(async () => (await harness.tasks()).length === 1)
    api.fail({ method: 'sendMessage', by: 'hold' })
    await harness.park(await harness.claim(), [{}])
    await harness.until(() => api.heldCalls() === 1)
    await harness.pass(60_000)
    await harness.pass(60_000)
    api.release()
    await harness.until(() => api.shown(ADA).length > 0)
    api.person(ADA).presses(harness.last(ADA).id, 'Deny')
    await harness.until(() => harness.last(ADA).buttons.length === 0)
    expect(api.shown(ADA)).toHaveLength(1)
  })

  it('is asked again, and says why, when the decision could not be taken', async () => {
    const { ada, question, taskId } = await askAda(harness)
    ada.presses(question.id, 'Approve')
    await harness.until(() => question.buttons.length === 0)
    const claim = await harness.claim()
    const { waitingFor } = claim.task
    const refused = [{ code: 'scope_refused', message: 'That covers too much.' }]
    await harness.inbox.park(claim, { ...(waitingFor as object), refused })
    await harness.until(() => harness.last(ADA).id !== question.id)
    const again = harness.last(ADA)
    expect(again.text).toContain('I have to ask again: That covers too much.')
    const [line, why] = question.text.split('\n')
    expect(line).toMatch(/^✗ Not accepted: the decision by Ada, /)
    expect(why).toBe('That covers too much.')
    expect(question.buttons).toEqual([])
    ada.presses(again.id, 'Deny')
    await harness.until(() => again.buttons.length === 0)
    expect((await harness.inbox.get(taskId))?.answers).toMatchObject([
      { decisions: [{ outcome: 'no' }] },
    ])
  })

  it('is asked again when its task was begun anew', async () => {
    const { claim, question } = await askAda(harness)
    await harness.inbox.answer(claim.task.id, { abort: {} })
    await harness.inbox.fail(await harness.claim(), { code: 'x', message: 'Gone.' }, undefined)
    await harness.until(() => question.buttons.length === 0)
    await harness.until(() => harness.last(ADA).text === "I couldn't finish this. Gone.")
    await harness.inbox.replay(claim.task.id)
    await harness.park(await harness.claim(), [{}])
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
    const { ada, taskId, question } = await askAda(harness, {}, { inbox })
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
    // What was decided is said by both, and what it was about by one.
    const [short, long] = [first!.text, second!.text].toSorted((a, b) => a.length - b.length)
    expect(short).toContain('✗ Denied by Ada')
    expect(long?.startsWith(short ?? '?')).toBe(true)
    expect((await harness.tasks())[0]?.answers).toHaveLength(1)
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
      { decisions: [{ outcome: 'no', reason: "The person couldn't be asked." }] },
    ])
    expect(harness.errors).toEqual([expect.objectContaining({ code: 'blocked' })])
  })

  it('takes no data that is not its own', async () => {
    const { ada, question, taskId } = await askAda(harness)
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
      expect(harness.api.answerOf(query)?.text).toBe('This button no longer works.')
    }
    expect((await harness.inbox.get(taskId))?.state).toBe('parked')
  })
})
