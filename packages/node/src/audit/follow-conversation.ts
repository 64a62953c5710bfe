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

  function taskId(): string | undefined {
    return typeof options.taskId === 'function' ? options.taskId() : options.taskId
  }

  function change(call: EngineCall): CallChange | undefined {
    return changeOf(call, { conversationId, taskId: taskId() })
  }

  function record(one: CallChange): void {
    audit.recordCall(one)
    open.note(one)
  }

  function noteDecisions(confirmations: readonly ConfirmationRecord[]): void {
    // What was kept has taken the place of what was given.
    if (confirmations.length < notedConfirmations) notedConfirmations = 0
    for (const one of confirmations.slice(notedConfirmations)) {
      // What others have decided everywhere, they note.
      if (one.conversationId === conversationId) {
        const who = typeof options.who === 'function' ? options.who(one) : options.who
        audit.recordDecision(one, { taskId: taskId(), who })
      }
      notedConfirmations++
    }
  }

  function noteMessage(messageId: string): void {
    const message = host.getMessage(messageId)
    if (!message) {
      for (const one of open.of(messageId)) record(dropped(one))
      return
    }
    for (const call of callsOf(message)) {
      const id = callIdOf({ conversationId, ...call })
      if (noted.get(id) === call.part) continue
      const one = change(call)
      if (!one) continue
      if (isOver(one)) ends.set(id, one)
      else {
        ends.delete(id)
        record(one)
      }
      noted.set(id, call.part)
    }
  }

  /** Notes all that has changed, but how calls ended. Throws when that fails; it is tried again. */
  function note(): void {
    noteDecisions(host.getState().confirmations)
    for (const messageId of changedMessages) {
      noteMessage(messageId)
      changedMessages.delete(messageId)
    }
  }

  function noteEnds(which: ReadonlyMap<string, CallChange>): void {
    for (const [id, one] of which) {
      // It was started anew meanwhile, or its end says more by now.
      if (ends.get(id) !== one) continue
      record(one)
      ends.delete(id)
    }
  }

  /** Whether it went well; what fails is told once, until it goes well again. */
  function attempt(act: () => void): boolean {
    if (host.lost?.aborted) return false
    try {
      act()
      isFailing = false
      return true
    } catch (cause) {
      if (!isFailing) host.report(notWritten(cause))
      isFailing = true
      return false
    }
  }

  async function save(options?: SaveOptions): Promise<SaveResult> {
    const isNoted = attempt(note)
    const due = new Map(ends)
    const saved = await persistence.save(options)
    const areEndsNoted = saved === 'stored' && (due.size === 0 || attempt(() => noteEnds(due)))
    if (saved === 'taken' || (isNoted && areEndsNoted)) return saved
    schedule(RETRY_MS)
    return 'failed'
  }

  function schedule(ms: number): void {
    if (timer !== undefined || isClosed || host.lost?.aborted) return
    timer = setTimeout(look, ms)
    timer.unref()
  }

  function look(): void {
    timer = undefined
    if (!attempt(note)) schedule(RETRY_MS)
    else if (ends.size > 0) void save()
  }

  /** Compares what was kept with what was noted before: the process may have ended in between. */
  function compare(messages: readonly MESSAGE[], repaired: ReadonlySet<string>): void {
    const last = messages.findLast(({ role }) => role === 'assistant')
    const known = open.read()
    for (const message of messages) {
      for (const call of callsOf(message)) {
        const id = callIdOf({ conversationId, ...call })
        const isKnown = known.delete(id)
        const one = change(call)
        if (!one || repaired.has(message.id)) continue
        // What ended before there was an audit is not told as if it ended now.
        if (isOver(one) && !isKnown && message !== last) continue
        record(one)
        noted.set(id, call.part)
      }
    }
    for (const one of known.values()) record(dropped(one))
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
        attempt(() => {
          noteDecisions(kept.confirmations)
          compare(kept.messages, new Set(kept.changed))
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
      attempt(note)
      const due = new Map(ends)
      const saved = await saving
      await closing
      if (saved === 'stored' && due.size > 0) attempt(() => noteEnds(due))
    },
  }
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
