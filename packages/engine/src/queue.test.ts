import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../test/tool-engine.ts'
import { answer, callTools, untilState } from './testing/index.ts'
import type { WhenBusy } from './message-engine.ts'
import { textOf } from './message/message-input.ts'

const guarded = (toolCallId: string) => ({ toolCallId, toolName: 'write', input: {} })
const tools = {
  tools: { write: { inputSchema: z.object({}), execute: () => 'written' } },
  toolApproval: { write: 'user-approval' as const },
}

/** An engine whose first turn streams until the test lets it end. */
function busy(whenBusy: WhenBusy = 'queue') {
  const made = createToolEngine([], {}, { whenBusy })
  const held = made.transport.hold()
  const first = made.engine.sendMessage('first')
  const said = () => made.engine.getState().messages.map(textOf)
  const queued = () => made.engine.getState().queue.map(({ message }) => textOf(message))
  const endFirst = async () => {
    void held.push(...answer('one'))
    held.end()
    await first
  }
  return { ...made, held, first, said, queued, endFirst }
}

/** An engine that waits for decisions. */
async function paused(whenBusy: WhenBusy, ...calls: string[]) {
  const made = createToolEngine([callTools(calls.map(guarded)), answer('ok')], tools, { whenBusy })
  await made.engine.sendMessage('go')
  return made
}

