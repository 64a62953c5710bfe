import type { UIMessage } from 'ai'
import type { CommandResult, RunPluginCommand } from '../commands.ts'
import { toDraftValue } from '../drafts.ts'
import { EngineError, toEngineError } from '../errors.ts'
import { toMessage } from '../message/message-input.ts'
import type { MessageEngine, MessageEngineOptions } from '../message-engine.ts'
import type { EngineStorage } from '../persistence.ts'
import { onOwnerCleared } from '../owner.ts'
import { findQueued, moveTo } from '../queue.ts'
import { randomId } from '../random-id.ts'
import { createReporter } from '../report.ts'
import type { EngineState, TurnOutcome } from '../state.ts'
import { errorOf, failure, type CallRequest, type CallResult } from './calls.ts'
import { createConversationTab } from './conversation-tab.ts'
import type { FullEnvironment } from './environment.ts'
import { createOpenCalls } from './open-calls.ts'
import { createOwnDecisions } from './own-decisions.ts'
import type { SharedEngine } from './shared-engine.ts'

/** Makes this tab's engine of a conversation, by what tabs of one origin share. */
export function shareEngine<MESSAGE extends UIMessage>(
  engineOptions: MessageEngineOptions<MESSAGE> & { id: string; storage: EngineStorage },
  name: string,
  environment: FullEnvironment,
): SharedEngine<MESSAGE> {
  const { id, generateId = randomId, now = Date.now } = engineOptions
  const ready = Promise.withResolvers<void>()
  /** Decisions that were there before this tab looked. */
  let old: ReadonlySet<string> | undefined
  let isDisposed = false
  /** The engine that ran here until this was disposed. */
  let last: MessageEngine<MESSAGE> | undefined
  const { report, reportThrown } = createReporter(engineOptions)

  const tab = createConversationTab<MESSAGE>({
    engineOptions,
    name,
    environment,
    report,
    onListenerError: (cause) => reportThrown('A subscriber', cause),
    onState: () => calls.onState(),
    onPlace() {
      old ??= new Set(getState().confirmations.map((record) => record.id))
      calls.onPlace()
      ready.resolve()
    },
    onReply: (reply) => calls.receive(reply),
  })
  const calls = createOpenCalls<MESSAGE>({
    ...engineOptions,
    say: tab.say,
    now,
    newId: randomId,
    getState,
    subscribe: tab.subscribe,
    place: tab.place,
  })
  const decisions = createOwnDecisions(getState, (recordId) => old?.has(recordId) ?? true)
  tab.enter()

  function getState(): EngineState<MESSAGE> {
    return tab.view().getState()
  }

  function make(request: CallRequest<MESSAGE>): Promise<CallResult> {
    if (!isDisposed) return calls.make(request)
    return Promise.resolve(failure(request, disposed(), getState().requestState))
  }

  /** Opens a turn; what is thrown before that is its error. */
  async function open(toRequest: () => CallRequest<MESSAGE>): Promise<TurnOutcome> {
    const { requestState } = getState()
    try {
      const result = await make(toRequest())
      if ('outcome' in result) return result.outcome
      return noTurn(errorOf(result) ?? unexpected())
    } catch (error) {
      return noTurn(toEngineError(error, 'invalid_argument'))
    }

    function noTurn(error: EngineError): TurnOutcome {
      return { turnId: undefined, requestState, error }
    }
  }

  /** Changes the queue: at once in the engine of this tab, else as soon as its holder does. */
  function changeQueue(request: Extract<CallRequest<MESSAGE>, { queuedId: string }>): void {
    const place = tab.place()
    if (typeof place === 'object') {
      if (request.method === 'editQueued') place.editQueued(request.queuedId, request.message)
      else if (request.method === 'moveQueued') place.moveQueued(request.queuedId, request.toIndex)
      else if (request.method === 'holdQueued') place.holdQueued(request.queuedId, request.held)
      else place[request.method](request.queuedId)
      return
    }
    findQueued(getState().queue, request.queuedId)
    tellOfError(make(request))
  }

  function tellOfError(call: Promise<CallResult>): void {
    void call.then((result) => {
      const error = errorOf(result)
      if (error && !isDisposed) report(error)
    })
  }

  const runPluginCommand: RunPluginCommand = async (
    plugin: string,
    command: string,
    payload?: unknown,
  ): Promise<CommandResult> => {
    const request = { method: 'runPluginCommand', plugin, command, payload } as const
    const asked = environment.permit?.(name, request)
    const refusal = asked && (await asked)
    if (refusal) return { success: false, error: refusal }
    const result = await make(request)
    if (!('command' in result)) return { success: false, error: errorOf(result) ?? unexpected() }
    decisions.note(plugin, result.command)
    return result.command
  }

  const engine: SharedEngine<MESSAGE> = {
    id,
    ready: ready.promise,
    role: () => (tab.isHolder() ? 'holder' : 'mirror'),
    isDecidedElsewhere: decisions.isDecidedElsewhere,
    getState,
    getMessage: (messageId) => tab.view().getMessage(messageId),
    subscribe: tab.subscribe,
    subscribeMessage: tab.subscribeMessage,
    flush: () => tab.view().flush(),
    sendMessage: (input, options = {}) =>
      open(() => ({ method: 'sendMessage', message: toMessage(input, generateId), options })),
    regenerate: (options = {}) => open(() => ({ method: 'regenerate', options })),
    editMessage: (messageId, input, options = {}) =>
      open(() => {
        const message = { ...toMessage(input, generateId), id: messageId }
        return { method: 'editMessage', messageId, message, options }
      }),
    retry: (options = {}) => open(() => ({ method: 'retry', options })),
    reconnect: (options = {}) => open(() => ({ method: 'reconnect', options })),
    async abort() {
      calls.abort()
      const { turn, requestState } = getState()
      const isOpen = requestState === 'processing' || requestState === 'paused'
      if (isDisposed || (!isOpen && tab.place() === undefined)) return
      await make({ method: 'abort', turnId: turn?.id })
    },
    async stopAll() {
      calls.abort()
      await make({ method: 'stopAll' })
    },
    async loadEarlier() {
      if (getState().earlier) await make({ method: 'loadEarlier' })
    },
    editQueued(queuedId, input) {
      const message = { ...toMessage(input, generateId), id: queuedId }
      changeQueue({ method: 'editQueued', queuedId, message })
    },
    removeQueued: (queuedId) => changeQueue({ method: 'removeQueued', queuedId }),
    sendQueued: (queuedId) => changeQueue({ method: 'sendQueued', queuedId }),
    moveQueued(queuedId, toIndex) {
      moveTo(getState().queue, findQueued(getState().queue, queuedId), toIndex)
      changeQueue({ method: 'moveQueued', queuedId, toIndex })
    },
    holdQueued: (queuedId, held) => changeQueue({ method: 'holdQueued', queuedId, held }),
    setMessages(next) {
      const { messages: before } = getState()
      const messages = typeof next === 'function' ? next(before) : next
      const place = tab.place()
      if (typeof place === 'object') place.setMessages(messages)
      else tellOfError(make({ method: 'setMessages', messages }))
    },
    setDraft(key, value, about) {
      const draft = toDraftValue(key, value)
      const place = last ?? tab.place()
      if (typeof place === 'object') place.setDraft(key, draft, about)
      else tellOfError(make({ method: 'setDraft', key, draft, about }))
    },
    runPluginCommand,
    dispose() {
      if (isDisposed) return
      isDisposed = true
      stopListening?.()
      const place = tab.place()
      if (typeof place === 'object') last = place
      calls.dispose(disposed())
      tab.dispose()
      ready.resolve()
    },
  }
  // A mirror has no store that would tell it.
  const stopListening =
    engineOptions.owner === undefined
      ? undefined
      : onOwnerCleared(engineOptions.owner, (isOver) => void (isOver || engine.dispose()))
  return engine
}

function disposed(): EngineError {
  return new EngineError('disposed', 'The engine was disposed; create another one.')
}

function unexpected(): EngineError {
  const text = 'Another tab answered what was not asked: reload both, they run different versions.'
  return new EngineError('sharing_unavailable', text)
}
