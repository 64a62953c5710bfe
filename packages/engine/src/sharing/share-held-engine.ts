import type { UIMessage } from 'ai'
import { EngineError } from '../errors.ts'
import type { MessageEngine } from '../message-engine.ts'
import { randomId } from '../random-id.ts'
import { hear, say, type ChannelMessage } from './channel-messages.ts'
import type { ChannelLike } from './environment.ts'
import { serveMirrors } from './serve-mirrors.ts'

/** Options of {@link shareHeldEngine}. */
export interface ShareHeldEngineOptions<MESSAGE extends UIMessage = UIMessage> {
  /** It holds its conversation by other means than a lock of the browser, such as a lease. */
  readonly engine: MessageEngine<MESSAGE>
  /** By the name of `channelNameOf`. */
  readonly channel: ChannelLike
  /**
   * Whether pages may decide, answer and run other commands of plugins; otherwise that is refused
   * (`sharing_unavailable`). Nobody says here who they are. Default `true`.
   */
  readonly mayCommand?: boolean | undefined
}

/**
 * Shows pages what an engine does that no page has, such as that of a worker, and carries out what they
 * ask for: for them it is the holder. To be called when the engine is ready. Returns how to end it, which
 * closes the channel; call that before the conversation is let go.
 */
export function shareHeldEngine<MESSAGE extends UIMessage = UIMessage>({
  engine,
  channel,
  mayCommand = true,
}: ShareHeldEngineOptions<MESSAGE>): () => void {
  const from = randomId()
  const service = serveMirrors<MESSAGE>({
    engine,
    // Greater than those before it; one that was begun by a clock ahead of this one is outbid.
    term: Date.now() + Math.random(),
    // A message type is what its parts say; on the way it is any.
    refuse: ({ method }) => (mayCommand || method !== 'runPluginCommand' ? undefined : notHere()),
    say: (message) => say(channel, { ...message, from } as ChannelMessage),
  })
  let isOver = false
  channel.addEventListener('message', ({ data }) => {
    const heard = hear(data)
    if (isOver || !heard || heard === 'other-version') return
    service.receive(heard as ChannelMessage<MESSAGE>)
  })
  channel.addEventListener('messageerror', () => {
    if (!isOver) service.onMissed()
  })
  return () => {
    if (isOver) return
    isOver = true
    service.stop()
    channel.close()
  }
}

function notHere(): EngineError {
  const text = 'This cannot be decided in this page: decide it where the task waits.'
  return new EngineError('sharing_unavailable', text)
}
