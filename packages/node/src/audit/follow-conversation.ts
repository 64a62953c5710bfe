import {
  EngineError,
  type ConfirmationRecord,
  isSettled,
  type Persistence,
  type PersistenceHost,
  type SaveOptions,
  type SaveResult,
  type ToolCallPart,
} from '@assent/engine'
import type { UIMessage } from 'ai'
import type { AuditLog } from './audit-log.ts'
import { callIdOf } from './call-row.ts'
import { callsOf, changeOf, isOver, type EngineCall } from './engine-calls.ts'
import { openCalls } from './open-calls.ts'
import type { CallChange } from './record-call.ts'

/** Options of `auditStorage`. */
export interface AuditStorageOptions {
  /** The task that the calls of a turn belong to; asked when something of it is noted. */
  readonly taskId?: string | (() => string | undefined)
  /** Who made a decision: a name or an address. */
  readonly who?: string | ((record: ConfirmationRecord) => string | undefined)
}

/** Milliseconds between two looks at an answer that streams. */
const STREAMING_MS = 500
/** Milliseconds until what could not be written is tried again. */
const RETRY_MS = 1_000

/** What is followed, and where it is noted. */
interface Followed<MESSAGE extends UIMessage> {
  readonly host: PersistenceHost<MESSAGE>
  readonly audit: AuditLog
  readonly options: AuditStorageOptions
}

