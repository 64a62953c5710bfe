import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import type { EngineState } from '../state.ts'
import type { ChannelMessage, Said } from './channel-messages.ts'
import { createMirror } from './mirror.ts'
import { changeBetween, toSentState } from './state-change.ts'

const text = (id: string, said: string): UIMessage => ({
  id,
  role: 'user',
  parts: [{ type: 'text', text: said }],
})

function stateWith(...messages: UIMessage[]): EngineState {
  return {
    requestState: 'idle',
    processingState: undefined,
    messages,
    messageIds: messages.map(({ id }) => id),
    error: undefined,
    turn: undefined,
    queue: [],
    confirmations: [],
    drafts: [],
  }
}

/** A mirror whose holder is the test. */
function setUp() {
  const said: Said<UIMessage>[] = []
  const terms: number[] = []
  const frames: (() => void)[] = []
  const mirror = createMirror({
    state: stateWith(),
    tabId: 'me',
    say: (message) => said.push(message),
    scheduleFrame: (publish) => {
      frames.push(publish)
      return () => undefined
    },
    onListenerError: (error) => {
      throw error
    },
    onState: () => undefined,
    onTerm: (term) => terms.push(term),
  })
  const receive = (message: Said<UIMessage>) =>
    mirror.receive({ ...message, from: 'holder' } as ChannelMessage)
  const snapshot = (term: number, seq: number, state: EngineState, to?: string) =>
    receive({ type: 'snapshot', term, seq, state: toSentState(state), ...(to && { to }) })
  const change = (term: number, seq: number, before: EngineState, after: EngineState) =>
    receive({ type: 'change', term, seq, change: changeBetween(before, after) })
  return { mirror, said, terms, frames, receive, snapshot, change }
}

const one = stateWith(text('a', 'one'))
const two = stateWith(...one.messages, text('b', 'two'))
const three = stateWith(...two.messages, text('c', 'three'))

describe('a mirror', () => {
  it('asks for the whole when what grew is not what it has', () => {
    const { mirror, said, snapshot, receive } = setUp()
    snapshot(1, 1, one)
    said.length = 0
    const grown = [{ index: 0, from: 3, added: '!' }]
    const head = { id: 'a', role: 'user' as const }
    const change = { facts: {}, messages: [{ head, partCount: 1, parts: [], grown }] }
    receive({ type: 'change', term: 1, seq: 2, change })
    expect(said).toEqual([{ type: 'hello', term: 1, seq: undefined }])
    expect(mirror.getState()).toMatchObject({ messages: one.messages })
  })

  it('asks for the whole when a change was missed, and shows nothing made of pieces', () => {
    const { mirror, said, snapshot, change } = setUp()
    snapshot(1, 1, one)
    said.length = 0
    change(1, 3, two, three)
    expect(said).toEqual([{ type: 'hello', term: 1, seq: undefined }])
    expect(mirror.getState().messageIds).toEqual(['a'])
    change(1, 4, three, two)
    expect(mirror.getState().messageIds).toEqual(['a'])
    expect(said).toHaveLength(1)
    snapshot(1, 4, three, 'me')
    expect(mirror.getState().messageIds).toEqual(['a', 'b', 'c'])
    change(1, 5, three, two)
    expect(mirror.getState().messageIds).toEqual(['a', 'b'])
  })

  it('keeps the objects of what it had when the whole comes again', () => {
    const { mirror, snapshot } = setUp()
    snapshot(1, 1, structuredClone(two))
    const before = mirror.getState()
    snapshot(2, 0, structuredClone(two))
    expect(mirror.getState()).toEqual(before)
    const { messages, messageIds, queue, confirmations } = mirror.getState()
    for (const [fact, former] of [
      [messages, before.messages],
      [messageIds, before.messageIds],
      [queue, before.queue],
      [confirmations, before.confirmations],
    ]) {
      expect(fact).toBe(former)
    }
  })

  it('tells a new holder that it listens, and that there is one to call', () => {
    const { said, terms, snapshot } = setUp()
    snapshot(1, 0, one)
    snapshot(2, 0, one)
    expect(terms).toEqual([1, 2])
    expect(said).toEqual([
      { type: 'hello', term: 1, seq: 0 },
      { type: 'hello', term: 2, seq: 0 },
    ])
  })

  it('does not believe a former holder, and tells one that begins how far terms have come', () => {
    const { mirror, said, snapshot, change } = setUp()
    snapshot(5, 0, two)
    said.length = 0
    change(4, 1, two, one)
    snapshot(4, 2, one)
    expect(mirror.getState().messageIds).toEqual(['a', 'b'])
    expect(said).toEqual([{ type: 'hello', term: 5, seq: 0 }])
  })

  it('leaves snapshots of others alone, but asks when they are of a holder that it does not know', () => {
    const { mirror, said, snapshot } = setUp()
    snapshot(1, 1, one)
    said.length = 0
    snapshot(1, 7, two, 'somebody')
    expect(said).toEqual([])
    snapshot(2, 7, two, 'somebody')
    expect(said).toEqual([{ type: 'hello', term: 1, seq: 1 }])
    expect(mirror.getState().messageIds).toEqual(['a'])
  })

  it('has nobody to call when the holder has left', () => {
    const { mirror, receive, snapshot } = setUp()
    snapshot(1, 1, one)
    expect(mirror.holderTerm()).toBe(1)
    receive({ type: 'left', term: 1 })
    expect(mirror.holderTerm()).toBeUndefined()
    expect(mirror.getState().messageIds).toEqual(['a'])
  })

  it('publishes once per frame, and at once when the request state changes', () => {
    const { mirror, frames, snapshot, change } = setUp()
    snapshot(1, 0, one)
    let told = 0
    const toldOf: string[] = []
    mirror.subscribe(() => told++)
    for (const id of ['a', 'b']) mirror.subscribeMessage(id, () => toldOf.push(id))
    frames.splice(0).forEach((publish) => publish())
    told = 0
    toldOf.length = 0
    change(1, 1, one, two)
    const edited = stateWith(one.messages[0]!, text('b', 'edited'))
    change(1, 2, two, { ...edited, messageIds: two.messageIds })
    expect(told).toBe(0)
    expect(mirror.getMessage('b')).toEqual(edited.messages[1])
    frames.splice(0).forEach((publish) => publish())
    expect([told, toldOf]).toEqual([1, ['b']])
    change(1, 3, edited, { ...edited, requestState: 'processing' })
    expect(told).toBe(2)
  })
})
