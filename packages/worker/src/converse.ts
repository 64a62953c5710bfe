import { EngineError, type MessageEngine } from '@assent/engine'
import type { ConversationHold } from '@assent/engine/storage'
import { shareWithPages } from '@assent/node'
import type { UIMessage } from 'ai'
import type { AppliedAnswer } from './apply-answers.ts'
import { hearRevocations } from './revocations-said.ts'
import { driveTurn, type TurnEnd } from './drive-turn.ts'
import type { Claim, ClaimedState } from './inbox.ts'
import { insistUntil } from './insist.ts'
import { answerTo } from './own-message.ts'
import { turnPlugin } from './turn-plugin.ts'
import { tellText } from './tell-text.ts'
import { untilAborted } from './until-aborted.ts'
import { watchStorage, type WatchedStorage } from './watched-storage.ts'
import type { WorkerParts } from './worker-parts.ts'

/** What a conversation about a task is led with. */
export interface ConverseOptions {
  readonly claim: Claim
  readonly hold: ConversationHold
  /** The task is to be left as it is. */
  readonly left: AbortSignal
  /** A person wants it to end. */
  readonly ended: AbortSignal
  /** Told of the answer as it is when the conversation is left, if it could be read. */
  readonly onLeft: (answer: readonly UIMessage[]) => void
}

/**
 * Opens the conversation of a task and leads its turn as far as it goes. All of it is stored when this
 * resolves; it throws what the turn failed with, or the reason of `left`.
 */
export async function converse(
  parts: WorkerParts,
  { claim, hold, left, ended, onLeft }: ConverseOptions,
): Promise<TurnEnd> {
  const { audit, inbox, report, mayDecide } = parts
  const { task } = claim
  const insist = insistUntil(parts, left)
  const deciders = new Map<string, string | undefined>()
  const watched = watchStorage(audit.storage(task, hold.storage, deciders))
  /** What is noted of rounds: the end of the turn waits for it. */
  const notes: Promise<void>[] = []
  let progress: Promise<unknown> = Promise.resolve()
  const note = (state: ClaimedState, phase: 'model' | 'tool', message: string): Promise<void> => {
    // How far a task is decides nothing.
    progress = progress.then(() => inbox.progress(claim, state)).catch(report)
    const noting = insist(() => audit.phase(task, phase, message))
    noting.catch(() => undefined)
    notes.push(noting)
    return noting
  }
  const own = turnPlugin({
    taskId: task.id,
    // Nothing depends on it.
    onModelRound: () => void note('model_round', 'model', 'The model is asked.'),
    // No call is begun while the audit is away: its note would fail then, and its approval be asked for again.
    onToolRound: () => note('tool_round', 'tool', 'Its tool calls are looked at.'),
  })

  const make = async () =>
    parts.createEngine({
      task,
      conversationId: task.conversationId,
      storage: watched.storage,
      plugins: [own],
      onError: report,
    })
  const making = make()
  let engine: MessageEngine | undefined
  const abort = () => void engine?.abort()
  let stopSharing = () => {}
  let stopHearing = () => {}
  let stopTelling = () => {}
  try {
    engine = await untilAborted(left, making)
    ended.addEventListener('abort', abort)
    const turn = async (opened: MessageEngine): Promise<TurnEnd> => {
      await opened.ready
      // One that could not be read is empty here, and nothing of it is stored.
      if (!(await watched.save())) throw notStored('read', watched)
      stopSharing = shareWithPages(parts.conversations, {
        engine: opened,
        // Whoever decides there is not known by name.
        mayCommand: parts.mayDecide === undefined,
        onError: report,
      })
      stopHearing = hearRevocations(parts.conversations, opened, deciders, report)
      const { onText } = parts
      if (onText) stopTelling = tellText(opened, task, { onText, report })
      if (ended.aborted) {
        await opened.abort()
        return { type: 'aborted' }
      }
      const told = async (applied: readonly AppliedAnswer[]) => {
        for (const one of applied) await audit.answered(task, one)
      }
      return driveTurn(opened, task, { told, deciders, inbox, mayDecide, report })
    }
    const end = await untilAborted(left, turn(engine))
    await untilAborted(left, Promise.all([...notes, progress]))
    if (await untilAborted(left, watched.save())) return end
    left.throwIfAborted()
    throw notStored('stored', watched)
  } finally {
    ended.removeEventListener('abort', abort)
    stopSharing()
    stopHearing()
    stopTelling()
    const answer = engine && answerTo(task.id, engine.getState().messages)
    if (answer) onLeft(answer)
    if (engine) engine.dispose()
    // It may still come; what failed was thrown above.
    else void making.then((late) => late.dispose()).catch(() => undefined)
  }
}

function notStored(what: 'read' | 'stored', { failure }: WatchedStorage): EngineError {
  const text = {
    read: 'The conversation could not be read, or not be stored, so nothing was done.',
    stored: 'What the turn came to could not be stored, so it is gone through again.',
  }
  const cause = failure()
  const said = cause ? `${text[what]} ${cause.message}` : text[what]
  return new EngineError('storage_failed', said, { retryable: true, ...(cause && { cause }) })
}
