import { afterEach, describe, expect, it, vi } from 'vitest'
import { connect, serve } from '../test/guarded-client.ts'
import type { Fault, GuardedServerOptions } from '../test/guarded-server.ts'
import { callsOf } from '../test/tool-engine.ts'
import { createMessageEngine } from './engine.ts'
import { EngineError } from './errors.ts'
import type { MessageEngine, MessageEngineOptions } from './message-engine.ts'
import { LEDGER_CHUNK } from './message/apply-decision.ts'
import { assentMetadata, toolCallStatus } from './message/tool-part.ts'
import { toolPlugin } from './plugins/tools/tool-plugin.ts'
import { defineStorage } from './storage/define-storage.ts'
import { memoryStorage } from './storage/memory-storage.ts'
import {
  answer,
  approvalRequestChunks,
  responseChunks,
  scriptedTransport,
  stepChunks,
  toolCallChunks,
  toolErrorChunks,
  toolOutputChunks,
  untilState,
  type ScriptedAnswer,
} from './testing/index.ts'

const deploy = ['1', 'deploy', { to: 'eu' }] as const
const steps = [[deploy], ...Array.from({ length: 9 }, () => 'Deployed.')]
const QUICK = { baseMs: 1, maxMs: 4 }
const NEVER = { baseMs: 600_000, maxMs: 600_000 }

/** A server with a ledger, of which these requests fail, and engines that talk to it. */
async function setUp(
  faults: Readonly<Record<number, Fault>> = {},
  options: Partial<GuardedServerOptions> = {},
) {
  const ledger = new Map<string, string>()
  const server = await serve({ steps, ledger, faultOf: (count) => faults[count], ...options })
  const open = (more: Partial<MessageEngineOptions> = {}) =>
    connect(server, {}, { resend: QUICK, ...more })
  return { server, open }
}

