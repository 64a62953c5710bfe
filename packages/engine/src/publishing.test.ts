import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { createMessageEngine } from './engine.ts'
import type { MessageEngineOptions } from './message-engine.ts'
import { answer, scriptedTransport, textChunks, type ScriptedTransport } from './testing/index.ts'

/** Frames that a test lets pass by hand. */
function heldFrames() {
  let waiting: (() => void)[] = []
  return {
    scheduleFrame: (publish: () => void) => {
      waiting.push(publish)
      return () => {
        waiting = waiting.filter((other) => other !== publish)
      }
    },
    pass() {
      for (const publish of waiting.splice(0)) publish()
    },
    get count() {
      return waiting.length
    },
  }
}

function setUp(more: Partial<MessageEngineOptions> & { transport?: ScriptedTransport } = {}) {
  const frames = heldFrames()
  const { transport = scriptedTransport(), ...options } = more
  const errors: unknown[] = []
  const engine = createMessageEngine({
    transport,
    scheduleFrame: frames.scheduleFrame,
    onError: (error) => errors.push(error),
    ...options,
  })
  return { engine, transport, frames, errors }
}

/** Begins a turn whose answer has begun to stream, with everything published so far. */
async function streaming(more: Parameters<typeof setUp>[0] = {}) {
  const made = setUp(more)
  const held = made.transport.hold()
  const sent = made.engine.sendMessage('go')
  await held.push(
    { type: 'start', messageId: 'answer' },
    { type: 'start-step' },
    { type: 'text-start', id: 't' },
  )
  made.frames.pass()
  const say = (...deltas: string[]) =>
    held.push(...deltas.map((delta) => ({ type: 'text-delta' as const, id: 't', delta })))
  const finish = () => {
    void held.push({ type: 'text-end', id: 't' }, { type: 'finish' })
    held.end()
    return sent
  }
  return { ...made, held, sent, say, finish }
}

const history = (length: number): UIMessage[] =>
  Array.from({ length }, (_, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    parts: [{ type: 'text', text: `message ${index}` }],
  }))

