import {
  namespaceOf,
  type ConversationHold,
  type ConversationName,
  type SharedConversations,
} from '@assent/engine/storage'

/** A wish to hold a conversation, which is fulfilled when those before it are over. */
export interface HoldRequest {
  /** Once it is held. */
  readonly hold: ConversationHold | undefined
  /** Gives it back, or does not wait for it any more. */
  end(): void
}

/** Options of {@link conversationHolds}. */
export interface HoldsOptions {
  readonly conversations: SharedConversations
  readonly leaseMs: number
  readonly onError: (error: unknown) => void
}

/** Who waits for which conversation here, each in turn. */
export interface ConversationHolds {
  request(
    conversation: ConversationName,
    listener: { readonly onHeld: () => void; readonly onLost: () => void },
  ): HoldRequest
  /** Resolves when all are given back. */
  close(): Promise<void>
}

interface Waiting {
  readonly listener: { readonly onHeld: () => void; readonly onLost: () => void }
  hold: ConversationHold | undefined
}

interface Line {
  readonly conversation: ConversationName
  readonly waiting: Set<Waiting>
  isAsking: boolean
  /** It may have become free while that was asked. */
  isFree: boolean
  /** Ends waiting for another process. */
  stopWaiting: (() => void) | undefined
}

export function conversationHolds({
  conversations,
  leaseMs,
  onError,
}: HoldsOptions): ConversationHolds {
  const lines = new Map<string, Line>()
  const releasing = new Set<Promise<void>>()
  let isClosed = false

  /** Gives the conversation to the first that waits for it, as soon as it can be had. */
  async function ask(line: Line): Promise<void> {
    const [first] = line.waiting
    if (!first || first.hold || isClosed) return
    line.isFree = true
    if (line.isAsking) return
    line.isAsking = true
    let hold: ConversationHold | undefined
    while (line.isFree && !hold) {
      line.isFree = false
      // Before it is asked for: it may become free between.
      line.stopWaiting ??= conversations.onFree(line.conversation, () => void ask(line))
      try {
        const { conversationId, conversationOwner } = line.conversation
        hold = await conversations.hold(conversationId, {
          leaseMs,
          ...(conversationOwner !== undefined && { conversationOwner }),
        })
      } catch (error) {
        onError(error)
      }
    }
    line.isAsking = false
    if (line.waiting.size === 0 || isClosed) {
      // Whoever waited has gone meanwhile.
      if (hold) void release(hold)
      forget(line)
    } else if (hold) {
      stopWaiting(line)
      give(line, hold)
    }
  }

  function stopWaiting(line: Line): void {
    line.stopWaiting?.()
    line.stopWaiting = undefined
  }

  function give(line: Line, hold: ConversationHold): void {
    const [first] = line.waiting
    if (!first) return
    first.hold = hold
    hold.lost.addEventListener('abort', () => {
      if (!line.waiting.delete(first)) return
      first.listener.onLost()
      next(line)
    })
    first.listener.onHeld()
  }

  async function release(hold: ConversationHold): Promise<void> {
    const ending = hold.release().catch(onError)
    releasing.add(ending)
    await ending
    releasing.delete(ending)
  }

  /** Lets the next one have what this one had. */
  async function pass(line: Line, hold: ConversationHold): Promise<void> {
    await release(hold)
    if (!isClosed) next(line)
  }

  function next(line: Line): void {
    if (line.waiting.size > 0) void ask(line)
    else if (!line.isAsking) forget(line)
  }

  function forget(line: Line): void {
    stopWaiting(line)
    const name = nameOf(line.conversation)
    if (lines.get(name) === line) lines.delete(name)
  }

  return {
    request(conversation, listener) {
      const name = nameOf(conversation)
      const line = lines.get(name) ?? {
        conversation,
        waiting: new Set(),
        isAsking: false,
        isFree: false,
        stopWaiting: undefined,
      }
      lines.set(name, line)
      const own: Waiting = { listener, hold: undefined }
      line.waiting.add(own)
      void ask(line)
      return {
        get hold() {
          return own.hold
        },
        end() {
          if (!line.waiting.delete(own)) return
          const { hold } = own
          if (hold) void pass(line, hold)
          else next(line)
        },
      }
    },
    async close() {
      isClosed = true
      for (const line of lines.values()) {
        stopWaiting(line)
        for (const { hold } of line.waiting) if (hold) void release(hold)
        line.waiting.clear()
      }
      lines.clear()
      await Promise.all(releasing)
    },
  }
}

function nameOf({ conversationId, conversationOwner }: ConversationName): string {
  return namespaceOf(conversationId, conversationOwner)
}