/** Keeps a conversation as before, and notes in the audit what becomes of its calls. */
export function followConversation<MESSAGE extends UIMessage>(
  persistence: Persistence<MESSAGE>,
  { host, audit, options }: Followed<MESSAGE>,
): Persistence<MESSAGE> {
  const { conversationId } = host
  const open = openCalls(audit, conversationId)
  const changedMessages = new Set<string>()
  /** The calls as they were noted, by id. */
  const noted = new Map<string, ToolCallPart>()
  /** Ends that are not noted yet, since they may not be stored: else a crash makes others of them. */
  const ends = new Map<string, CallChange>()
  let notedConfirmations = 0
  let isFailing = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  /** What is being noted: one thing after the other. */
  let noting: Promise<boolean> | undefined

  function taskId(): string | undefined {
    return typeof options.taskId === 'function' ? options.taskId() : options.taskId
  }

  function change(call: EngineCall): CallChange | undefined {
    return changeOf(call, { conversationId, taskId: taskId(), owner: host.owner })
  }

  async function record(one: CallChange): Promise<void> {
    await audit.recordCall(one)
    open.note(one)
  }

  async function noteDecisions(confirmations: readonly ConfirmationRecord[]): Promise<void> {
    // What was kept has taken the place of what was given.
    const from = confirmations.length < notedConfirmations ? 0 : notedConfirmations
    notedConfirmations = confirmations.length
    const noted = confirmations.slice(from).map(async (one) => {
      // What others have decided everywhere, they note.
      if (one.conversationId !== conversationId) return
      const who = typeof options.who === 'function' ? options.who(one) : options.who
      await audit.recordDecision(one, { taskId: taskId(), who, owner: host.owner })
    })
    await all(noted, () => {
      notedConfirmations = Math.min(notedConfirmations, from)
    })
  }

  async function noteMessage(messageId: string): Promise<void> {
    const message = host.getMessage(messageId)
    const again = () => void changedMessages.add(messageId)
    if (!message) return all(open.of(messageId).map(dropped).map(record), again)
    const writing: Promise<void>[] = []
    for (const call of callsOf(message)) {
      const id = callIdOf({ conversationId, ...call })
      if (noted.get(id) === call.part) continue
      const one = change(call)
      if (!one) continue
      noted.set(id, call.part)
      if (isOver(one)) {
        ends.set(id, one)
        continue
      }
      ends.delete(id)
      const forget = () => void (noted.get(id) === call.part && noted.delete(id))
      writing.push(all([record(one)], forget))
    }
    await all(writing, again)
  }

  /** Notes all that has changed, but how calls ended. Rejects when that fails; it is tried again. */
  async function note(): Promise<void> {
    const changed = [...changedMessages]
    changedMessages.clear()
    await all([noteDecisions(host.getState().confirmations), ...changed.map(noteMessage)])
  }

  async function noteEnds(which: ReadonlyMap<string, CallChange>): Promise<void> {
    const noted = [...which].map(async ([id, one]) => {
      // It was started anew meanwhile, or its end says more by now.
      if (ends.get(id) !== one) return
      await record(one)
      if (ends.get(id) === one) ends.delete(id)
    })
    await all(noted)
  }

  /** Whether it went well; what fails is told once, until it goes well again. It begins at once if it can. */
  function attempt(act: () => Promise<void>): Promise<boolean> {
    const attempting = noting ? noting.then(() => tryTo(act)) : tryTo(act)
    noting = attempting
    void attempting.finally(() => {
      if (noting === attempting) noting = undefined
    })
    return attempting
  }

  async function tryTo(act: () => Promise<void>): Promise<boolean> {
    if (host.lost?.aborted) return false
    try {
      await act()
      isFailing = false
      return true
    } catch (cause) {
      if (!isFailing) host.report(notWritten(cause))
      isFailing = true
      return false
    }
  }

  async function save(options?: SaveOptions): Promise<SaveResult> {
    const attempting = attempt(note)
    // Those that this save stores.
    const due = new Map(ends)
    const [isNoted, saved] = await Promise.all([attempting, persistence.save(options)])
    const areEndsNoted =
      saved === 'stored' && (due.size === 0 || (await attempt(() => noteEnds(due))))
    if (saved === 'taken' || (isNoted && areEndsNoted)) return saved
    schedule(RETRY_MS)
    return 'failed'
  }

  function schedule(ms: number): void {
    if (timer !== undefined || isClosed || host.lost?.aborted) return
    timer = setTimeout(() => void look(), ms)
    timer.unref()
  }

  async function look(): Promise<void> {
    timer = undefined
    if (!(await attempt(note))) schedule(RETRY_MS)
    else if (ends.size > 0) void save()
  }

  /** Compares what was kept with what was noted before: the process may have ended in between. */
  async function compare(
    messages: readonly MESSAGE[],
    repaired: ReadonlySet<string>,
  ): Promise<void> {
    const last = messages.findLast(({ role }) => role === 'assistant')
    const known = await open.read()
    const writing: Promise<void>[] = []
    for (const message of messages) {
      for (const call of callsOf(message)) {
        const id = callIdOf({ conversationId, ...call })
        const isKnown = known.delete(id)
        const one = change(call)
        if (!one || repaired.has(message.id)) continue
        // What ended before there was an audit is not told as if it ended now.
        if (isOver(one) && !isKnown && message !== last) continue
        const { part } = call
        writing.push(record(one).then(() => void noted.set(id, part)))
      }
    }
    await all([...writing, ...[...known.values()].map(dropped).map(record)])
  }

  return {
    async restore() {
      // Of the history that the engine was given, nothing ends now.
      const history = host.getState().messages.flatMap((message) => callsOf(message))
      for (const call of history) {
        if (isSettled(call.part)) noted.set(callIdOf({ conversationId, ...call }), call.part)
      }
      const kept = await persistence.restore()
      if (kept) {
        await attempt(async () => {
          await noteDecisions(kept.confirmations)
          await compare(kept.messages, new Set(kept.changed))
        })
      }
      return kept
    },
    changed(messageId, isDraft = false) {
      persistence.changed(messageId, isDraft)
      if (isDraft) return
      if (messageId !== undefined) changedMessages.add(messageId)
      if (timer !== undefined) return
      schedule(host.getState().processingState === 'completing' ? STREAMING_MS : 0)
    },
    reordered: () => persistence.reordered(),
    save,
    hold: (queued) => persistence.hold(queued),
    async close() {
      isClosed = true
      clearTimeout(timer)
      const saving = persistence.save()
      const closing = persistence.close()
      // What changes in the tick of the end belongs to it.
      await Promise.resolve()
      const attempting = attempt(note)
      const saved = await saving
      await closing
      await attempting
      const due = new Map(ends)
      if (saved === 'stored' && due.size > 0) await attempt(() => noteEnds(due))
    },
  }
}

/** Waits for all, also when one fails; then that is undone, and it rejects with the first reason. */
async function all(writing: readonly Promise<void>[], undo?: () => void): Promise<void> {
  const failed = (await Promise.allSettled(writing)).find(({ status }) => status === 'rejected')
  if (failed?.status !== 'rejected') return
  undo?.()
  throw failed.reason
}

/** A call whose message was taken away. */
function dropped({ input: _input, ...call }: CallChange): CallChange {
  const error = 'Its message was taken away before it ended.'
  return { ...call, phase: 'failed', outcome: 'dropped', error, startedAt: undefined }
}

function notWritten(cause: unknown): EngineError {
  const text =
    'What becomes of the tool calls could not be written to the audit; it is tried again.'
  return new EngineError('storage_failed', text, { cause, retryable: true })
}
