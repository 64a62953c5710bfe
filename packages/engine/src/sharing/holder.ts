import type { UIMessage } from 'ai'
import { createMessageEngine } from '../engine.ts'
import type { MessageEngine, MessageEngineOptions } from '../message-engine.ts'
import type { EngineStorage } from '../persistence.ts'
import type { EngineState } from '../state.ts'
import type { ChannelMessage, Said } from './channel-messages.ts'
import { guardStorage } from './guarded-storage.ts'
import { serveMirrors, type MirrorService } from './serve-mirrors.ts'

export interface HolderOptions<MESSAGE extends UIMessage> {
  readonly engineOptions: MessageEngineOptions<MESSAGE> & { storage: EngineStorage }
  /** What is shown while the conversation is restored. */
  readonly shown: EngineState<MESSAGE>
  readonly term: number
  /** The store has refused a write: there is a later holder. */
  readonly onTaken: () => void
  readonly say: (message: Said<MESSAGE>) => void
  /** The conversation is restored: the engine's state can be shown. */
  readonly onReady: () => void
}

/** The real engine, in the tab that holds the conversation. */
export interface Holder<MESSAGE extends UIMessage> {
  readonly engine: MessageEngine<MESSAGE>
  isReady(): boolean
  term(): number
  isWatched(): boolean
  receive(message: ChannelMessage<MESSAGE>): void
  /** Something that was said may have got lost. */
  onMissed(): void
  /** Ends the engine and stores what is left. */
  leave(): void
  /** Another tab holds the conversation already: ends the engine, and nothing more is stored. */
  lose(): void
  /** Resolves when another tab may hold the conversation. */
  readonly over: Promise<void>
}

export function createHolder<MESSAGE extends UIMessage>({
  engineOptions,
  shown,
  say,
  onReady,
  onTaken,
  ...options
}: HolderOptions<MESSAGE>): Holder<MESSAGE> {
  const lost = new AbortController()
  const { storage, closed } = guardStorage(engineOptions.storage, {
    lost: lost.signal,
    onTaken,
    shown,
  })
  const engine = createMessageEngine<MESSAGE>({ ...engineOptions, storage })
  const over = Promise.withResolvers<void>()
  let service: MirrorService<MESSAGE> | undefined
  let isOver = false

  function end(): void {
    isOver = true
    // First, so that nobody is answered by what ends here: whoever holds it next does that.
    service?.stop()
    engine.dispose()
  }

  void engine.ready.then(() => {
    if (isOver) return
    service = serveMirrors({ engine, term: options.term, say })
    onReady()
  })

  return {
    engine,
    over: over.promise,
    isReady: () => service !== undefined,
    term: () => service?.term() ?? options.term,
    isWatched: () => service?.isWatched() ?? false,
    receive: (message) => service?.receive(message),
    onMissed: () => service?.onMissed(),
    leave() {
      end()
      void closed().then(over.resolve)
    },
    lose() {
      lost.abort()
      end()
      over.resolve()
    },
  }
}
