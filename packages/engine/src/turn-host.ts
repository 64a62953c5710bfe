import type { UIMessage } from 'ai'
import type { EngineError } from './errors.ts'
import { closeOpenParts, type CloseOptions } from './message/close-open-parts.ts'
import type { EnginePlugin, PluginContext } from './plugin.ts'
import { wake, type Run } from './run.ts'
import type { TurnState } from './state.ts'
import type { Store } from './store.ts'
import type { MessageTransport, TurnRequestOptions } from './transport/transport.ts'

/** What a turn works with. */
export interface TurnHost<MESSAGE extends UIMessage> {
  readonly conversationId: string
  readonly engineKey: object
  readonly store: Store<MESSAGE>
  readonly plugins: readonly EnginePlugin<MESSAGE>[]
  readonly transport: MessageTransport<MESSAGE>
  readonly requireFinish: boolean
  requestOptions(): TurnRequestOptions
  generateId(): string
  now(): number
  onData?: ((part: { type: `data-${string}`; id?: string; data: unknown }) => void) | undefined
  /** A callback that only observes threw. */
  report(error: EngineError): void
  /** Goes on with a paused turn. */
  resume(run: Run, showing: 'calling-tools' | 'requesting'): void
  /** The turn is over: completed, or failed with an error. */
  finish(run: Run, error?: EngineError): void
}

/** Writes facts of the open turn. */
export function patchTurn<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  patch: Partial<TurnState>,
): void {
  const { turn } = host.store.getState()
  if (turn) host.store.patch({ turn: { ...turn, ...patch } })
}

/**
 * Makes the messages of the turn valid for any later request: every call that is still open gets a
 * result that says why, streaming text is done. Answers whether anything was open.
 */
export function closeTurnMessages<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  options: Pick<CloseOptions, 'text' | 'ended'>,
): boolean {
  const { store } = host
  store.detach()
  const { turn, messages } = store.getState()
  const opening = turn?.userMessageId ?? turn?.assistantMessageId
  const from = opening === undefined ? messages.length - 1 : store.indexOf(opening)
  for (const { id, role } of messages.slice(Math.max(0, from))) {
    if (role !== 'assistant') continue
    // Closing changes parts within their own types.
    store.replace(
      id,
      (message) => closeOpenParts(message, { ...options, now: host.now() }) as MESSAGE,
    )
  }
  return store.getState().messages !== messages
}

/**
 * What hooks and commands are given. Once `isOpen` says no, by default when the turn is over,
 * writing through it does nothing.
 */
export function createContext<MESSAGE extends UIMessage>(
  host: TurnHost<MESSAGE>,
  run: Run | undefined,
  isOpen: () => boolean = () => run === undefined || run.isAlive,
): PluginContext<MESSAGE> {
  const { store } = host
  return {
    engineKey: host.engineKey,
    conversationId: host.conversationId,
    abortSignal: run?.controller.signal ?? new AbortController().signal,
    getState: store.getState,
    get turn() {
      return store.getState().turn
    },
    get customContext() {
      return store.getState().turn?.customContext ?? {}
    },
    setCustomContext(patch) {
      const { turn } = store.getState()
      if (isOpen()) patchTurn(host, { customContext: { ...turn?.customContext, ...patch } })
    },
    setRequestState(_state, reason = { type: 'plugin' }) {
      if (run?.isAlive) run.pauseRequested = reason
    },
    appendMessage(message) {
      if (isOpen()) store.append(message)
    },
    updateMessage(messageId, update) {
      if (isOpen()) store.replace(messageId, update)
    },
    markUnsent(call) {
      if (!isOpen()) return
      const unsent = store.getState().turn?.unsent ?? []
      patchTurn(host, { unsent: [...unsent, call] })
    },
    appendConfirmation(confirmation) {
      if (!isOpen()) return
      store.patch({ confirmations: [...store.getState().confirmations, confirmation] })
    },
    advance(showing = 'calling-tools') {
      if (!run?.isAlive) return
      wake(run)
      if (!run.isLooping) host.resume(run, showing)
    },
    generateId: host.generateId,
    now: host.now,
    reportError: host.report,
  }
}
