import type { EngineState, MessageEngine } from '@assent/engine'

/** An engine, and what is asked of it. */
export interface ObservedEngine {
  readonly engine: MessageEngine
  /** Ids of the messages that somebody is subscribed to, one entry per subscription. */
  readonly subscribedMessages: string[]
  /** Subscriptions to the whole. */
  readonly subscriptions: () => number
  /** How often the list of messages was read from a snapshot. */
  readonly listReads: () => number
}

/** Counts the subscriptions of an engine and the reads of its list of messages. */
export function observeEngine(engine: MessageEngine): ObservedEngine {
  const subscribedMessages: string[] = []
  let subscriptions = 0
  let listReads = 0
  return {
    subscribedMessages,
    subscriptions: () => subscriptions,
    listReads: () => listReads,
    engine: {
      ...engine,
      getState(): EngineState {
        const state = engine.getState()
        return Object.defineProperty({ ...state }, 'messages', {
          enumerable: true,
          get() {
            listReads += 1
            return state.messages
          },
        })
      },
      subscribe(listener) {
        subscriptions += 1
        const unsubscribe = engine.subscribe(listener)
        return () => {
          subscriptions -= 1
          unsubscribe()
        }
      },
      subscribeMessage(messageId, listener) {
        subscribedMessages.push(messageId)
        const unsubscribe = engine.subscribeMessage(messageId, listener)
        return () => {
          subscribedMessages.splice(subscribedMessages.indexOf(messageId), 1)
          unsubscribe()
        }
      },
    },
  }
}
