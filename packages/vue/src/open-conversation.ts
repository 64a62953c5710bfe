import type { EngineState, EngineStorage, MessageEngine, Persistence } from '@assent/engine'
import { defineStorage, type ConversationStorage, type KeepOptions } from '@assent/engine/storage'
import type { UIMessage } from 'ai'

/** A conversation that has an engine. */
export interface OpenConversation<MESSAGE extends UIMessage> {
  readonly id: string
  readonly engine: MessageEngine<MESSAGE>
  /** Whether its engine knows what was stored. */
  isReady(): boolean
  /** Stores what changed. Answers whether all of it is stored. */
  save(): Promise<boolean>
  /** Whether it would not do anything by itself any more. */
  isAtRest(): boolean
  /** Takes note that a person has seen all there is. */
  look(): void
  /** How many messages came, or went on, since. */
  unseen(): number
  /** Disposes the engine, which stores what is left. */
  close(): void
  /** Disposes the engine; nothing of the conversation is written any more. */
  discard(): void
}

/** What is needed to open a conversation. */
export interface OpenOptions<MESSAGE extends UIMessage> {
  readonly id: string
  /** None on a server. */
  readonly storage: ConversationStorage | undefined
  readonly keep: KeepOptions
  createEngine(storage: EngineStorage | undefined): MessageEngine<MESSAGE>
  /** Called when it is ready, and when anything but the words of a message changed since. */
  onChange(opened: OpenConversation<MESSAGE>, isFirst: boolean): void
}

/** Opens a conversation; its engine restores it in its own time. */
export function openConversation<MESSAGE extends UIMessage>({
  id,
  storage,
  keep,
  createEngine,
  onChange,
}: OpenOptions<MESSAGE>): OpenConversation<MESSAGE> {
  const discarded = new AbortController()
  let persistence: Pick<Persistence, 'save'> | undefined
  const kept = storage && defineStorage(storage, keep)
  const engine = createEngine(
    kept && {
      open(host) {
        const signals = host.lost ? [host.lost, discarded.signal] : [discarded.signal]
        const opened = kept.open({ ...host, lost: AbortSignal.any(signals) })
        persistence = opened
        return opened
      },
    },
  )
  let isReady = false
  let before = engine.getState()
  let seen = { count: 0, last: undefined as MESSAGE | undefined }

  function publish(): void {
    const after = engine.getState()
    if (!isReady || isSame(before, after)) return
    before = after
    onChange(opened, false)
  }

  const opened: OpenConversation<MESSAGE> = {
    id,
    engine,
    isReady: () => isReady,
    save: async () => !persistence || (await persistence.save()) === 'stored',
    isAtRest() {
      const { requestState, queue } = engine.getState()
      if (requestState === 'paused') return true
      return requestState !== 'processing' && queue.every(({ held }) => held)
    },
    look() {
      const { messages } = engine.getState()
      seen = { count: messages.length, last: messages.at(-1) }
    },
    unseen() {
      const { messages } = engine.getState()
      const isContinued = seen.count > 0 && messages[seen.count - 1] !== seen.last
      return messages
        .slice(isContinued ? seen.count - 1 : seen.count)
        .filter(({ role }) => role === 'assistant').length
    },
    close() {
      unsubscribe?.()
      engine.dispose()
    },
    discard() {
      discarded.abort()
      opened.close()
    },
  }

  // Without a store nothing goes on after the page was rendered.
  const unsubscribe = storage && engine.subscribe(publish)
  if (storage) {
    void engine.ready.then(() => {
      if (discarded.signal.aborted) return
      isReady = true
      before = engine.getState()
      onChange(opened, true)
    })
  }
  return opened
}

/** Whether nothing changed but what messages say. */
function isSame(one: EngineState, other: EngineState): boolean {
  return (
    one.requestState === other.requestState &&
    one.processingState === other.processingState &&
    one.messageIds === other.messageIds &&
    one.turn === other.turn &&
    one.confirmations === other.confirmations &&
    one.queue === other.queue
  )
}
