import { describe, expect, it, onTestFinished } from 'vitest'
import { connect, serve } from '../test/guarded-client.ts'
import type { GuardedServerOptions, ModelStep, Refusal } from '../test/guarded-server.ts'
import { fakeBrowser, soon } from '../test/sharing/fake-browser.ts'
import { callsOf } from '../test/tool-engine.ts'
import type { ApprovalScope } from './confirmation.ts'
import type { MessageEngine, MessageEngineOptions } from './message-engine.ts'
import { assentMetadata, type ToolCallPart } from './message/tool-part.ts'
import { deriveApprovalPolicies } from './plugins/tools/policies.ts'
import { toolPlugin } from './plugins/tools/tool-plugin.ts'
import { waitingCalls } from './plugins/tools/waiting-calls.ts'
import { createSharedEngine } from './sharing/create-shared-engine.ts'
import { defineStorage } from './storage/define-storage.ts'
import { memoryStorage } from './storage/memory-storage.ts'
import { untilState } from './testing/index.ts'
import { httpTransport } from './transport/http-transport.ts'

const deploy = ['1', 'deploy', { to: 'eu' }] as const
const remove = ['2', 'remove', { to: 'us' }] as const
const steps = [[deploy], 'Done.', 'Done.', 'Done.'] satisfies ModelStep[]
const message = 'You may not decide about deploy. Nothing was run, and it still waits.'
const LATER = { baseMs: 600_000, maxMs: 600_000 }

/** The answer of a server that does not take the decisions on these calls. */
function refusalOf(
  calls: readonly ToolCallPart[],
  {
    isOpen = true,
    status = 403,
    code = 'may-not-decide',
    only = () => true,
  }: {
    isOpen?: boolean
    status?: number
    code?: string
    only?: (call: ToolCallPart) => boolean
  } = {},
): Refusal | undefined {
  const decided = calls.filter((call) => call.state === 'approval-responded' && only(call))
  const refused = decided.map(({ approval }) => ({ approvalId: approval?.id, isOpen }))
  return refused.length === 0 ? undefined : { status, error: { code, message, refused } }
}

/** A server that refuses so many requests with a decision, and engines that talk to it. */
async function setUp(
  times: number,
  how: Parameters<typeof refusalOf>[1] = {},
  options: Partial<GuardedServerOptions> = {},
) {
  let left = times
  const server = await serve({
    steps,
    ledger: new Map(),
    refuse(_count, calls) {
      const refusal = refusalOf(calls, how)
      if (!refusal || left === 0) return undefined
      left -= 1
      return refusal
    },
    ...options,
  })
  const open = (more: Partial<MessageEngineOptions> = {}) =>
    connect(server, {}, { resend: LATER, ...more })
  return { server, open }
}

const untilRefused = (engine: MessageEngine) =>
  untilState(
    engine,
    ({ requestState, messages }) =>
      requestState === 'paused' &&
      messages.some(({ parts }) =>
        parts.some((part) => 'toolCallId' in part && assentMetadata(part).refused),
      ),
  )

const asksAgain = {
  state: 'approval-requested',
  toolMetadata: { assent: { refused: { code: 'may-not-decide', message } } },
}

