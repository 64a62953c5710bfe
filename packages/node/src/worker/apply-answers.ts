import type { CommandResult, EngineError, MessageEngine } from '@assent/engine'
import type { JSONValue } from 'ai'
import type { Task } from './inbox.ts'
import { readTaskAnswer, type TaskAnswer } from './task-answer.ts'
import {
  readTaskWaiting,
  waitingCallsOf,
  type RefusedAnswer,
  type WaitingCall,
} from './task-waiting.ts'

/** An answer that was looked at: what came of it. */
export interface AppliedAnswer {
  readonly by: string | undefined
  readonly refused: RefusedAnswer | undefined
}

/** Who has decided calls, by call id. */
export type Deciders = ReadonlyMap<string, string | undefined>

/**
 * Gives the answers to a task to its paused turn, one after the other. One that was given before, by an
 * attempt that got no further, changes nothing. One that is about a call as nobody was asked about it
 * is refused, as is one that the engine refuses.
 *
 * @param deciders is told who decides, before that is decided
 */
export async function applyAnswers(
  engine: MessageEngine,
  task: Task,
  deciders: Map<string, string | undefined>,
): Promise<AppliedAnswer[]> {
  const asked = readTaskWaiting(task.waitingFor)?.calls ?? []
  const applied: AppliedAnswer[] = []
  for (const value of task.answers) {
    const answer = readAnswer(value)
    if ('decisions' in answer) {
      for (const { toolCallId } of answer.decisions ?? []) deciders.set(toolCallId, answer.by)
    }
    const refused = 'code' in answer ? answer : await applyAnswer(engine, answer, asked)
    applied.push({ by: answer.by, refused })
  }
  return applied
}

function readAnswer(value: JSONValue): TaskAnswer | RefusedAnswer {
  try {
    return readTaskAnswer(value)
  } catch (error) {
    return {
      code: 'invalid_answer',
      message: error instanceof Error ? error.message : String(error),
    }
  }
}

async function applyAnswer(
  engine: MessageEngine,
  { decisions = [], outputs = [], by }: TaskAnswer,
  asked: readonly WaitingCall[],
): Promise<RefusedAnswer | undefined> {
  const waiting = waitingCallsOf(engine.getState().messages)
  for (const named of [...decisions, ...outputs]) {
    const call = waiting.find((one) => isNamed(one, named))
    const isStep = (named.step ?? call?.step) === call?.step
    if (call && !(isStep && asked.some((one) => isSameCall(one, call)))) {
      const message = `Nobody was asked about this call yet, so it waits on: ${named.toolCallId}`
      return { code: 'not_asked', message, by }
    }
  }
  if (decisions.length > 0) {
    const payload = decisions.map(({ step: _step, ...decision }) => decision)
    const refused = refusalOf(await engine.runPluginCommand('tool', 'resumeToolCalls', payload), by)
    if (refused) return refused
  }
  for (const { step: _step, ...output } of outputs) {
    const refused = refusalOf(await engine.runPluginCommand('tool', 'submitToolOutput', output), by)
    if (refused) return refused
  }
  return undefined
}

/** Whether this is the call that the engine would take. */
function isNamed(
  call: WaitingCall,
  { toolCallId, messageId }: { toolCallId: string; messageId?: string | undefined },
): boolean {
  return call.toolCallId === toolCallId && (messageId ?? call.messageId) === call.messageId
}

/** Providers use ids again: what was asked about is a call in its place, with its input. */
function isSameCall(one: WaitingCall, other: WaitingCall): boolean {
  return (
    isNamed(one, other) &&
    one.step === other.step &&
    JSON.stringify(one.input) === JSON.stringify(other.input)
  )
}

function refusalOf(result: CommandResult, by: string | undefined): RefusedAnswer | undefined {
  if (result.success) return undefined
  const { code, message } = result.error
  return { code, message: [message, ...reasonsOf(result.error)].join(' '), by }
}

/** Why the decisions of a batch were refused. */
function reasonsOf({ details }: EngineError): string[] {
  const errors: unknown = details['errors']
  if (!Array.isArray(errors)) return []
  return errors.flatMap((error: unknown) =>
    typeof error === 'object' && error !== null && 'message' in error
      ? [String(error.message)]
      : [],
  )
}
