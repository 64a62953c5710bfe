import type { UIMessage } from 'ai'
import { createCommandContext, createCommandRunner, type CommandHost } from './command-runner.ts'
import { toDraftValue, withDraft } from './drafts.ts'
import { assertOptions } from './engine-options.ts'
import { EngineError } from './errors.ts'
import { scheduleFrame } from './frame.ts'
import { registerPlugins, runHooks, tellPlugins } from './hooks.ts'
import type { MessageEngine, MessageEngineOptions } from './message-engine.ts'
import { restoreMessages } from './message/restore-messages.ts'
import { createOutbox } from './outbox.ts'
import { holdAll } from './queue.ts'
import { randomId } from './random-id.ts'
import type { Persistence, SaveOptions, SaveResult } from './persistence.ts'
import { createReadiness } from './readiness.ts'
import { createReporter } from './report.ts'
import { adoptWaiting, learn, sentHere, showTaken, takeUp } from './restore.ts'
import { createRunner } from './runner.ts'
import { setMessages } from './set-messages.ts'
import { createStore } from './store.ts'
import { takenOver } from './taken-over.ts'
import { createContext, patchTurn, type TurnHost } from './turn-host.ts'
import { createWaits, reportSlow } from './waits.ts'
import { assertWhole } from './whole.ts'

/** How often everything is stopped anew while somebody else goes on with the conversation. */
const MOST_STOPS = 10

const ABORTED = 'This was aborted before it could begin.'

/**
 * Makes an engine for one conversation. Messages that await a decision open a paused turn at once.
 * Throws `invalid_argument` for options that cannot work.
 */