describe('publishing', () => {
  it('is done once per frame, however many chunks arrive, and the state is current all the time', async () => {
    const { engine, frames, say, finish } = await streaming()
    let notified = 0
    engine.subscribe(() => notified++)
    await say(...Array.from({ length: 100 }, (_, index) => `${index} `))
    expect(notified).toBe(0)
    expect(engine.getState().messages[1]?.parts[1]).toMatchObject({
      text: expect.stringMatching(/99 $/),
    })
    expect(frames.count).toBe(1)
    frames.pass()
    expect(notified).toBe(1)
    await finish()
  })

  it('is done at once when the request state changes, with what was waiting', async () => {
    const { engine, frames } = setUp({ transport: scriptedTransport([answer('hi')]) })
    const states: string[] = []
    engine.subscribe(() => states.push(engine.getState().requestState))
    const sent = engine.sendMessage('go')
    expect(states).toEqual(['processing'])
    expect(engine.getState()).toMatchObject({
      requestState: 'processing',
      processingState: 'requesting',
      messages: [{ role: 'user' }],
    })
    await sent
    expect(states).toEqual(['processing', 'completed'])
    expect(frames.count).toBe(0)
  })

  it('is done at once when asked for, and not at all when nothing changed', async () => {
    const { engine, frames, say, finish } = await streaming()
    let notified = 0
    engine.subscribe(() => notified++)
    engine.flush()
    expect(notified).toBe(0)
    await say('a')
    engine.flush()
    engine.flush()
    expect(notified).toBe(1)
    frames.pass()
    expect(notified).toBe(1)
    await finish()
  })

  it('tells the subscribers of a message only of changes of that message', async () => {
    const { engine, frames, say, finish } = await streaming({ messages: history(4) })
    const told: string[] = []
    for (const id of ['m1', 'answer', 'nobody']) engine.subscribeMessage(id, () => told.push(id))
    await say('a', 'b')
    frames.pass()
    expect(told).toEqual(['answer'])
    await finish()
    expect(new Set(told)).toEqual(new Set(['answer']))
  })

  it('tells the subscribers of a message that it was dropped', async () => {
    const { engine, transport } = setUp({ messages: history(4) })
    transport.add(answer('again'))
    const told: unknown[] = []
    engine.subscribeMessage('m3', () => told.push(engine.getMessage('m3')))
    await engine.regenerate()
    expect(told).toContain(undefined)
  })

  it('ends when the subscription does, also in the middle of a publication', async () => {
    const { engine, frames, say, finish } = await streaming()
    const told: string[] = []
    engine.subscribe(() => {
      told.push('first')
      stopSecond()
    })
    const stopSecond = engine.subscribe(() => told.push('second'))
    const stopMessage = engine.subscribeMessage('answer', () => told.push('message'))
    stopMessage()
    stopMessage()
    await say('a')
    frames.pass()
    expect(told).toEqual(['first'])
    await finish()
    expect(told).not.toContain('second')
    expect(told).not.toContain('message')
  })

  it('reaches those who subscribe in the middle of one with the next', async () => {
    const { engine, frames, say, finish } = await streaming()
    const told: string[] = []
    let isFirst = true
    engine.subscribe(() => {
      if (isFirst) engine.subscribe(() => told.push('late'))
      isFirst = false
    })
    await say('a')
    frames.pass()
    expect(told).toEqual([])
    await say('b')
    frames.pass()
    expect(told).toEqual(['late'])
    await finish()
  })

  it('keeps apart two subscriptions of the same function', async () => {
    const { engine, frames, say, finish } = await streaming()
    let notified = 0
    const listener = () => notified++
    const stop = engine.subscribe(listener)
    engine.subscribe(listener)
    await say('a')
    frames.pass()
    expect(notified).toBe(2)
    stop()
    await say('b')
    frames.pass()
    expect(notified).toBe(3)
    await finish()
  })
})

describe('a snapshot of the state', () => {
  it('is the same object until something changes', async () => {
    const { engine, say, finish } = await streaming()
    const before = engine.getState()
    expect(engine.getState()).toBe(before)
    await say('a')
    const after = engine.getState()
    expect(after).not.toBe(before)
    expect(engine.getState()).toBe(after)
    expect(before.messages[1]?.parts[1]).toMatchObject({ text: '' })
    await finish()
    expect(after.messages[1]?.parts[1]).toMatchObject({ text: 'a' })
  })

  it('keeps all that a chunk did not change, in a history of 2,000 messages', async () => {
    const { engine, held, say, finish } = await streaming({ messages: history(2_000) })
    const { messages, messageIds, queue, turn } = engine.getState()
    await say('a', 'b')
    const after = engine.getState()
    expect(after.messageIds).toBe(messageIds)
    expect(after.queue).toBe(queue)
    expect(after.turn).toBe(turn)
    const changed = after.messages.flatMap((message, index) =>
      message === messages[index] ? [] : [message.id],
    )
    expect(changed).toEqual(['answer'])
    const [former, latter] = [messages.at(-1), after.messages.at(-1)]
    await held.push(...textChunks('u', 'second part'))
    expect(latter?.parts[0]).toBe(former?.parts[0])
    expect(engine.getMessage('answer')?.parts[1]).toBe(latter?.parts[1])
    expect(engine.getMessage('m7')).toBe(messages[7])
    await finish()
  })

  it('of one message is always current', async () => {
    const { engine, say, finish } = await streaming()
    await say('a')
    const message = engine.getMessage('answer')
    expect(message?.parts[1]).toMatchObject({ text: 'a', state: 'streaming' })
    expect(engine.getMessage('answer')).toBe(message)
    expect(engine.getState().messages[1]).toBe(message)
    await finish()
    expect(engine.getMessage('answer')).toBe(engine.getState().messages[1])
    expect(engine.getMessage('__proto__')).toBeUndefined()
  })
})