describe('a decision that the server of its call does not take', () => {
  it.each([
    ['yes', 403, 'may-not-decide', true],
    ['no', 403, 'may-not-decide', true],
    ['yes', 400, 'bad-approval', false],
    ['yes', 500, 'wrong-clock', false],
  ] as const)(
    'leaves the call waiting, with why, and it can be decided otherwise: %s, %i %s',
    async (outcome, status, code, isOpen) => {
      const { server, open } = await setUp(1, { status, code, isOpen })
      const { engine, resume, completed, calls, errors } = open()
      await engine.sendMessage('go')
      const [asked] = calls()
      await resume({ toolCallId: '1', outcome })
      await untilRefused(engine)
      const [call] = calls()
      expect(call).toMatchObject({ state: 'approval-requested' })
      expect(call?.approval).toEqual(asked?.approval)
      expect(assentMetadata(call!)).toEqual({
        ...assentMetadata(asked!),
        refused: { code, message },
      })
      expect(engine.getState()).toMatchObject({
        error: undefined,
        turn: {
          step: 1,
          pauseReason: { type: 'approval', toolCalls: [{ toolCallId: '1' }] },
          unsent: [],
          underWay: [],
        },
      })
      expect(engine.getState().turn?.sending).toBeUndefined()
      expect(waitingCalls(engine.getState())).toMatchObject([{ toolCallId: '1' }])
      expect(errors).toMatchObject([
        { code: 'decision_refused', message, details: { code, toolCalls: [{ toolCallId: '1' }] } },
      ])
      expect(server.bodies).toHaveLength(2)

      const other = outcome === 'yes' ? 'no' : 'yes'
      expect(await resume({ toolCallId: '1', outcome: other })).toMatchObject({ success: true })
      await completed()
      expect(server.effects).toEqual(other === 'yes' ? ['deploy eu'] : [])
      expect(calls()).toMatchObject([
        { state: other === 'yes' ? 'output-available' : 'output-denied' },
      ])
      expect(assentMetadata(calls()[0]!).refused).toBeUndefined()
    },
  )

  it('can be given again as often as it is refused', async () => {
    const { server, open } = await setUp(2)
    const { engine, resume, completed } = open()
    await engine.sendMessage('go')
    for (const _ of [1, 2]) {
      expect(await resume({ toolCallId: '1' })).toMatchObject({ success: true })
      await untilRefused(engine)
    }
    await resume({ toolCallId: '1' })
    await completed()
    expect(server.effects).toEqual(['deploy eu'])
  })

  it('stays in the history, with a record that it was not taken', async () => {
    const { open } = await setUp(1)
    const { engine, resume, completed } = open()
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', reason: 'fine' })
    await untilRefused(engine)
    await resume({ toolCallId: '1', outcome: 'no' })
    await completed()
    const { confirmations } = engine.getState()
    expect(confirmations).toMatchObject([
      { outcome: 'yes', reason: 'fine', toolCallId: '1' },
      { event: 'refused', policyId: confirmations[0]?.id, toolCallId: '1' },
      { outcome: 'no', toolCallId: '1' },
    ])
  })

  it.each<ApprovalScope>([{ covers: 'tool' }, { covers: 'tool', where: 'everywhere' }])(
    'gives no standing permission, nor lets what it covered be approved: %o',
    async (scope) => {
      const both = { steps: [[deploy, ['2', 'deploy', { to: 'us' }]], 'Done.'] } as const
      const { server, open } = await setUp(
        1,
        { only: ({ toolCallId }) => toolCallId === '1' },
        both,
      )
      const { engine, resume, calls } = open()
      await engine.sendMessage('go')
      await resume({ toolCallId: '1', outcome: 'yes_always', scope })
      await untilRefused(engine)
      const { confirmations } = engine.getState()
      const policies = deriveApprovalPolicies(confirmations, { now: Date.now() })
      expect(policies).toMatchObject([{ status: 'void' }])
      expect(calls()).toMatchObject([asksAgain, { state: 'approval-requested' }])
      expect(server.bodies).toHaveLength(2)
    },
  )

  it('is not given again by a standing permission', async () => {
    const twice = { steps: [[deploy], 'Done.', [['3', 'deploy', { to: 'eu' }]], 'Done.'] } as const
    const { server, open } = await setUp(9, { only: ({ toolCallId }) => toolCallId === '3' }, twice)
    const { engine, resume, completed, calls } = open()
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await completed()
    await engine.sendMessage('again')
    await untilRefused(engine)
    expect(calls().at(-1)).toMatchObject(asksAgain)
    expect(server.bodies).toHaveLength(4)
    const { confirmations } = engine.getState()
    const policies = deriveApprovalPolicies(confirmations, { now: Date.now() })
    expect(policies).toMatchObject([{ status: 'standing', uses: 1 }])
  })

  it('is made anew alone: what was decided beside it is sent with it', async () => {
    const both = { steps: [[deploy, remove], 'Done.'] } as const
    const { server, open } = await setUp(1, { only: ({ toolCallId }) => toolCallId === '1' }, both)
    const { engine, resume, completed, calls } = open()
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await resume({ toolCallId: '2' })
    await untilRefused(engine)
    expect(calls()).toMatchObject([asksAgain, { state: 'approval-responded' }])
    expect(engine.getState().turn).toMatchObject({ unsent: [{ toolCallId: '2' }], underWay: [] })
    await resume({ toolCallId: '1', outcome: 'no' })
    await completed()
    expect(server.effects).toEqual(['remove us'])
  })

  it('leaves a call that an abort says did not run', async () => {
    const { open } = await setUp(1)
    const { engine, resume, calls } = open()
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await untilRefused(engine)
    await engine.abort()
    expect(calls()).toMatchObject([
      { state: 'output-error', errorText: 'Aborted before it was decided; it did not run.' },
    ])
  })
})