const untilFailed = (engine: MessageEngine, failures = 1) =>
  untilState(engine, ({ turn }) => (turn?.sending?.failures ?? 0) >= failures)

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('a decision on a call of a server that has a ledger', () => {
  it.each(['refused', 'lost-unread', 'lost-after-run', 'cut-inside'] as const)(
    'is sent again by itself until it arrives, and its call runs once: %s',
    async (fault) => {
      const { server, open } = await setUp({ 2: fault, 3: fault, 4: fault })
      // Published at once, so that no state is passed over.
      const scheduleFrame = (publish: () => void) => {
        publish()
        return () => undefined
      }
      const { engine, resume, completed, calls } = open({ scheduleFrame })
      const states = new Set<string>()
      const seen: { failures: number; part: string | undefined }[] = []
      engine.subscribe(() => {
        const { requestState, processingState, turn } = engine.getState()
        states.add(requestState)
        // Once the answer comes it says itself what became of the call.
        if (turn?.sending && processingState === 'requesting')
          seen.push({ ...turn.sending, part: calls()[0]?.state })
      })
      await engine.sendMessage('go')
      await resume({ toolCallId: '1' })
      await completed()
      expect(server.effects).toEqual(['deploy eu'])
      expect(calls()).toMatchObject([{ state: 'output-available', output: 'deploy eu: done' }])
      expect(server.bodies).toHaveLength(5)
      expect([...states]).toEqual(['processing', 'paused', 'completed'])
      expect(seen.at(-1)).toMatchObject({ failures: 3 })
      expect(new Set(seen.map(({ part }) => part))).toEqual(new Set(['approval-responded']))
      expect(engine.getState().turn).toMatchObject({ step: 2, underWay: [], unsent: [] })
      expect(engine.getState().messages).toHaveLength(2)
    },
  )

  it('is sent while the server is away, for as long as it is', async () => {
    const { server, open } = await setUp()
    const { engine, resume, completed } = open()
    await engine.sendMessage('go')
    await server.goDown()
    await resume({ toolCallId: '1' })
    await untilFailed(engine, 4)
    expect(engine.getState()).toMatchObject({ requestState: 'processing', error: undefined })
    await server.comeBack()
    await completed()
    expect(server.effects).toEqual(['deploy eu'])
  })

  it('is sent at once when the browser says that it is online', async () => {
    const page = new EventTarget()
    vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
    vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
    const { server, open } = await setUp({ 2: 'lost-unread' })
    const { engine, resume, completed } = open({ resend: NEVER })
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await untilFailed(engine)
    // The loop comes to its wait in a moment.
    await new Promise((resolve) => setTimeout(resolve, 20))
    page.dispatchEvent(new Event('online'))
    await completed()
    expect(server.effects).toEqual(['deploy eu'])
  })

  it.each([
    ['while its request is under way', 'lost-unread'],
    ['while it waits to be sent again', 'lost-unread'],
    ['while its call runs', 'cut-inside'],
  ] as const)('is sent by the next page when this one is left %s', async (when, fault) => {
    const { server, open } = await setUp({ 2: fault })
    const disk = memoryStorage()
    const storage = (kept = disk) => ({ id: 'chat', storage: defineStorage(kept) })
    const first = open({ ...storage(), resend: NEVER })
    await first.engine.sendMessage('go')
    const reached =
      when === 'while its request is under way' ? server.request(2) : untilFailed(first.engine)
    await first.resume({ toolCallId: '1' })
    await reached
    const left = memoryStorage(disk.snapshot())
    first.engine.dispose()

    const { completed, calls } = open(storage(left))
    await completed()
    expect(server.effects).toEqual(['deploy eu'])
    expect(calls()).toMatchObject([{ state: 'output-available', output: 'deploy eu: done' }])
    expect(server.bodies).toHaveLength(3)
  })

  it.each([
    ['lost-unread', 'Aborted before its result came; whether it ran is not known.'],
    ['cut-inside', 'Aborted while it ran; it may have taken effect.'],
  ] as const)(
    'is not sent any more once a person stops, who is told what is not known: %s',
    async (fault, text) => {
      const { server, open } = await setUp({ 2: fault })
      const { engine, resume, calls } = open({ resend: NEVER })
      await engine.sendMessage('go')
      await resume({ toolCallId: '1' })
      await untilFailed(engine)
      const from = performance.now()
      await engine.abort()
      expect(performance.now() - from).toBeLessThan(100)
      expect(engine.getState()).toMatchObject({ requestState: 'aborted' })
      expect(engine.getState().turn?.sending).toBeUndefined()
      expect(calls()).toMatchObject([
        { state: 'output-error', errorText: text, toolMetadata: { assent: { mayHaveRun: true } } },
      ])
      expect(server.bodies).toHaveLength(2)
    },
  )

  it('is said not to have been sent when nothing ever reached the server', async () => {
    const { server, open } = await setUp()
    const { engine, resume, calls } = open({ resend: NEVER })
    await engine.sendMessage('go')
    await server.goDown()
    await resume({ toolCallId: '1' })
    await untilFailed(engine)
    await engine.abort()
    expect(calls()).toMatchObject([
      { errorText: 'Aborted before the decision was sent; it did not run.' },
    ])
  })

  it('is left alone by an engine that is disposed', async () => {
    const { server, open } = await setUp({ 2: 'lost-unread' })
    const { engine, resume } = open({ resend: NEVER })
    await engine.sendMessage('go')
    const set = vi.spyOn(globalThis, 'setTimeout')
    const clear = vi.spyOn(globalThis, 'clearTimeout')
    await resume({ toolCallId: '1' })
    await untilFailed(engine)
    // The wait for the next try is the only one of minutes.
    const wait = set.mock.calls.findIndex(([, ms = 0]) => ms >= NEVER.baseMs / 2)
    const timer: unknown = set.mock.results[wait]?.value
    expect(timer).toBeDefined()
    engine.dispose()
    await expect.poll(() => clear.mock.calls.some(([cleared]) => cleared === timer)).toBe(true)
    expect(server.bodies).toHaveLength(2)
  })

  it('shows that its call runs as soon as the ledger says so', async () => {
    const running = Promise.withResolvers<void>()
    const { open } = await setUp({}, { runs: running.promise })
    const { engine, resume, completed, calls } = open()
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await untilState(engine, () => assentMetadata(calls()[0]!).ledger === 'running')
    expect(toolCallStatus(calls()[0]!)).toBe('executing')
    running.resolve()
    await completed()
    expect(toolCallStatus(calls()[0]!)).toBe('success')
  })
})