describe('a message sent while a turn is open', () => {
  it('is queued, visible, and sent when the turn completes, each with its own outcome', async () => {
    const { engine, transport, said, queued, endFirst } = busy()
    const outcomes = [engine.sendMessage('second'), engine.sendMessage('third')]
    expect(queued()).toEqual(['second', 'third'])
    expect(said()).toEqual(['first'])
    transport.add(answer('two'), answer('three'))
    await endFirst()
    const [second, third] = await Promise.all(outcomes)
    expect(said()).toEqual(['first', 'one', 'second', 'two', 'third', 'three'])
    expect(queued()).toEqual([])
    expect(second).toMatchObject({ requestState: 'completed', turnId: expect.any(String) })
    expect(third).toMatchObject({ requestState: 'completed', turnId: engine.getState().turn?.id })
    expect(second?.turnId).not.toBe(third?.turnId)
  })

  it('waits also behind a pause, until that turn has ended', async () => {
    const { engine, resume, transport } = await paused('queue', '1')
    transport.add(answer('two'))
    const second = engine.sendMessage('second')
    expect(engine.getState()).toMatchObject({ requestState: 'paused', queue: [{ held: false }] })
    await resume({ toolCallId: '1' })
    expect(await second).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(3)
  })

  it('takes its own headers and body along', async () => {
    const { engine, transport, endFirst } = busy()
    const second = engine.sendMessage('second', {
      headers: { 'x-own': 'yes' },
      body: { own: true },
      metadata: 7,
    })
    transport.add(answer('two'))
    await endFirst()
    await second
    expect(transport.requests[1]).toMatchObject({
      headers: { 'x-own': 'yes' },
      body: { own: true },
      metadata: 7,
    })
  })

  it('can be changed, removed, and sent before the others', async () => {
    const { engine, transport, said, queued, endFirst } = busy()
    const outcomes = ['b', 'c', 'd'].map((text) => engine.sendMessage(text))
    const [b, c, d] = engine.getState().queue.map(({ id }) => id)
    engine.editQueued(b!, { text: 'B', metadata: { edited: true } })
    expect(engine.getState().queue[0]).toMatchObject({
      id: b,
      message: { id: b, metadata: { edited: true } },
    })
    engine.removeQueued(c!)
    expect(await outcomes[1]).toMatchObject({ turnId: undefined, error: { code: 'removed' } })
    engine.sendQueued(d!)
    expect(queued()).toEqual(['d', 'B'])
    transport.add(answer('to d'), answer('to B'))
    await endFirst()
    await Promise.all(outcomes)
    expect(said()).toEqual(['first', 'one', 'd', 'to d', 'B', 'to B'])
    expect(engine.getState().messages[4]?.id).toBe(b)
  })

  it('can be put at another place of the order, held or not', async () => {
    const { engine, transport, said, queued, endFirst } = busy()
    const outcomes = ['b', 'c', 'd'].map((text) => engine.sendMessage(text))
    const [b, , d] = engine.getState().queue.map(({ id }) => id)
    engine.moveQueued(d!, 0)
    expect(queued()).toEqual(['d', 'b', 'c'])
    engine.moveQueued(d!, 1)
    expect(queued()).toEqual(['b', 'd', 'c'])
    // Beyond the ends is at the ends.
    engine.moveQueued(b!, 99)
    expect(queued()).toEqual(['d', 'c', 'b'])
    engine.moveQueued(b!, -5)
    expect(queued()).toEqual(['b', 'd', 'c'])
    const before = engine.getState()
    engine.moveQueued(b!, 0)
    expect(engine.getState()).toBe(before)
    expect(() => engine.moveQueued(b!, Number.NaN)).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
    transport.add(answer('to b'), answer('to d'), answer('to c'))
    await endFirst()
    await Promise.all(outcomes)
    expect(said()).toEqual(['first', 'one', 'b', 'to b', 'd', 'to d', 'c', 'to c'])
  })

  it('keeps the place that it was given while it is held', async () => {
    const { engine, queued } = busy()
    for (const text of ['b', 'c']) void engine.sendMessage(text)
    await engine.abort()
    engine.moveQueued(engine.getState().queue[1]!.id, 0)
    expect(queued()).toEqual(['c', 'b'])
    expect(engine.getState().queue).toMatchObject([{ held: true }, { held: true }])
  })

  it('can be held back by hand, and let go again', async () => {
    const { engine, transport, said, endFirst } = busy()
    const outcomes = ['b', 'c'].map((text) => engine.sendMessage(text))
    const [b] = engine.getState().queue.map(({ id }) => id)
    engine.holdQueued(b!, true)
    expect(engine.getState().queue).toMatchObject([{ id: b, held: true }, { held: false }])
    const before = engine.getState()
    engine.holdQueued(b!, true)
    expect(engine.getState()).toBe(before)
    transport.add(answer('to c'), answer('to b'))
    await endFirst()
    await outcomes[1]
    expect(said()).toEqual(['first', 'one', 'c', 'to c'])
    // No turn is open: it goes at once.
    engine.holdQueued(b!, false)
    expect(await outcomes[0]).toMatchObject({ requestState: 'completed' })
    expect(said().slice(4)).toEqual(['b', 'to b'])
  })

  it('goes before one that is sent while the last hooks of the turn before it still run', async () => {
    const ending = Promise.withResolvers<void>()
    const made = createToolEngine(
      [answer('one'), answer('two'), answer('three')],
      {},
      { plugins: [{ onFinally: () => ending.promise }] },
    )
    const { engine } = made
    void engine.sendMessage('first')
    const second = engine.sendMessage('second')
    await made.completed()
    const third = engine.sendMessage('third')
    expect(engine.getState().queue).toHaveLength(2)
    ending.resolve()
    await Promise.all([second, third])
    expect(engine.getState().messages.map(textOf)).toEqual([
      'first',
      'one',
      'second',
      'two',
      'third',
      'three',
    ])
  })

  it('is held after a failure, until it is sent by hand', async () => {
    const { engine, transport, held, first, said } = busy()
    const second = engine.sendMessage('second')
    void held.push({ type: 'error', errorText: 'overloaded' })
    expect(await first).toMatchObject({ requestState: 'error' })
    expect(engine.getState().queue).toMatchObject([{ held: true }])
    transport.add(answer('two'))
    engine.sendQueued(engine.getState().queue[0]!.id)
    expect(await second).toMatchObject({ requestState: 'completed' })
    expect(said()).toEqual(['first', 'second', 'two'])
  })

  it.each(['nope', '__proto__'])('is refused to be changed by the unknown id %s', (id) => {
    const { engine } = busy()
    void engine.sendMessage('second')
    const before = engine.getState()
    const refused = expect.objectContaining({ code: 'unknown_message' })
    expect(() => engine.editQueued(id, 'x')).toThrow(refused)
    expect(() => engine.removeQueued(id)).toThrow(refused)
    expect(() => engine.sendQueued(id)).toThrow(refused)
    expect(() => engine.moveQueued(id, 0)).toThrow(refused)
    expect(() => engine.holdQueued(id, true)).toThrow(refused)
    expect(engine.getState()).toBe(before)
  })

  it('stays as it is when it would be changed to nothing', () => {
    const { engine, queued } = busy()
    void engine.sendMessage('second')
    expect(() => engine.editQueued(engine.getState().queue[0]!.id, '  ')).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
    expect(queued()).toEqual(['second'])
  })

  it('is refused with an id that waits already', async () => {
    const { engine } = busy()
    const message = { id: 'same', parts: [{ type: 'text' as const, text: 'x' }] }
    void engine.sendMessage(message)
    expect(await engine.sendMessage(message)).toMatchObject({
      error: { code: 'invalid_argument', message: expect.stringContaining('same') },
    })
    expect(engine.getState().queue).toHaveLength(1)
  })
})