describe('a decision that is refused in a conversation that is kept', () => {
  it('leaves the call waiting for the next page, too, and gives no permission there', async () => {
    const { server, open } = await setUp(1)
    const disk = memoryStorage()
    const kept = () => ({ id: 'chat', storage: defineStorage(disk) })
    const first = open(kept())
    await first.engine.sendMessage('go')
    await first.resume({ toolCallId: '1', outcome: 'yes_always', scope: { where: 'everywhere' } })
    await untilRefused(first.engine)
    first.engine.dispose()

    const { engine, resume, completed, calls } = open(kept())
    await engine.ready
    expect(engine.getState()).toMatchObject({ requestState: 'paused', error: undefined })
    expect(calls()).toMatchObject([asksAgain])
    const other = open({ id: 'another', storage: defineStorage(disk) })
    await other.engine.ready
    const { confirmations } = other.engine.getState()
    expect(confirmations).toHaveLength(2)
    expect(deriveApprovalPolicies(confirmations, { now: Date.now() })).toMatchObject([
      { status: 'void' },
    ])
    await resume({ toolCallId: '1', outcome: 'no' })
    await completed()
    expect(server.effects).toEqual([])
  })

  it.each([
    ['with a ledger', new Map<string, string>()],
    ['without a ledger', undefined],
  ] as const)(
    'waits again after its page was left while it was sent, once the server says so: %s',
    async (_, ledger) => {
      const { server, open } = await setUp(
        1,
        {},
        { ledger, faultOf: (count) => (count === 2 ? 'lost-unread' : undefined) },
      )
      const disk = memoryStorage()
      const kept = (storage = disk) => ({ id: 'chat', storage: defineStorage(storage) })
      const first = open(kept())
      await first.engine.sendMessage('go')
      const reached = server.request(2)
      await first.resume({ toolCallId: '1' })
      await reached
      const left = memoryStorage(disk.snapshot())
      first.engine.dispose()

      const { engine, resume, completed, calls } = open(kept(left))
      await engine.ready
      if (!ledger) void engine.retry()
      await untilRefused(engine)
      expect(calls()).toMatchObject([asksAgain])
      await resume({ toolCallId: '1', outcome: 'no' })
      await completed()
      expect(server.effects).toEqual([])
    },
  )

  it('is not said to be untaken when an earlier request may have brought it', async () => {
    const { server, open } = await setUp(0, undefined, {
      ledger: undefined,
      faultOf: (count) => (count === 2 ? 'lost-after-run' : undefined),
      refuse: (count, calls) => (count === 3 ? refusalOf(calls, { isOpen: false }) : undefined),
    })
    const { engine, resume, calls } = open()
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await untilState(engine, ({ requestState }) => requestState === 'error')
    expect(server.effects).toEqual(['deploy eu'])
    expect(await engine.retry()).toMatchObject({
      requestState: 'error',
      error: { code: 'decision_unanswered' },
    })
    expect(calls()).toMatchObject([{ state: 'approval-responded' }])
    expect(calls()[0]).not.toHaveProperty('toolMetadata.assent.refused')
  })

  it('waits again in a page that was left with the refusal as its error', async () => {
    const { server, open } = await setUp(0, {}, { refuse: refusingAs(1) })
    const { engine, resume, calls } = open()
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await untilState(engine, ({ requestState }) => requestState === 'error')
    expect(await engine.retry()).toMatchObject({ requestState: 'paused' })
    expect(calls()).toMatchObject([asksAgain])
    expect(server.effects).toEqual([])
  })
})

