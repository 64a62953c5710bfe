import type { MessageEngine } from '@assent/engine'
import { fromChannelText, toChannelText } from '@assent/engine/remote'
import { channelNameOf, shareHeldEngine, type ChannelLike } from '@assent/engine/shared'
import { channelRelay } from './channel-relay.ts'
import type { SharedConversations } from '@assent/engine/storage'

/** Options of {@link shareWithPages}. */
export interface ShareWithPagesOptions {
  /** Its conversation is held by this process. */
  readonly engine: MessageEngine
  /** Whose conversation it is. Default: nobody's. */
  readonly conversationOwner?: string | undefined
  /** Whether pages may decide, too. Nobody says here who they are. Default `true`. */
  readonly mayCommand?: boolean | undefined
  readonly onError: (error: unknown) => void
}

/**
 * Lets pages read along what an engine of this process does, whatever server they are connected to, and
 * decide and stop there. To be called when the engine is ready. Returns how to end it; call that before
 * the conversation is let go.
 */
export function shareWithPages(
  { channels }: SharedConversations,
  { engine, conversationOwner, mayCommand, onError }: ShareWithPagesOptions,
): () => void {
  const listeners = {
    message: new Set<(event: { data: unknown }) => void>(),
    messageerror: new Set<(event: { data: unknown }) => void>(),
  }
  const end = channelRelay(channels, onError).join(channelNameOf(engine.id, conversationOwner), {
    onHeard(text) {
      const data = read(text)
      for (const listener of listeners.message) listener({ data })
    },
    onMissed() {
      for (const listener of listeners.messageerror) listener({ data: undefined })
    },
  })
  const channel: ChannelLike = {
    postMessage: (message) => end.say(toChannelText(message)),
    addEventListener: (type, listener) => void listeners[type].add(listener),
    close: () => end.leave(),
  }
  return shareHeldEngine({ engine, channel, mayCommand })
}

/** What a text of a page says; nothing, if that is nothing that pages say. */
function read(text: string): unknown {
  try {
    return fromChannelText(text)
  } catch {
    return undefined
  }
}
