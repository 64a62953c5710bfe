import { tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callOf, decisionsIn, guardedTools, pausedIn } from '../../../test/guarded-tools.ts'
import { createToolEngine, type ToolEngine } from '../../../test/tool-engine.ts'
import type { MessageEngineOptions } from '../../message-engine.ts'
import { answer, callTools, textChunks, untilState } from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'

const TEXT = 'Stop, not these!'

function conversing(
  script: Parameters<typeof createToolEngine>[0],
  tools: ToolPluginOptions,
  options: Partial<MessageEngineOptions> = {},
): ToolEngine {
  return createToolEngine(script, tools, { whenBusy: 'deny', ...options })
}

const queuedTexts = ({ engine }: ToolEngine) =>
  engine.getState().queue.map(({ message }) => message.parts)
const rolesOf = ({ engine }: ToolEngine) => engine.getState().messages.map(({ role }) => role)

const QUEUED = [[{ type: 'text', text: TEXT }]]
const denied = { state: 'output-denied', approval: { approved: false, reason: TEXT } }

/** A tool that ends by hand. */
function held() {
  const started = Promise.withResolvers<void>()
  const ends = Promise.withResolvers<string>()
  const read = tool({
    inputSchema: z.object({ path: z.string() }),
    execute: () => {
      started.resolve()
      return ends.promise
    },
  })
  return { started: started.promise, end: ends.resolve, read }
}

describe("a text typed with whenBusy 'deny'", () => {
  it('while the model is being asked is queued', async () => {
    const made = conversing([], guardedTools().options)
    const response = made.transport.hold({ unanswered: true })
    const first = made.engine.sendMessage('go')
    await made.transport.requested(1)
    expect(made.engine.getState().processingState).toBe('requesting')
    const typed = made.engine.sendMessage(TEXT)
    expect(queuedTexts(made)).toEqual(QUEUED)
    made.transport.add(answer('two'))
    void response.push(...answer('one')).then(response.end)
    expect((await first).turnId).not.toBe((await typed).turnId)
    expect(rolesOf(made)).toEqual(['user', 'assistant', 'user', 'assistant'])
  })

  it('while the model answers is queued, also when the answer then asks', async () => {
    const made = conversing([], guardedTools().options)
    const { engine, transport, resume, calls } = made
    const response = transport.hold()
    void engine.sendMessage('go')
    await response.push({ type: 'start' }, { type: 'start-step' }, ...textChunks('t', 'Hm'))
    expect(engine.getState().processingState).toBe('completing')
    const typed = engine.sendMessage(TEXT)
    await response.push(...callTools(callOf('1')).slice(2))
    response.end()
    await pausedIn(engine, 1)
    expect(calls()).toMatchObject([{ state: 'approval-requested' }])
    expect(queuedTexts(made)).toEqual(QUEUED)
    transport.add(answer('ok'), answer('two'))
    await resume({ toolCallId: '1', outcome: 'no' })
    expect(await typed).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(3)
  })

  it('while tools run and nothing asks is queued', async () => {
    const { read, started, end } = held()
    const made = conversing([callTools(callOf('1', 'read')), answer('ok'), answer('two')], {
      tools: { read },
    })
    void made.engine.sendMessage('go')
    await started
    expect(made.engine.getState().processingState).toBe('calling-tools')
    const typed = made.engine.sendMessage(TEXT)
    expect(queuedTexts(made)).toEqual(QUEUED)
    end('content')
    expect(await typed).toMatchObject({ requestState: 'completed' })
    expect(made.calls()).toMatchObject([{ output: 'content' }])
  })

  it('while tools run and an ask is on the screen denies that, and the tools run on', async () => {
    const { read, started, end } = held()
    const { options, runs } = guardedTools()
    const made = conversing([callTools([callOf('1', 'read'), callOf('2')]), answer('ok')], {
      ...options,
      gate: 'call',
      tools: { ...options.tools, read },
    })
    const { engine, calls, sentCalls, transport } = made
    const first = engine.sendMessage('go')
    await started
    await untilState(engine, () => calls()[1]?.state === 'approval-requested')
    expect(engine.getState().processingState).toBe('calling-tools')
    const typed = engine.sendMessage(TEXT)
    expect(queuedTexts(made)).toEqual([])
    expect(transport.requests).toHaveLength(1)
    end('content')
    expect((await typed).turnId).toBe((await first).turnId)
    expect(sentCalls(2)).toMatchObject([{ output: 'content' }, denied])
    expect(runs).toEqual([])
    expect(rolesOf(made)).toEqual(['user', 'assistant'])
  })

  it('while the pause is being made denies what it is about', async () => {
    const pausing = Promise.withResolvers<void>()
    const paused = Promise.withResolvers<void>()
    const { options, runs } = guardedTools()
    const made = conversing([callTools([callOf('1'), callOf('2')]), answer('ok')], options, {
      plugins: [
        {
          onTurnPause: () => {
            pausing.resolve()
            return paused.promise
          },
        },
      ],
    })
    const first = made.engine.sendMessage('go')
    await pausing.promise
    expect(made.engine.getState().processingState).toBe('pausing')
    const typed = made.engine.sendMessage(TEXT)
    paused.resolve()
    expect(await typed).toMatchObject({ requestState: 'completed' })
    expect(await first).toEqual(await typed)
    expect(made.sentCalls(2)).toMatchObject([denied, denied])
    expect(queuedTexts(made)).toEqual([])
    expect(runs).toEqual([])
  })

  it('while the turn is paused denies all that wait, and what was approved runs', async () => {
    const { options, runs } = guardedTools()
    const made = conversing(
      [callTools([callOf('1'), callOf('2'), callOf('3')]), answer('ok')],
      options,
    )
    await made.engine.sendMessage('go')
    await made.resume({ toolCallId: '2' })
    expect(await made.engine.sendMessage(TEXT)).toMatchObject({ requestState: 'completed' })
    expect(made.sentCalls(2)).toMatchObject([denied, { state: 'output-available' }, denied])
    expect(runs).toEqual(['write 2.txt'])
    expect(decisionsIn(made.engine.getState().confirmations)).toEqual(['2: yes', '1: no', '3: no'])
    expect(rolesOf(made)).toEqual(['user', 'assistant'])
  })

  it('while outputs are awaited dismisses them, beside decisions and alone', async () => {
    for (const more of [[callOf('2')], []]) {
      const { options } = guardedTools()
      const ask = tool({ inputSchema: z.object({ path: z.string() }) })
      const made = conversing([callTools([callOf('1', 'ask'), ...more]), answer('ok')], {
        ...options,
        tools: { ...options.tools, ask },
      })
      await made.engine.sendMessage('go')
      expect(made.engine.getState()).toMatchObject({
        requestState: 'paused',
        turn: { pauseReason: { type: more.length > 0 ? 'approval' : 'output' } },
      })
      expect(await made.engine.sendMessage(TEXT)).toMatchObject({ requestState: 'completed' })
      expect(made.sentCalls(2)).toMatchObject([denied, ...more.map(() => denied)])
    }
  })

  it('before the engine speaks, or after its turn, is a message like any other', async () => {
    const made = conversing([answer('one'), answer('two')], guardedTools().options)
    await made.engine.sendMessage('go')
    await made.engine.sendMessage(TEXT)
    expect(rolesOf(made)).toEqual(['user', 'assistant', 'user', 'assistant'])
  })
})

