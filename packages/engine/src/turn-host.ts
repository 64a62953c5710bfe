import type { UIMessage } from 'ai'
import type { EngineError } from './errors.ts'
import { runHooks } from './hooks.ts'
import { closeOpenParts, type CloseOptions } from './message/close-open-parts.ts'
import { given } from './message/given.ts'
import { isEqualJson } from './message/json-equality.ts'
import { findToolCall, keyOf } from './message/tool-calls.ts'
import { isDecidedRemotely, type ToolCallPart, type ToolCallRef } from './message/tool-part.ts'
import type { SaveResult } from './persistence.ts'
import type { InternalPlugin, HookContexts, HookName, PluginContext } from './plugin.ts'
import { rouse, wake, type Run } from './run.ts'
import type { Delivery, ResendOptions } from './delivery.ts'
import type { KeptRequest, ProcessingState, TurnState, WaitSubject } from './state.ts'
import type { Store } from './store.ts'
import type { MessageTransport, RequestExtras, TurnRequestOptions } from './transport/transport.ts'
import type { Waits } from './waits.ts'

/** What a turn works with. */
export interface TurnHost<MESSAGE extends UIMessage> {
  readonly conversationId: string
  readonly engineKey: object
  readonly store: Store<MESSAGE>
  readonly plugins: readonly InternalPlugin<MESSAGE>[]
  readonly transport: MessageTransport<MESSAGE>
  readonly requireFinish: boolean
  /** How decisions reach a server, where there is somebody to make them. */
  readonly delivery: Delivery | undefined
  /** How long decisions wait to be sent again. */
  readonly resend: ResendOptions
  /** How long no sign of a response is waited for. */
  readonly responseTimeoutMs: number
  /** How long a response that has begun may be silent. */
  readonly silenceTimeoutMs: number
  /** What the open turn waits for. */
  readonly waits: Waits
  requestOptions(): TurnRequestOptions
  generateId(): string
  now(): number
  onData?: ((part: { type: `data-${string}`; id?: string; data: unknown }) => void) | undefined
  /** A callback that only observes threw. */
  report(error: EngineError): void
  /**
   * Stores what changed so far, when there is a store. After `'taken'` the turn has ended here, and what
   * is stored is shown.
   */
  save(): Promise<SaveResult> | undefined
  /** Goes on with a paused turn. */
  resume(run: Run, showing: 'calling-tools' | 'requesting'): void
  /** The turn is over: completed, or failed with an error. */
  finish(run: Run, error?: EngineError): void
}

/** Headers, body and metadata of a request: the general ones, and the special ones above them. */
export function mergeExtras(
  general: TurnRequestOptions,
  special: TurnRequestOptions,
): RequestExtras {
  return {
    headers: { ...general.headers, ...special.headers },
    body: { ...general.body, ...special.body },
    metadata: special.metadata ?? general.metadata,
  }
}

/** What of a request is kept with its turn or queued message, if anything was given. */
export function keptRequest({ body = {}, metadata }: TurnRequestOptions): {
  request?: KeptRequest
} {
  const request = given({ body: Object.keys(body).length > 0 ? body : undefined, metadata })
  return Object.keys(request).length > 0 ? { request } : {}
}

/** Shows what a turn is doing. */
export function showProcessing<MESSAGE extends UIMessage>(
  { store }: TurnHost<MESSAGE>,
  processingState: ProcessingState,
): void {
  store.patch({ requestState: 'processing', processingState })
}

/**
 * Writes facts of the open turn, or takes away those that are `undefined`. Nothing changes when they
 * say what is known.
 */
export function patchTurn<MESSAGE extends UIMessage>(
  { store }: TurnHost<MESSAGE>,
  patch: Partial<TurnState>,
): void {
  const { turn } = store.getState()
  if (!turn) return
  const changed = { ...turn, ...patch }
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) Reflect.deleteProperty(changed, name)
  }
  if (!isEqualJson(turn, changed)) store.patch({ turn: changed })
}

/** Runs one hook of all plugins, as {@link runHooks} does, while the turn is open. */
export function runTurnHooks<MESSAGE extends UIMessage, HOOK extends HookName>(
  { plugins, waits }: TurnHost<MESSAGE>,
  run: Run,
  hook: HOOK,
  context: HookContexts<MESSAGE>[HOOK],
  beginWait: Waits['begin'] = waits.begin,
): Promise<unknown[]> {
  return runHooks(plugins, hook, context, {
    get isAlive() {
      return run.isAlive
    },
    beginWait,
  })
}

