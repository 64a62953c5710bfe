import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { createMessageEngine } from '../engine.ts'
import { answer, scriptedTransport, untilState } from '../testing/index.ts'
import type { ChannelMessage, Said } from './channel-messages.ts'
import { serveMirrors } from './serve-mirrors.ts'

/** A holder of term 5, and what it says. */
function setUp(script = [answer('one'), answer('two')]) {
  const said: Said<UIMessage>[] = []
  const transport = scriptedTransport(script)
  const engine = createMessageEngine({ transport })
  const service = serveMirrors({ engine, term: 5, say: (message) => said.push(message) })
  const hear = (message: Said<UIMessage>, from = 'mirror', revision?: number) =>
    service.receive({ ...message, from, ...(revision && { revision }) } as ChannelMessage)
  return { engine, said, service, hear, transport }
}

describe('what a holder tells its mirrors', () => {
  it('begins with the whole, and says nothing more while nobody listens', async () => {
    const { engine, said } = setUp()
    expect(said).toMatchObject([{ type: 'snapshot', term: 5, seq: 0 }])
    await engine.sendMessage('hello')
    expect(said).toHaveLength(1)
  })

  it('is the whole again for one that has missed what nobody was told', async () => {
    const { engine, said, hear } = setUp()
    await engine.sendMessage('hello')
    said.length = 0
    hear({ type: 'hello', term: 5, seq: 0 })
    expect(said).toMatchObject([
      { type: 'snapshot', to: 'mirror', state: { requestState: 'completed' } },
    ])
  })

  it('is nothing for one that has all, and then each change once', async () => {
    const { engine, said, hear } = setUp()
    hear({ type: 'hello', term: 5, seq: 0 })
    expect(said).toHaveLength(1)
    await engine.sendMessage('hello')
    const [, ...changes] = said
    expect(changes.map(({ type }) => type)).toEqual(changes.map(() => 'change'))
    expect(changes.map((change) => 'seq' in change && change.seq)).toEqual(
      changes.map((_, index) => index + 1),
    )
  })

  it('is what came of a text that streams, or all of it where a tab is older than that', async () => {
    const { engine, said, hear, service, transport } = setUp([])
    const stream = transport.hold()
    hear({ type: 'hello', term: 5, seq: 0 }, 'new', 1)
    const sent = engine.sendMessage('hello')
    await stream.push({ type: 'start-step' }, { type: 'text-start', id: 't' })
    let shown = ''
    const streamed = async (delta: string) => {
      await stream.push({ type: 'text-delta', id: 't', delta })
      shown += delta
      await untilState(engine, ({ messages }) =>
        JSON.stringify(messages).includes(`"text":"${shown}"`),
      )
      engine.flush()
      return said.findLast(({ type }) => type === 'change')
    }
    const long = 'word '.repeat(100)
    await streamed(long)
    expect(await streamed('and')).toMatchObject({
      change: { messages: [{ parts: [], grown: [{ index: 1, from: long.length, added: 'and' }] }] },
    })
    // Who asks has what the others have, so that the next change is one for all of them.
    hear({ type: 'hello', term: 5, seq: undefined }, 'another', 1)
    expect(JSON.stringify(said.at(-1))).toContain(`"text":"${shown}"`)
    expect(await streamed(' on')).toMatchObject({
      change: { messages: [{ parts: [], grown: [{ from: long.length + 3, added: ' on' }] }] },
    })
    hear({ type: 'hello', term: 5, seq: undefined }, 'old')
    const whole = { type: 'text', text: `${long}and on!`, state: 'streaming' }
    expect(await streamed('!')).toMatchObject({ change: { messages: [{ parts: [[1, whole]] }] } })
    service.receive({ type: 'bye', from: 'old' })
    expect(await streamed('?')).toMatchObject({
      change: { messages: [{ parts: [], grown: [{ added: '?' }] }] },
    })
    await stream.push({ type: 'text-end', id: 't' }, { type: 'finish-step' }, { type: 'finish' })
    stream.end()
    await sent
    expect(said.at(-1)).toMatchObject({ type: 'change' })
  })

  it('rises above a term that is greater than its own', () => {
    const { said, hear, service } = setUp()
    hear({ type: 'hello', term: 9, seq: 3 })
    expect(service.term()).toBe(10)
    expect(said.at(-1)).toMatchObject({ type: 'snapshot', term: 10 })
    hear({ type: 'change', term: 12, seq: 1, change: { facts: {}, messages: [] } }, 'former')
    expect(service.term()).toBe(13)
  })
})

describe('a call of a mirror', () => {
  const request = {
    method: 'sendMessage' as const,
    message: { id: 'm', role: 'user' as const, parts: [{ type: 'text' as const, text: 'hi' }] },
    options: {},
  }

  it('is answered after what it has changed was told', async () => {
    const { said, hear, engine } = setUp()
    hear({ type: 'hello', term: 5, seq: 0 })
    hear({ type: 'call', term: 5, callId: 'c', request })
    await expect.poll(() => said.at(-1)?.type).toBe('reply')
    const shown = said.findLast(({ type }) => type === 'change')
    expect(shown).toMatchObject({ change: { facts: { requestState: 'completed' } } })
    expect(said.at(-1)).toMatchObject({
      to: 'mirror',
      callId: 'c',
      result: { outcome: { requestState: 'completed', turnId: engine.getState().turn?.id } },
    })
  })

  it('is carried out once, and answered again, when it is asked again', async () => {
    const { said, hear, transport } = setUp()
    hear({ type: 'call', term: 5, callId: 'c', request })
    hear({ type: 'call', term: 5, callId: 'c', request })
    const replies = () => said.filter(({ type }) => type === 'reply')
    await expect.poll(() => replies().length).toBe(2)
    hear({ type: 'call', term: 5, callId: 'c', request })
    await expect.poll(() => replies().length).toBe(3)
    expect(replies()).toEqual(replies().map(() => replies()[0]))
    expect(transport.requests).toHaveLength(1)
  })

  it('is told to all as a whole when something may have got lost', () => {
    const { said, service, hear } = setUp()
    hear({ type: 'hello', term: 5, seq: 0 })
    service.onMissed()
    expect(said.at(-1)).toMatchObject({ type: 'snapshot', term: 5 })
    service.stop()
    service.onMissed()
    expect(said.at(-1)).toMatchObject({ type: 'left' })
  })

  it('is left alone when it was for a former holder, who may have carried it out', () => {
    const { hear, transport, engine } = setUp()
    hear({ type: 'call', term: 4, callId: 'c', request })
    expect(engine.getState().messages).toEqual([])
    expect(transport.requests).toEqual([])
  })

  it('is not answered by a holder that gave up: the next one is asked', async () => {
    const { said, hear, engine, service } = setUp()
    hear({ type: 'call', term: 5, callId: 'c', request })
    service.stop()
    engine.dispose()
    await engine.sendMessage('late')
    expect(said.map(({ type }) => type)).toEqual(['snapshot', 'left'])
  })
})