describe('a text that denies while an edited input is still being looked at', () => {
  /** Calls that wait, and a click on the first whose input takes its time to validate. */
  async function editing(...ids: string[]) {
    const validating = Promise.withResolvers<void>()
    const runs: string[] = []
    let isSlow = false
    const path = z.string().refine(async (text) => {
      if (isSlow) await validating.promise
      return text !== 'bad'
    })
    const made = conversing([callTools(ids.map((id) => callOf(id))), answer('ok'), answer('two')], {
      tools: {
        write: tool({
          inputSchema: z.object({ path }),
          execute: (input) => void runs.push(input.path),
        }),
      },
      toolApproval: { write: 'user-approval' },
    })
    await made.engine.sendMessage('go')
    isSlow = true
    const edit = (text: string) => made.resume({ toolCallId: '1', input: { path: text } })
    const finish = () => {
      isSlow = false
      validating.resolve()
    }
    return { ...made, made, runs, edit, finish }
  }

  it('denies the others, and leaves that one to its edit', async () => {
    const { engine, edit, finish, runs, sentCalls } = await editing('1', '2')
    const edited = edit('mine')
    const typed = engine.sendMessage(TEXT)
    finish()
    expect(await edited).toMatchObject({ success: true })
    expect(await typed).toMatchObject({ requestState: 'completed' })
    expect(runs).toEqual(['mine'])
    expect(sentCalls(2)).toMatchObject([{ input: { path: 'mine' } }, denied])
    expect(decisionsIn(engine.getState().confirmations)).toEqual(['2: no', '1: yes'])
  })

  it.each(['mine', 'bad'])(
    'is not lost when no other call waits, whatever comes of the edit: %s',
    async (text) => {
      const { engine, edit, finish, made, resume } = await editing('1')
      const edited = edit(text)
      const typed = engine.sendMessage(TEXT)
      expect(queuedTexts(made)).toEqual(QUEUED)
      finish()
      expect((await edited).success).toBe(text === 'mine')
      await resume({
        toolCallId: '1',
        ...(text === 'bad' ? { outcome: 'no' } : { input: { path: text } }),
      })
      expect(await typed).toMatchObject({ requestState: 'completed' })
      expect(rolesOf(made)).toEqual(['user', 'assistant', 'user', 'assistant'])
    },
  )
})
