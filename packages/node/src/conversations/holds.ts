import type { ConversationHold, Conversations } from '@assent/engine/storage'

/** A wish to hold a conversation, which is fulfilled when those before it are over. */
export interface HoldRequest {
  /** Once it is held. */
  readonly hold: ConversationHold | undefined
  /** Gives it back, or does not wait for it any more. */
  end(): void
}

/** Options of {@link conversationHolds}. */
export interface HoldsOptions {
  readonly conversations: Conversations
  readonly leaseMs: number
  /** Milliseconds between two looks at a conversation that another process holds. */
  readonly lookMs: number
  readonly onError: (error: unknown) => void
}

/** Who waits for which conversation here, each in turn. */
export interface ConversationHolds {
  request(
    conversationId: string,
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
  readonly waiting: Set<Waiting>
  isAsking: boolean
  timer: NodeJS.Timeout | undefined
}

export function conversationHolds({
  conversations,
  leaseMs,
  lookMs,
  onError,
}: HoldsOptions): ConversationHolds {
  const lines = new Map<string, Line>()
  const releasing = new Set<Promise<void>>()
  let isClosed = false

  /** Gives the conversation to the first that waits for it, as soon as it can be had. */
  async function ask(conversationId: string, line: Line): Promise<void> {
    const [first] = line.waiting
    if (!first || first.hold || line.isAsking || isClosed) return
    clearTimeout(line.timer)
    line.isAsking = true
    let hold: ConversationHold | undefined
    try {
      hold = await conversations.hold(conversationId, { leaseMs })
    } catch (error) {
      onError(error)
    }
    line.isAsking = false
    if (line.waiting.size === 0 || isClosed) {
      // Whoever waited has gone meanwhile.
      if (hold) void release(hold)
      forget(conversationId, line)
    } else if (hold) give(conversationId, line, hold)
    else line.timer = setTimeout(() => void ask(conversationId, line), lookMs).unref()
  }

  function give(conversationId: string, line: Line, hold: ConversationHold): void {
    const [first] = line.waiting
    if (!first) return
    first.hold = hold
    hold.lost.addEventListener('abort', () => {
      if (!line.waiting.delete(first)) return
      first.listener.onLost()
      next(conversationId, line)
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
  async function pass(conversationId: string, line: Line, hold: ConversationHold): Promise<void> {
    await release(hold)
    if (!isClosed) next(conversationId, line)
  }

  function next(conversationId: string, line: Line): void {
    if (line.waiting.size > 0) void ask(conversationId, line)
    else if (!line.isAsking) forget(conversationId, line)
  }

  function forget(conversationId: string, line: Line): void {
    clearTimeout(line.timer)
    if (lines.get(conversationId) === line) lines.delete(conversationId)
  }

  return {
    request(conversationId, listener) {
      const line = lines.get(conversationId) ?? {
        waiting: new Set(),
        isAsking: false,
        timer: undefined,
      }
      lines.set(conversationId, line)
      const own: Waiting = { listener, hold: undefined }
      line.waiting.add(own)
      void ask(conversationId, line)
      return {
        get hold() {
          return own.hold
        },
        end() {
          if (!line.waiting.delete(own)) return
          const { hold } = own
          if (hold) void pass(conversationId, line, hold)
          else next(conversationId, line)
        },
      }
    },
    async close() {
      isClosed = true
      for (const line of lines.values()) {
        clearTimeout(line.timer)
        for (const { hold } of line.waiting) if (hold) void release(hold)
        line.waiting.clear()
      }
      lines.clear()
      await Promise.all(releasing)
    },
  }
}