/** Waits for work of the open turn; the state says so once that has lasted. */
export async function waitFor<MESSAGE extends UIMessage, RESULT>(
  { waits }: Pick<TurnHost<MESSAGE>, 'waits'>,
  subject: WaitSubject,
  work: PromiseLike<RESULT>,
): Promise<RESULT> {
  const end = waits.begin(subject)
  try {
    return await work
  } finally {
    end()
  }
}

/** The turn goes on: what it waited for is no reason any more. */
export function endPause<MESSAGE extends UIMessage>(host: TurnHost<MESSAGE>, run: Run): void {
  run.pauseRequested = undefined
  patchTurn(host, { pauseReason: undefined })
}

/**
 * Makes the messages of the turn valid for any later request: every call that is still open gets a
 * result that says why, streaming text is done. Answers whether anything was open.
 *
 * @param keepsDecisions those stay that a retry can send (again), for calls executed elsewhere
 * @param isAnswered the answer came to its end: what nobody was asked about runs here or nowhere
 */
export function closeTurnMessages<MESSAGE extends UIMessage>(
  { store, plugins, now }: TurnHost<MESSAGE>,
  text: CloseOptions['text'],
  ended: CloseOptions['ended'] = 'interrupted',
  { keepsDecisions = false, isAnswered = false } = {},
): boolean {
  store.detach()
  const { turn, messages } = store.getState()
  const opening = turn?.userMessageId ?? turn?.assistantMessageId
  const from = opening === undefined ? messages.length - 1 : store.indexOf(opening)
  const { unsent = [], underWay = [] } = turn ?? {}
  for (const message of messages.slice(Math.max(0, from))) {
    if (message.role !== 'assistant') continue
    const isOneOf = (calls: readonly ToolCallRef[], part: ToolCallPart) =>
      calls.some((call) => findToolCall(message, call)?.part === part)
    const answer = (part: ToolCallPart) => {
      if (isOneOf(underWay, part)) return 'under-way'
      return isOneOf(unsent, part) ? 'unsent' : 'sent'
    }
    const closed = closeOpenParts(message, {
      text,
      ended,
      answer,
      keep: (part) => keepsDecisions && isDecidedRemotely(part) && answer(part) !== 'sent',
      now: now(),
      isRunHere: (toolName) => isAnswered || plugins.some((plugin) => plugin.runsHere?.(toolName)),
    })
    // Closing changes parts within their own types.
    store.replace(message.id, () => closed as MESSAGE)
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
  isOpen: () => boolean = () => run?.isAlive !== false,
): PluginContext<MESSAGE> {
  const { store, engineKey, conversationId, generateId, now, waits } = host
  const whileOpen =
    <ARGUMENTS extends unknown[]>(write: (...values: ARGUMENTS) => void) =>
    (...values: ARGUMENTS) => {
      if (isOpen()) write(...values)
    }
  const turnOf = () => store.getState().turn
  return {
    engineKey,
    conversationId,
    abortSignal: run?.controller.signal ?? new AbortController().signal,
    getState: store.getState,
    getMessage: store.getMessage,
    get turn() {
      return turnOf()
    },
    get customContext() {
      return turnOf()?.customContext ?? {}
    },
    setCustomContext: whileOpen((patch) => {
      const turn = turnOf()
      if (!turn) return
      const { customContext } = turn
      const isChanged = Object.entries(patch).some(([key, value]) => customContext[key] !== value)
      if (isChanged)
        store.patch({ turn: { ...turn, customContext: { ...customContext, ...patch } } })
    }),
    setRequestState(_state, reason = { type: 'plugin' }) {
      if (run?.isAlive) run.pauseRequested = reason
    },
    appendMessage: whileOpen(store.append),
    updateMessage: whileOpen(store.replace),
    amendMessage: store.amend,
    markUnsent: whileOpen((call, isUnsent = true) => {
      const others = (turnOf()?.unsent ?? []).filter((other) => keyOf(other) !== keyOf(call))
      patchTurn(host, { unsent: isUnsent ? [...others, call] : others })
    }),
    markRepaired: whileOpen((isRepaired = true) => patchTurn(host, { isRepaired })),
    appendConfirmations: whileOpen((records) => {
      if (records.length === 0) return
      store.patch({ confirmations: [...store.getState().confirmations, ...records] })
    }),
    advance(showing = 'calling-tools') {
      if (!run?.isAlive) return
      wake(run)
      if (!run.isLooping) host.resume(run, showing)
    },
    rouse() {
      if (run?.isAlive) rouse(run)
    },
    save: () => host.save(),
    beginWait: (subject) => (isOpen() ? waits.begin(subject) : () => {}),
    generateId,
    now,
    reportError: host.report,
  }
}
