import type { UIMessage } from 'ai'
import { EngineError } from '../errors.ts'
import { scheduleFrame } from '../frame.ts'
import type { MessageEngineOptions } from '../message-engine.ts'
import type { EngineStorage } from '../persistence.ts'
import { randomId } from '../random-id.ts'
import type { EngineState } from '../state.ts'
import { backgroundFrame } from './background-frame.ts'
import { hear, say as sayTo, type ChannelMessage, type Said } from './channel-messages.ts'
import type { ChannelLike, FullEnvironment } from './environment.ts'
import { createHolder, type Holder } from './holder.ts'
import { askForLock } from './lock.ts'
import { createMirror, type View } from './mirror.ts'
import type { Place } from './open-calls.ts'
import { watchPage } from './page-lifecycle.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions.ts'

export interface TabOptions<MESSAGE extends UIMessage> {
  readonly engineOptions: MessageEngineOptions<MESSAGE> & { id: string; storage: EngineStorage }
  /** Of lock and channel. */
  readonly name: string
  readonly environment: FullEnvironment
  readonly report: (error: EngineError) => void
  readonly onListenerError: (error: unknown) => void
  /** The state of the holder in another tab has come. */
  readonly onState: () => void
  /** There is a holder that takes calls: this tab or another one. */
  readonly onPlace: () => void
  readonly onReply: (reply: ChannelMessage<MESSAGE> & { type: 'reply' }) => void
}

/** One tab of a conversation: its part in who holds it, and what it sees of it. */
export interface ConversationTab<MESSAGE extends UIMessage> extends Pick<
  Subscriptions<MESSAGE>,
  'subscribe' | 'subscribeMessage'
> {
  view(): View<MESSAGE>
  /** Who carries calls out; `undefined` while that is not known. */
  place(): Place<MESSAGE> | undefined
  isHolder(): boolean
  /** Begins, as a mirror. */
  enter(): void
  say(message: Said<MESSAGE>): void
  dispose(): void
}

export function createConversationTab<MESSAGE extends UIMessage>(
  options: TabOptions<MESSAGE>,
): ConversationTab<MESSAGE> {
  const { engineOptions, name, environment, report, onListenerError } = options
  const { now = Date.now } = engineOptions
  const tabId = randomId()
  let channel: ChannelLike | undefined
  let holder: Holder<MESSAGE> | undefined
  let stopAsking: (() => void) | undefined
  let isVersionTold = false
  let isDisposed = false

  const mirror = createMirror<MESSAGE>({
    state: initialState(engineOptions),
    tabId,
    say,
    scheduleFrame: engineOptions.scheduleFrame ?? scheduleFrame,
    onListenerError,
    onState: options.onState,
    onTerm: options.onPlace,
  })
  const subscriptions = createSubscriptions<MESSAGE>(mirror, onListenerError)

  function say(message: Said<MESSAGE>): void {
    if (!channel) return
    // A message type is what its parts say; on the way it is any.
    sayTo(channel, { ...message, from: tabId } as ChannelMessage)
  }

  function receive(data: unknown): void {
    const heard = hear(data)
    if (!heard) return
    if (heard === 'other-version') return warnOfVersion()
    const message = heard as ChannelMessage<MESSAGE>
    if (message.type === 'reply') {
      if (message.to === tabId) options.onReply(message)
    } else if (holder) holder.receive(message)
    else mirror.receive(message)
  }

  function warnOfVersion(): void {
    if (isVersionTold) return
    isVersionTold = true
    const text =
      'Another tab has this conversation open in another version of the app: reload both.'
    report(new EngineError('sharing_unavailable', text))
  }

  /** Comes, or comes back, as a mirror. */
  function enter(): void {
    channel = environment.channel(name)
    const opened = channel
    opened.addEventListener('message', ({ data }) => {
      if (channel === opened) receive(data)
    })
    opened.addEventListener('messageerror', () => {
      if (channel !== opened) return
      if (holder) holder.onMissed()
      else mirror.ask()
    })
    mirror.ask()
    queue()
  }

  function queue(): void {
    stopAsking = askForLock({
      locks: environment.locks,
      name,
      hold,
      onStolen: lose,
      onRefused(cause) {
        const text = 'The lock of this conversation cannot be had; the engine runs without it.'
        report(new EngineError('sharing_unavailable', text, { cause }))
        void hold()
      },
    })
  }

  /** Another tab holds the conversation: this one mirrors it, and waits for its turn. */
  function lose(): void {
    giveUp((lost) => lost.lose())
    if (isDisposed) return
    mirror.ask()
    queue()
  }

  function hold(): Promise<void> {
    const held = createHolder<MESSAGE>({
      engineOptions: { scheduleFrame: backgroundFrame, ...engineOptions },
      shown: mirror.getState(),
      // Greater than those of all others, also of one that nobody heard of.
      term: Math.max(now() + Math.random(), mirror.latestTerm() + 1),
      say,
      onTaken() {
        if (holder === held) lose()
      },
      onReady() {
        subscriptions.look(held.engine)
        options.onPlace()
      },
    })
    holder = held
    return held.over
  }

  /** What was shown stays. */
  function giveUp(end: (holder: Holder<MESSAGE>) => void): void {
    const former = holder
    if (!former) return
    if (former.isReady()) mirror.resume(former.engine.getState(), former.term())
    holder = undefined
    subscriptions.look(mirror)
    end(former)
  }

  function leave(): void {
    stopAsking?.()
    stopAsking = undefined
    giveUp((left) => left.leave())
    say({ type: 'bye' })
    channel?.close()
    channel = undefined
  }

  const stopWatching = watchPage({
    onPause(how) {
      // Nobody is kept waiting: what runs here may go on when the tab does.
      if (how === 'frozen' && holder && !holder.isWatched()) return
      leave()
    },
    onResume() {
      if (!channel) enter()
    },
    onClose: () => say({ type: 'bye' }),
    // No frame comes any more for which the engine may wait.
    onHide: () => holder?.engine.flush(),
  })

  return {
    view: () => (holder?.isReady() ? holder.engine : mirror),
    place() {
      if (!holder) return mirror.holderTerm()
      return holder.isReady() ? holder.engine : undefined
    },
    isHolder: () => holder?.isReady() ?? false,
    enter,
    say,
    subscribe: subscriptions.subscribe,
    subscribeMessage: subscriptions.subscribeMessage,
    dispose() {
      isDisposed = true
      stopWatching()
      subscriptions.dispose()
      leave()
      mirror.dispose()
    },
  }
}

/** What an engine shows before it has restored anything. */
function initialState<MESSAGE extends UIMessage>({
  messages = [],
  confirmations = [],
}: MessageEngineOptions<MESSAGE>): EngineState<MESSAGE> {
  return {
    requestState: 'idle',
    processingState: undefined,
    messages,
    messageIds: messages.map(({ id }) => id),
    error: undefined,
    turn: undefined,
    queue: [],
    confirmations,
    drafts: [],
  }
}