describe('a decision that is refused, in several engines', () => {
  it('leaves the call waiting in each tab, and in the one that takes over', async () => {
    const { server } = await setUp(1)
    const browser = fakeBrowser(soon)
    const storage = defineStorage(memoryStorage())
    const openTab = () => {
      const { locks, channel } = browser.open()
      const engine = createSharedEngine({
        id: 'chat',
        transport: httpTransport({ api: server.origin }),
        plugins: [toolPlugin()],
        storage,
        onError: () => undefined,
        locks,
        channel,
      })
      onTestFinished(() => engine.dispose())
      return engine
    }
    const holder = openTab()
    await holder.ready
    const mirror = openTab()
    await mirror.ready
    expect([holder.role(), mirror.role()]).toEqual(['holder', 'mirror'])
    const decide = (outcome: 'yes' | 'no') =>
      mirror.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1', outcome })
    await holder.sendMessage('go')
    await untilState(mirror, ({ requestState }) => requestState === 'paused')
    expect(await decide('yes')).toMatchObject({ success: true })
    await Promise.all([untilRefused(holder), untilRefused(mirror)])
    expect(callsOf(mirror.getState().messages)).toMatchObject([asksAgain])
    holder.dispose()
    await expect.poll(() => mirror.role()).toBe('holder')
    expect(callsOf(mirror.getState().messages)).toMatchObject([asksAgain])
    expect(await decide('no')).toMatchObject({ success: true })
    await untilState(mirror, ({ requestState }) => requestState === 'completed')
    expect(callsOf(mirror.getState().messages)).toMatchObject([{ state: 'output-denied' }])
    expect(server.effects).toEqual([])
  })

  it('leaves the call waiting for another engine on the same store, which is shown that', async () => {
    const { server, open } = await setUp(1)
    const storage = defineStorage(memoryStorage())
    const one = open({ id: 'chat', storage })
    await one.engine.sendMessage('go')
    const two = open({ id: 'chat', storage })
    await untilState(two.engine, ({ requestState }) => requestState === 'paused')
    await two.resume({ toolCallId: '1' })
    await untilRefused(two.engine)
    // It knows nothing of that so far.
    await one.resume({ toolCallId: '1' })
    await untilRefused(one.engine)
    expect(one.calls()).toMatchObject([asksAgain])
    expect(server.bodies).toHaveLength(2)
    expect(await one.resume({ toolCallId: '1', outcome: 'no' })).toMatchObject({ success: true })
    await one.completed()
    expect(one.calls()).toMatchObject([{ state: 'output-denied' }])
    expect(server.effects).toEqual([])
  })
})

/** Refuses the first decision as servers did that said nothing of which it was, and the next as they do now. */
function refusingAs(former: number): GuardedServerOptions['refuse'] {
  let count = 0
  return (_, calls) => {
    const refusal = refusalOf(calls)
    if (!refusal) return undefined
    count += 1
    const { refused: _refused, ...error } = refusal.error
    return count > former ? refusal : { ...refusal, error }
  }
}