describe("whenBusy: 'reject'", () => {
  it('refuses the message, which can be sent again later', async () => {
    const { engine, transport, queued, endFirst } = busy('reject')
    expect(await engine.sendMessage('second')).toMatchObject({
      turnId: undefined,
      requestState: 'processing',
      error: { code: 'busy', retryable: true },
    })
    expect(queued()).toEqual([])
    await endFirst()
    transport.add(answer('two'))
    expect(await engine.sendMessage('second')).toMatchObject({ requestState: 'completed' })
  })
})

describe("whenBusy: 'deny'", () => {
  it('makes the message the reason that denies all that waits, and adds no message', async () => {
    const { engine, sentCalls } = await paused('deny', '1', '2')
    const outcome = await engine.sendMessage('Not these files!')
    expect(outcome).toMatchObject({ requestState: 'completed', turnId: engine.getState().turn?.id })
    const denied = { state: 'output-denied', approval: { reason: 'Not these files!' } }
    expect(sentCalls(2)).toMatchObject([denied, denied])
    expect(engine.getState().messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(engine.getState().confirmations).toMatchObject([
      { toolCallId: '1', outcome: 'no' },
      { toolCallId: '2', outcome: 'no' },
    ])
  })

  it('queues the message while nothing waits for a person', async () => {
    const { engine, transport, queued, endFirst } = busy('deny')
    const second = engine.sendMessage('second')
    expect(queued()).toEqual(['second'])
    transport.add(answer('two'))
    await endFirst()
    expect(await second).toMatchObject({ requestState: 'completed' })
  })

  it('queues the message when the pause is not about a decision', async () => {
    let isFirst = true
    const { engine } = createToolEngine([answer('ok')], tools, {
      whenBusy: 'deny',
      plugins: [
        {
          onTurnStart: ({ setRequestState }) => {
            if (isFirst) setRequestState('paused', { type: 'billing' })
            isFirst = false
          },
        },
      ],
    })
    await engine.sendMessage('go')
    void engine.sendMessage('second')
    await untilState(engine, ({ queue }) => queue.length === 1)
    expect(engine.getState()).toMatchObject({
      requestState: 'paused',
      turn: { pauseReason: { type: 'billing' } },
    })
  })

  it('queues a message that carries more than words, so that nothing of it is lost', async () => {
    const { engine, calls } = await paused('deny', '1')
    const file = { type: 'file' as const, mediaType: 'text/plain', url: 'data:,x' }
    void engine.sendMessage({ text: 'Use this one', files: [file] })
    expect(engine.getState().queue).toHaveLength(1)
    expect(calls()).toMatchObject([{ state: 'approval-requested' }])
  })
})
