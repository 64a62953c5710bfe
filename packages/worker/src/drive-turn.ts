import type { MessageEngine, TurnNotice } from '@assent/engine'
import type { UIMessage } from 'ai'
import { answerText } from './answer-text.ts'
import { applyAnswers, type AppliedAnswer } from './apply-answers.ts'
import { dropDiscarded } from './drop-discarded.ts'
import { isAnswered } from './is-answered.ts'
import type { Inbox, Task } from './inbox.ts'
import type { DecisionRules } from './may-decide.ts'
import { answerTo, messageIdFor } from './own-message.ts'
import type { RecordedReply } from './replies.ts'
import { toTaskMessage } from './task-message.ts'
import { waitingCallsOf, type TaskWaiting } from './task-waiting.ts'
import { askAgain } from './turn-plugin.ts'
import { WorkerError } from './worker-error.ts'

/** How far the turn of a task got. What it failed with is thrown. */
export type TurnEnd =
  | { readonly type: 'answered'; readonly reply: RecordedReply }
  | { readonly type: 'waiting'; readonly waiting: TaskWaiting }
  | { readonly type: 'aborted' }

/** How answers to a task are taken, and where it is noted what came of them. */
export interface AnswerNotes extends DecisionRules {
  /** Says which messages before were given up. */
  readonly inbox: Inbox
  readonly told: (applied: readonly AppliedAnswer[]) => Promise<void>
  /** Who decides which call, noted before that is decided. */
  readonly deciders: Map<string, string | undefined>
}

/**
 * Takes the turn of a task as far as it goes now: sends its message, or goes on with what an attempt
 * before has left. Reads where it stands from the conversation alone.
 */
export async function driveTurn(
  engine: MessageEngine,
  task: Task,
  { told, deciders, inbox, ...rules }: AnswerNotes,
): Promise<TurnEnd> {
  await engine.ready
  await begin(engine, task, inbox)
  let applied: readonly AppliedAnswer[] | undefined
  let isAskedAgain = false
  for (;;) {
    const { requestState, error, messages, turn } = engine.getState()
    switch (requestState) {
      case 'processing':
        await untilAtRest(engine)
        break
      case 'paused':
        if (!applied) {
          applied = await applyAnswers(engine, task, deciders, rules)
          await told(applied)
          break
        }
        return {
          type: 'waiting',
          waiting: {
            calls: waitingCallsOf(engine),
            refused: applied.flatMap(({ refused }) => refused ?? []),
          },
        }
      case 'aborted':
        return { type: 'aborted' }
      case 'error':
        // A call was interrupted: the model is told, and asked what now.
        if (error?.code !== 'interrupted' || isAskedAgain) {
          throw error ?? new Error('The turn failed.')
        }
        isAskedAgain = true
        await engine.retry()
        break
      case 'idle':
      case 'completed': {
        const answer = answerTo(task.id, messages) ?? []
        const notice = turn?.notice
        if (isAnswered(answer, notice)) {
          return { type: 'answered', reply: replyOf(answer, notice) }
        }
        // What was stored does not say that the model is to be told of its calls.
        if (isAskedAgain) throw notAnswered()
        isAskedAgain = true
        await askAgain(engine)
      }
    }
  }
}

/** Brings the turn of the task about, unless it is there and goes on by itself. */
async function begin(engine: MessageEngine, task: Task, inbox: Inbox): Promise<void> {
  const { messages, requestState } = engine.getState()
  const answer = answerTo(task.id, messages)
  if (!answer) {
    const message = await toTaskMessage(task, messageIdFor(task.id, messages))
    // What somebody left open would keep it waiting for ever.
    if (requestState === 'paused' || requestState === 'processing') await engine.abort()
    await dropDiscarded(engine, inbox)
    throwIfNotBegun(await engine.sendMessage(message))
  } else if (requestState === 'error' || requestState === 'aborted') {
    throwIfNotBegun(await engine.retry())
  } else if (requestState === 'idle' && answer.length === 0) {
    throwIfNotBegun(await engine.retry())
  }
}

function throwIfNotBegun({ turnId, error }: { turnId: string | undefined; error?: Error }): void {
  if (turnId === undefined && error) throw error
}

function notAnswered(): WorkerError {
  const text = 'The turn ended, and the model said nothing after its last tool call.'
  return new WorkerError('not_answered', text)
}

/** Resolves when the turn has paused or ended. */
async function untilAtRest(engine: MessageEngine): Promise<void> {
  const atRest = Promise.withResolvers<void>()
  const look = () => {
    if (engine.getState().requestState !== 'processing') atRest.resolve()
  }
  const unsubscribe = engine.subscribe(look)
  look()
  await atRest.promise
  unsubscribe()
}

function replyOf(answer: readonly UIMessage[], notice: TurnNotice | undefined): RecordedReply {
  return {
    text: answerText(answer),
    message: answer.findLast(({ role }) => role === 'assistant'),
    notice,
  }
}