describe('the wait before a decision is sent again', () => {
  const asking = (...approvals: readonly (readonly [string, boolean])[]) =>
    responseChunks(
      { messageId: 'answer', finishReason: 'tool-calls' },
      stepChunks(
        ...approvals.flatMap(([id, hasLedger]) => [
          toolCallChunks({ toolCallId: id, toolName: 'deploy', input: {} }),
          approvalRequestChunks({
            toolCallId: id,
            approvalId: id,
            ...(hasLedger && { approvalDescriptor: { ledger: true } }),
          }),
        ]),
      ),
    )
  const says = (status: string, result: ReturnType<typeof toolOutputChunks>) => [
    { type: 'start', messageId: 'answer' } as const,
    { type: LEDGER_CHUNK, transient: true, data: { approvalId: '1', status } } as const,
    ...result,
    ...answer('so').slice(1),
  ]
  const ran = says('ran', toolOutputChunks('1', 'deployed'))

  /** An engine whose call was approved; the script is what its server says to that. */
  async function approved(
    script: readonly ScriptedAnswer[],
    asked = asking(['1', true]),
    resend: MessageEngineOptions['resend'] = QUICK,
  ) {
    const transport = scriptedTransport([asked, ...script])
    const engine = createMessageEngine({
      transport,
      plugins: [toolPlugin()],
      onError: () => undefined,
      ...(resend && { resend }),
    })
    await engine.sendMessage('go')
    const { toolCalls = [] } = engine.getState().turn?.pauseReason ?? {}
    for (const { toolCallId } of toolCalls) {
      await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId })
    }
    const ended = (requestState: string) =>
      untilState(engine, (s) => s.requestState === requestState)
    return { engine, transport, ended, call: () => callsOf(engine.getState().messages)[0]! }
  }

  it('is longer each time, up to a bound, and half of it is random', async () => {
    vi.useFakeTimers()
    try {
      const failures = Array.from({ length: 6 }, () => new TypeError('fetch failed'))
      const { engine } = await approved(failures, asking(['1', true]), {
        baseMs: 1000,
        maxMs: 5000,
      })
      const waits: number[] = []
      for (const longestMs of [1000, 2000, 4000, 5000, 5000]) {
        await vi.advanceTimersByTimeAsync(0)
        const { failures: count, nextAt = 0 } = engine.getState().turn?.sending ?? {}
        expect(count).toBe(waits.length + 1)
        waits.push(nextAt - Date.now())
        expect(waits.at(-1)).toBeGreaterThanOrEqual(longestMs / 2)
        expect(waits.at(-1)).toBeLessThanOrEqual(longestMs)
        await vi.advanceTimersByTimeAsync(nextAt - Date.now())
      }
      expect(new Set(waits).size).toBeGreaterThan(3)
      engine.dispose()
    } finally {
      vi.useRealTimers()
    }
  })

  it('is as long as the server asks', async () => {
    const busy = new EngineError('http_status', 'Another page is being answered.', {
      details: { status: 409, retryAfterMs: 40 },
    })
    const from = Date.now()
    const { ended } = await approved([busy, ran])
    await ended('completed')
    expect(Date.now() - from).toBeGreaterThanOrEqual(39)
  })

  it('is none for a server that does not take the request: a retry sends the decision', async () => {
    const refusal = new EngineError('http_status', 'Sign in.', { details: { status: 401 } })
    const { engine, transport, call, ended } = await approved([refusal, ran])
    await ended('error')
    expect(transport.requests).toHaveLength(2)
    expect(call()).toMatchObject({ state: 'approval-responded' })
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(call()).toMatchObject({ output: 'deployed' })
  })

  it('comes to an end when the server itself fails again and again', async () => {
    const failure = [{ type: 'error', errorText: 'The database is locked.' } as const]
    const { engine, transport, call, ended } = await approved([
      new TypeError('fetch failed'),
      ...Array.from({ length: 5 }, () => failure),
      ran,
    ])
    await ended('error')
    expect(transport.requests).toHaveLength(7)
    expect(engine.getState().error).toMatchObject({ code: 'stream_error' })
    expect(call()).toMatchObject({ state: 'approval-responded' })
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(call()).toMatchObject({ output: 'deployed' })
  })

  it('never comes when a yes beside it has no ledger', async () => {
    const { engine, transport, ended } = await approved(
      [new TypeError('fetch failed')],
      asking(['1', true], ['2', false]),
    )
    await ended('error')
    expect(engine.getState().error).toMatchObject({ code: 'decision_unanswered' })
    expect(transport.requests).toHaveLength(2)
  })

  it.each([
    ['unknown', 'interrupted', true],
    ['expired', 'cancelled', undefined],
  ] as const)(
    'ends with what the ledger says, which is kept with the call: %s',
    async (...known) => {
      const [status, shown, mayHaveRun] = known
      const result = toolErrorChunks('1', 'It was too late.')
      const { engine, call, ended } = await approved([new TypeError('cut'), says(status, result)])
      await ended('completed')
      expect(call()).toMatchObject({ state: 'output-error', errorText: 'It was too late.' })
      expect(assentMetadata(call())).toMatchObject({ ledger: status })
      expect(assentMetadata(call()).mayHaveRun).toBe(mayHaveRun)
      expect(toolCallStatus(call())).toBe(shown)
      const types = engine
        .getState()
        .messages.at(-1)
        ?.parts.map(({ type }) => type)
      expect(types).not.toContain(LEDGER_CHUNK)
    },
  )

  it('does not heed what is no word of a ledger, or about no call that was approved', async () => {
    const odd = [{ approvalId: '1', status: 'done' }, { approvalId: 'b', status: 'ran' }, null]
    const chunks = odd.map((data) => ({ type: LEDGER_CHUNK, transient: true, data }) as const)
    const { call, ended } = await approved([
      [
        { type: 'start', messageId: 'answer' },
        ...chunks,
        ...toolOutputChunks('1', 'deployed'),
        ...answer('so').slice(1),
      ],
    ])
    await ended('completed')
    expect(assentMetadata(call())).not.toHaveProperty('ledger')
  })
})