export function createMessageEngine<MESSAGE extends UIMessage = UIMessage>(
  options: MessageEngineOptions<MESSAGE>,
): MessageEngine<MESSAGE> {
  const { transport, maxSteps = 25, now = Date.now, generateId = randomId } = options
  assertOptions(options)
  const conversationId = options.id ?? generateId()
  const plugins = registerPlugins(options.plugins ?? [])
  const restored = restoreMessages(options.messages ?? [], now())
  const engineKey = {}
  const { report, tell, reportThrown } = createReporter(options)
  let isDisposed = false
  let isStopped = false
  /** How often everything was stopped. */
  let stops = 0
  let showing: Promise<void> | undefined
  let takeovers = 0
  let giveUps = 0

  const store = createStore<MESSAGE>({
    messages: restored.messages,
    confirmations: options.confirmations ?? [],
    scheduleFrame: options.scheduleFrame ?? scheduleFrame,
    onChange: (messageId, isDraft) => persistence?.changed(messageId, isDraft),
    onListenerError: (cause) => reportThrown('A subscriber', cause),
  })
  const persistence = options.storage?.open<MESSAGE>({
    conversationId,
    // One that is given and missing is no owner, which is refused.
    ...('owner' in options && { owner: options.owner }),
    onOwnerCleared: () => engine.dispose(),
    getState: store.getState,
    getMessage: store.getMessage,
    now,
    learn: (records) => learn(host, runner, records),
    showEarlier: store.prepend,
    onTaken: () => void showStored(),
    report,
  })

  const host: TurnHost<MESSAGE> = {
    conversationId,
    engineKey,
    store,
    plugins,
    transport,
    requireFinish: options.requireFinish ?? true,
    delivery: plugins.find((plugin) => plugin.delivery)?.delivery,
    resend: options.resend ?? {},
    responseTimeoutMs: options.responseTimeoutMs ?? 60_000,
    silenceTimeoutMs: options.silenceTimeoutMs ?? 300_000,
    waits: createWaits(now, store.showWaiting),
    requestOptions: () =>
      (typeof options.request === 'function' ? options.request() : options.request) ?? {},
    generateId,
    now,
    onData(part) {
      try {
        options.onData?.(part)
      } catch (cause) {
        reportThrown('onData', cause)
      }
    },
    report,
    save: () => persistence && save(persistence),
    resume: (run, showing) => runner.resume(run, showing),
    finish: (run, error) => runner.finish(run, error),
  }
  const runner = createRunner(host, {
    maxSteps,
    onTurnError: tell,
    onTurnOver: () => outbox.drain(),
  })

  /** Whoever is told that somebody else goes on finds what is stored. */
  async function save(
    persistence: Persistence<MESSAGE>,
    options?: SaveOptions,
  ): Promise<SaveResult> {
    const result = await persistence.save(options)
    await showing
    return result
  }

  /** Somebody else goes on with the conversation: its turn ends here, and what is stored is shown. */
  function showStored(): Promise<void> {
    takeovers++
    showing ??= (async () => {
      const sent = sentHere(store.getState())
      const run = runner.current()
      if (!isDisposed) {
        if (run?.isAlive) runner.finish(run, takenOver())
        else report(takenOver())
      }
      const kept = await persistence?.restore()
      if (kept && !isDisposed) {
        const lost = showTaken(host, runner, kept, sent)
        // Nothing is kept of a conversation that is gone.
        if (kept.messages.length > 0) await persistence?.hold(lost)
      }
      showing = undefined
    })()
    return showing
  }

  /** What holds and what waits is stopped in the tick in which the turn ends. */
  function stopNow(): Promise<void> {
    return store.batch(() => {
      tellPlugins(plugins, 'onStopAll', createContext(host, undefined), report)
      store.patch({ queue: holdAll(store.getState().queue) })
      return runner.abort()
    })
  }

  /** Reads what is missing of the conversation: no turn begins on a part of it. */
  async function readWhole(): Promise<void> {
    const before = giveUps
    await persistence?.loadEarlier?.(true)
    // Somebody else may have gone on with it.
    await showing
    readiness.assertNotDisposed()
    if (giveUps > before) throw new EngineError('removed', ABORTED)
    assertWhole(store.getState())
  }

  /** Lets go of what has not begun. */
  function giveUpWaiting(): void {
    giveUps++
    const error = new EngineError('removed', ABORTED)
    readiness.giveUp(error)
    stopReconnecting(error)
  }

  /** Whether the model is being asked or answers. */
  function isAnswering(): boolean {
    const { processingState } = store.getState()
    return processingState === 'requesting' || processingState === 'completing'
  }

  async function initialise(): Promise<void> {
    if (persistence) {
      const kept = await persistence.restore()
      // Whoever has the conversation now goes on with it: it must not go on here, too.
      if (isDisposed) return
      if (kept?.isElsewhere) {
        showTaken(host, runner, kept)
        report(takenOver())
      } else {
        if (kept) takeUp(host, runner, kept)
        for (const id of kept?.changed ?? store.getState().messageIds) persistence.changed(id)
        adoptWaiting(host, runner, kept ?? restored, maxSteps)
      }
      // Before anything of what was restored goes on.
      if (isStopped) void stopNow()
    }
    if (isDisposed) return
    const context = createContext(host, undefined)
    await runHooks(plugins, 'onInit', context, { report, beginWait: reportSlow(report) })
  }

  if (!persistence) adoptWaiting(host, runner, restored, maxSteps)
  const isAtOnce = !persistence && !plugins.some((plugin) => plugin.onInit)
  const readiness = createReadiness(isAtOnce ? undefined : initialise())

  const commandHost: CommandHost<MESSAGE> = {
    plugins,
    readiness,
    readWhole: () => (store.getState().earlier ? readWhole() : undefined),
    batch: store.batch,
    report,
    save: host.save,
    takeovers: () => takeovers,
    setPauseReason(pauseReason) {
      if (store.getState().turn?.pauseReason) patchTurn(host, { pauseReason })
    },
    assertAccepting() {
      if (!isAnswering()) return
      const { processingState } = store.getState()
      throw new EngineError('busy', 'The model is answering; try again when its step has ended.', {
        retryable: true,
        details: { processingState },
      })
    },
    openContext() {
      const run = runner.isBusy() ? runner.current() : undefined
      const stopsBefore = stops
      return {
        context: createContext(host, run),
        requestNext() {
          readiness.assertNotDisposed()
          assertWhole(store.getState())
          if (run?.isAlive === false || stops > stopsBefore) {
            throw new EngineError('nothing_to_retry', 'The turn that this was for has ended.')
          }
          runner.requestNext()
        },
      }
    },
    assertResumable() {
      if (runner.isBusy()) return
      throw new EngineError('nothing_to_retry', 'No turn is open to go on with.')
    },
  }

  const outbox = createOutbox({
    host,
    runner,
    whenBusy: options.whenBusy ?? 'queue',
    readiness,
    readWhole,
    offerWhileWaiting(text) {
      if (isAnswering()) return false
      const { context, requestNextIfAsked } = createCommandContext(commandHost)
      const isTaken = store.batch(() =>
        plugins.some((plugin) => plugin.onMessageWhileWaiting?.(text, context)),
      )
      if (isTaken) requestNextIfAsked()
      return isTaken
    },
  })

  // What is left are the methods that a conversation has of it.
  const {
    drain,
    assertFree: _assertFree,
    stopReconnecting,
    dispose: closeOutbox,
    ...sending
  } = outbox

  // A queued message may have been left behind a turn that had just ended.
  if (persistence) void readiness.ready.then(drain)

  const engine: MessageEngine<MESSAGE> = {
    id: conversationId,
    ready: readiness.ready,
    getState: store.getState,
    getMessage: store.getMessage,
    subscribe: store.subscribe,
    subscribeMessage: store.subscribeMessage,
    flush: store.flush,
    ...sending,
    async abort() {
      giveUpWaiting()
      await runner.abort()
    },
    async stopAll() {
      if (isDisposed) return
      giveUpWaiting()
      stops++
      // Whatever is restored first is stopped as soon as it is there.
      isStopped = true
      await stopNow()
      await readiness.ready
      isStopped = false
      // What is there by now is stopped as well, whoever has stored it.
      for (let tries = 0; tries < MOST_STOPS; tries++) {
        if (!persistence || isDisposed) return
        const seen = takeovers
        await save(persistence, { isForced: true })
        if (takeovers === seen) return
        await stopNow()
      }
    },
    loadEarlier: async () => persistence?.loadEarlier?.(false),
    setMessages(next) {
      readiness.assertReady()
      assertWhole(store.getState())
      outbox.assertFree()
      stopReconnecting(new EngineError('removed', 'Other messages were put in place.'))
      const messages = typeof next === 'function' ? next(store.getState().messages) : next
      for (const id of setMessages(host, runner, messages, maxSteps)) persistence?.changed(id)
      persistence?.reordered()
    },
    setDraft(key, draft, about) {
      const change = { key, value: toDraftValue(key, draft), ...(about && { about }) }
      store.patch({ drafts: withDraft(store.getState().drafts, change, store.getMessage) })
    },
    runPluginCommand: createCommandRunner(commandHost),
    dispose() {
      isDisposed = true
      readiness.dispose()
      runner.dispose()
      closeOutbox()
      void persistence?.close()
      store.dispose()
    },
  }
  return engine
}
