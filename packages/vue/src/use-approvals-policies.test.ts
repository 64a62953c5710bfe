import type { ConfirmationRecord } from '@assent/engine'
import { answer, untilState } from '@assent/engine/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { effectScope, nextTick, ref } from 'vue'
import { approvalScene, calls, type ApprovalScene } from './testing/approval-scene.ts'
import { useApprovals } from './use-approvals.ts'

const NOON = Date.UTC(2026, 4, 12, 12)
const scenes: ApprovalScene[] = []

beforeEach(() => {
  vi.useFakeTimers({ now: NOON })
})
afterEach(() => {
  for (const { scope } of scenes.splice(0)) scope.stop()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function setScene(...options: Parameters<typeof approvalScene>): ApprovalScene {
  const scene = approvalScene(...options)
  scenes.push(scene)
  return scene
}

const completed = ({ chat }: ApprovalScene) =>
  untilState(chat.engine.value, ({ requestState }) => requestState === 'completed')

/** An always for all writes, given in another conversation. */
function given(policy: Partial<ConfirmationRecord> = {}): ConfirmationRecord {
  return {
    id: 'given',
    conversationId: 'other',
    messageId: 'm',
    step: 1,
    toolCallId: 'c',
    toolName: 'write',
    fingerprint: '0'.repeat(64),
    at: NOON - 1000,
    outcome: 'yes_always',
    scope: { covers: 'tool', where: 'everywhere' },
    ...policy,
  } as ConfirmationRecord
}

describe('a standing permission', () => {
  test('is listed with where it comes from, what it covers and how often it was used', async () => {
    const scene = setScene({
      script: [calls('list:x'), calls('write:a'), calls('write:b'), answer('Done')],
      engine: { id: 'here' },
    })
    const { chat, approvals, effects } = scene
    await chat.sendMessage('Go')
    const [call] = approvals.waiting.value
    const over = completed(scene)
    vi.setSystemTime(NOON + 5)
    await approvals.decide(call!, {
      outcome: 'yes_always',
      scope: { covers: 'tool', uses: 3, until: NOON + 6e4 },
    })
    await over
    expect(effects).toEqual(['x', 'a', 'b'])
    expect(approvals.policies.value).toEqual([
      {
        id: expect.any(String),
        toolName: 'write',
        scope: { covers: 'tool', uses: 3, until: NOON + 6e4 },
        where: 'conversation',
        since: NOON + 5,
        until: NOON + 6e4,
        uses: 1,
        usesLeft: 2,
        isSuspended: false,
        origin: {
          conversationId: 'here',
          messageId: call!.messageId,
          step: 2,
          toolCallId: 'write:a',
          summary: 'Write a',
        },
      },
    ])
  })

  test('for everywhere comes from the option `confirmations`, and holds here', async () => {
    const first = setScene({ script: [calls('write:a')], engine: { id: 'first' } })
    await first.chat.sendMessage('Go')
    const scope = { covers: 'tool', where: 'everywhere' } as const
    await first.approvals.decide(first.approvals.waiting.value[0]!, {
      outcome: 'yes_always',
      scope,
    })
    const { confirmations } = first.chat.engine.value.getState()

    const scene = setScene({
      script: [calls('write:b'), answer('Done')],
      engine: { confirmations: ref(confirmations) },
    })
    expect(scene.approvals.policies.value).toMatchObject([
      {
        where: 'everywhere',
        until: undefined,
        uses: 0,
        usesLeft: undefined,
        origin: { conversationId: 'first', toolCallId: 'write:a', summary: undefined },
      },
    ])
    expect(await scene.chat.sendMessage('Go')).toMatchObject({ requestState: 'completed' })
    expect(scene.effects).toEqual(['b'])
    expect(scene.approvals.policies.value).toMatchObject([{ uses: 1 }])
  })

  test('of another conversation does not take the sentence of a call of this one', async () => {
    const first = setScene({ script: [calls('write:a')], engine: { id: 'first' } })
    await first.chat.sendMessage('Go')
    const [call] = first.approvals.waiting.value
    await first.approvals.decide(call!, {
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'everywhere' },
    })
    const { messages, confirmations } = first.chat.engine.value.getState()
    const origins = (id: string) =>
      setScene({
        script: [],
        engine: { id, messages, confirmations },
      }).approvals.policies.value.map(({ origin }) => origin.summary)
    expect(origins('first')).toEqual(['Write a'])
    expect(origins('copy')).toEqual([undefined])
  })

  test('that is not for everywhere is none in another conversation', () => {
    const { approvals } = setScene({
      script: [],
      engine: { confirmations: [given({ scope: {} })] },
    })
    expect(approvals.policies.value).toEqual([])
  })

  test('is gone when its time has come, by one timer for the next of them', async () => {
    const until = (ms: number) => ({
      scope: { covers: 'tool', where: 'everywhere', until: NOON + ms } as const,
    })
    const { approvals, scope } = setScene({
      script: [],
      engine: {
        confirmations: [
          given({ id: 'over', ...until(-1) }),
          given({ id: 'far', ...until(2 ** 31 + 6e4) }),
          given({ id: 'near', ...until(6e4) }),
        ],
      },
    })
    const ids = () => approvals.policies.value.map(({ id }) => id)
    expect(ids()).toEqual(['far', 'near'])
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(6e4 - 1)
    expect(ids()).toEqual(['far', 'near'])
    vi.advanceTimersByTime(1)
    expect(ids()).toEqual(['far'])
    await nextTick()
    expect(vi.getTimerCount()).toBe(1)
    // Further away than timers reach.
    await vi.advanceTimersByTimeAsync(2 ** 31 - 1)
    expect(ids()).toEqual(['far'])
    await vi.advanceTimersByTimeAsync(1)
    expect(ids()).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
    scope.stop()
  })

  test('leaves no timer behind when its scope ends', () => {
    const { approvals, scope } = setScene({
      script: [],
      engine: {
        confirmations: [
          given({ scope: { covers: 'tool', where: 'everywhere', until: NOON + 6e4 } }),
        ],
      },
    })
    expect(approvals.policies.value).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(1)
    scope.stop()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is taken back: what it covers asks again', async () => {
    const scene = setScene({
      script: [calls('write:a')],
      engine: { confirmations: [given()] },
    })
    const { revoke, policies, count } = scene.approvals
    expect(await revoke('given')).toEqual({
      success: true,
      result: { policyId: 'given', asked: [] },
    })
    scene.chat.engine.value.flush()
    expect(policies.value).toEqual([])
    expect(await revoke('never')).toMatchObject({ error: { code: 'unknown_policy' } })
    expect(await scene.chat.sendMessage('Go')).toMatchObject({ requestState: 'paused' })
    expect(count.value).toBe(1)
    expect(scene.effects).toEqual([])
  })

  test('is thought through on past calls before it is given', async () => {
    const scene = setScene({ script: [calls('write:a', 'write:b'), calls('write:c')] })
    const { waiting, decide, decideAll, explain } = scene.approvals
    await scene.chat.sendMessage('Go')
    await decide(waiting.value[0]!, { outcome: 'no' })
    const asked = untilState(scene.chat.engine.value, ({ turn }) => turn?.step === 2)
    await decideAll('yes')
    await asked
    await untilState(scene.chat.engine.value, ({ requestState }) => requestState === 'paused')
    expect(explain({ toolName: 'write', scope: {} })).toMatchObject({
      total: 2,
      matched: [{ toolCallId: 'write:a' }, { toolCallId: 'write:b' }],
      denied: [{ toolCallId: 'write:a' }],
    })
    expect(
      explain({ toolName: 'write', scope: { covers: 'input' }, input: { file: 'b' } }),
    ).toMatchObject({ total: 2, matched: [{ toolCallId: 'write:b' }], denied: [] })
  })
})

test('a request of a server that expires is not among those to approve from then on', async () => {
  const scene = setScene({ script: [] })
  const held = scene.transport.hold()
  const paused = scene.chat.sendMessage('Go')
  await held.push(
    { type: 'start' },
    { type: 'start-step' },
    { type: 'tool-input-available', toolCallId: 's', toolName: 'send', input: {} },
    {
      type: 'tool-approval-request',
      approvalId: 'approval',
      toolCallId: 's',
      approvalDescriptor: { expiresAt: NOON + 6e4 },
    },
    { type: 'finish-step' },
    { type: 'finish', finishReason: 'tool-calls' },
  )
  held.end()
  await paused
  expect(scene.approvals.approvable.value).toHaveLength(1)
  await nextTick()
  vi.advanceTimersByTime(6e4)
  expect(scene.approvals.approvable.value).toEqual([])
  expect(scene.approvals.waiting.value).toHaveLength(1)
})

test('goes by the given clock', () => {
  const { chat } = setScene({
    script: [],
    engine: {
      confirmations: [given({ scope: { covers: 'tool', where: 'everywhere', until: NOON } })],
    },
  })
  const scope = effectScope()
  const { policies } = scope.run(() => useApprovals(chat, { now: () => NOON - 1 }))!
  expect(policies.value).toHaveLength(1)
  scope.stop()
})

test('warns where no scope is active', () => {
  const { chat } = setScene({ script: [] })
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  useApprovals(chat)
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('useApprovals() was called where no'))
})
