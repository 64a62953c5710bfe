import type { UIMessage } from 'ai'
import type { MessageEngine } from '../message-engine.ts'
import { createPublisher, type PublisherOptions } from '../publisher.ts'
import type { EngineState } from '../state.ts'
import type { ChannelMessage, Said } from './channel-messages.ts'
import { applyChange, receiveState, type StateChange } from './state-change.ts'

/** What of a conversation can be seen. */
export type View<MESSAGE extends UIMessage> = Pick<
  MessageEngine<MESSAGE>,
  'getState' | 'getMessage' | 'subscribe' | 'subscribeMessage' | 'flush'
>

export interface MirrorOptions<MESSAGE extends UIMessage> extends PublisherOptions {
  /** Shown until a holder has sent its own. */
  readonly state: EngineState<MESSAGE>
  readonly tabId: string
  readonly say: (message: Said<MESSAGE>) => void
  /** Called with every state, before subscribers are told of it. */
  readonly onState: () => void
  /** The holder of a term is known now and takes calls; again when something said to it may have got lost. */
  readonly onTerm: (term: number) => void
}

/** The state of a conversation that another tab holds. */
export interface Mirror<MESSAGE extends UIMessage> extends View<MESSAGE> {
  receive(message: ChannelMessage<MESSAGE>): void
  /** The greatest term that was heard of; 0 at first. */
  latestTerm(): number
  /** The term of the holder that takes calls now, as far as is known. */
  holderTerm(): number | undefined
  /** Asks for the state as it is now. */
  ask(): void
  /** Goes on from the state in which this tab gave the conversation up. */
  resume(state: EngineState<MESSAGE>, term: number): void
  dispose(): void
}

export function createMirror<MESSAGE extends UIMessage>(
  options: MirrorOptions<MESSAGE>,
): Mirror<MESSAGE> {
  const { tabId, say, onState, onTerm } = options
  const publisher = createPublisher(options)
  let { state } = options
  let indexById = indexOf(state)
  let term = 0
  let seq = 0
  let isHeld = false
  let isInStep = false
  let isAsked = false

  function show(next: EngineState<MESSAGE>): void {
    const before = state
    const formerIndex = indexById
    state = next
    if (next.messageIds !== before.messageIds) indexById = indexOf(next)
    onState()
    publisher.batch(() => {
      const isSameList = indexById === formerIndex
      for (const [index, message] of next.messages.entries()) {
        const former = isSameList ? index : (formerIndex.get(message.id) ?? -1)
        if (message !== before.messages[former]) publisher.schedule(message.id)
      }
      if (!isSameList) {
        for (const id of formerIndex.keys()) if (!indexById.has(id)) publisher.schedule(id)
      }
      if (next.requestState === before.requestState) publisher.schedule()
      else publisher.publish()
    })
  }

  /** At most one question is open: what answers it is the next thing that is understood. */
  function ask(): void {
    if (isAsked) return
    isAsked = true
    say({ type: 'hello', term, seq: isInStep ? seq : undefined })
  }

  function loseTrack(): void {
    isInStep = false
    isAsked = false
    ask()
  }

  function showChange(change: StateChange<MESSAGE>): void {
    let next
    try {
      next = applyChange(state, change)
    } catch (error) {
      // It was of another state than this one.
      if (error instanceof RangeError) return loseTrack()
      throw error
    }
    show(next)
  }

  function receiveSnapshot(message: ChannelMessage<MESSAGE> & { type: 'snapshot' }): void {
    // A late one, or the holder does not know how far terms have come: it hears of it.
    if (message.term < term) return ask()
    if (message.to !== undefined && message.to !== tabId) {
      if (message.term > term) ask()
      return
    }
    const isNew = message.term > term
    if (!isNew && isInStep && message.seq < seq) return
    const isFirst = isNew || !isHeld
    term = message.term
    seq = message.seq
    isHeld = true
    isInStep = true
    isAsked = false
    show(receiveState(state, message.state))
    // The holder has to know who listens.
    if (isFirst && message.to === undefined) say({ type: 'hello', term, seq })
    onTerm(term)
  }

  return {
    receive(message) {
      if (message.type === 'snapshot') return receiveSnapshot(message)
      if (message.type === 'left' && message.term === term) {
        isHeld = false
        isInStep = false
      }
      if (message.type !== 'change') return
      if (message.term !== term) return ask()
      if (!isInStep || message.seq <= seq) return
      if (message.seq !== seq + 1) return loseTrack()
      seq = message.seq
      isAsked = false
      showChange(message.change)
    },
    latestTerm: () => term,
    holderTerm: () => (isHeld ? term : undefined),
    ask: loseTrack,
    resume(next, ownTerm) {
      term = Math.max(term, ownTerm)
      isHeld = false
      isInStep = false
      show(next)
    },
    getState: () => state,
    getMessage: (messageId) => state.messages[indexById.get(messageId) ?? -1],
    subscribe: publisher.subscribe,
    subscribeMessage: publisher.subscribeMessage,
    flush: publisher.flush,
    dispose: publisher.dispose,
  }
}

function indexOf({ messageIds }: EngineState): Map<string, number> {
  return new Map(messageIds.map((id, index) => [id, index]))
}
