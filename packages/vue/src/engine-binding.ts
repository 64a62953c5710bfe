import type { EngineState, MessageEngine } from '@assent/engine'
import type { UIMessage } from 'ai'
import { customRef, shallowRef, unref, type Ref } from 'vue'

/** What a conversation's state holds beside the messages; it changes per step, not per token. */
export type EngineSlices<MESSAGE extends UIMessage = UIMessage> = Omit<
  EngineState<MESSAGE>,
  'messages'
>

/** The names of {@link EngineSlices}. */
export const SLICES = [
  'requestState',
  'processingState',
  'messageIds',
  'error',
  'turn',
  'queue',
  'confirmations',
  'drafts',
  'earlier',
] as const satisfies readonly (keyof EngineSlices)[]

/** One engine as reactive sources. Reading them inside an effect subscribes the effect. */
export interface EngineBinding<MESSAGE extends UIMessage> {
  readonly engine: MessageEngine<MESSAGE>
  /** All but the messages; an effect that reads it does not run again for a token. */
  readSlices(): EngineSlices<MESSAGE>
  /** The whole snapshot; an effect that reads it runs again with every publication. */
  readState(): EngineState<MESSAGE>
  /** One message; an effect that reads it runs again only for this message. */
  readMessage(messageId: string): MESSAGE | undefined
  /** Aborted by `stop`. */
  readonly stopped: AbortSignal
  /** Drops all subscriptions. What was read keeps its last value; the engine is left alone. */
  stop(): void
}

/** What makes the readers of one message run again. */
interface MessageSource<MESSAGE extends UIMessage> {
  readonly message: Ref<MESSAGE | undefined>
  release(): void
}

/**
 * Binds an engine to Vue's reactivity.
 *
 * @param isLive `false` reads the engine without a single subscription: for rendering on a server
 */
export function bindEngine<MESSAGE extends UIMessage>(
  engine: MessageEngine<MESSAGE>,
  isLive: boolean,
): EngineBinding<MESSAGE> {
  const slices = shallowRef<EngineSlices<MESSAGE>>(engine.getState())
  const streamed = shallowRef(0)
  const sources = new Map<string, MessageSource<MESSAGE>>()
  const stopping = new AbortController()
  let unsubscribe = isLive ? engine.subscribe(publish) : undefined

  /** One source changes per publication, so that a sync watcher never sees half of it. */
  function publish(): void {
    const before = slices.value
    const after = engine.getState()
    if (SLICES.every((slice) => before[slice] === after[slice])) {
      streamed.value += 1
      return
    }
    slices.value = after
    if (before.messageIds !== after.messageIds) releaseMissing()
  }

  /** A source lives as long as its message is in the list: that bounds them without counting readers. */
  function releaseMissing(): void {
    for (const [messageId, source] of sources) {
      if (engine.getMessage(messageId)) continue
      sources.delete(messageId)
      source.release()
    }
  }

  function sourceOf(messageId: string): MessageSource<MESSAGE> {
    const known = sources.get(messageId)
    if (known) return known
    const created = subscribeSource(engine, messageId)
    sources.set(messageId, created)
    return created
  }

  return {
    engine,
    readSlices: () => (isLive ? slices.value : engine.getState()),
    readState() {
      unref(slices)
      unref(streamed)
      return engine.getState()
    },
    readMessage(messageId) {
      if (unsubscribe && engine.getMessage(messageId)) return sourceOf(messageId).message.value
      // Not here yet, or not any more: only a change of the list can bring it.
      unref(slices)
      return engine.getMessage(messageId)
    },
    stopped: stopping.signal,
    stop() {
      stopping.abort()
      unsubscribe?.()
      unsubscribe = undefined
      for (const source of sources.values()) source.release()
      sources.clear()
    },
  }
}

/** Holds no copy of the message: while nobody looks, a token costs one call of `trigger`. */
function subscribeSource<MESSAGE extends UIMessage>(
  engine: MessageEngine<MESSAGE>,
  messageId: string,
): MessageSource<MESSAGE> {
  let release = (): void => {}
  const message = customRef<MESSAGE | undefined>((track, trigger) => {
    release = engine.subscribeMessage(messageId, trigger)
    return {
      get() {
        track()
        return engine.getMessage(messageId)
      },
      set() {},
    }
  })
  return { message, release }
}
