import type { CommandResult, MessageEngine, ToolCallTarget } from '@assent/engine'
import type { JSONValue } from 'ai'
import { z } from 'zod'
import type { Task } from './inbox.ts'
import { refusedDecision, type DecisionRules } from './may-decide.ts'
import { readTaskAnswer, type TaskAnswer } from './task-answer.ts'
import {
  readTaskWaiting,
  waitingCallsOf,
  type RefusedAnswer,
  type TaskCall,
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
 * is refused, as is one that the engine refuses, or whose giver may not decide.
 *
 * @param deciders is told who decides, before that is decided
 * @param rules who may
 */
export async function applyAnswers(
  engine: MessageEngine,
  task: Task,
  deciders: Map<string, string | undefined>,
  rules: DecisionRules,
): Promise<AppliedAnswer[]> {
  const asked = readTaskWaiting(task.waitingFor)?.calls ?? []
  const applied: AppliedAnswer[] = []
  for (const value of task.answers) {
    const answer = readAnswer(value)
    const refused = 'code' in answer ? answer : await decide(answer)
    applied.push({ by: answer.by, refused })
  }
  return applied

  async function decide(answer: TaskAnswer): Promise<RefusedAnswer | undefined> {
    const refused = await refusedDecision({ task, answer, calls: waitingCallsOf(engine) }, rules)
    if (refused) return refused
    for (const { toolCallId } of answer.decisions ?? []) deciders.set(toolCallId, answer.by)
    return applyAnswer(engine, answer, asked)
  }
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
  asked: readonly TaskCall[],
): Promise<RefusedAnswer | undefined> {
  const named = { decisions: decisions.map(name), outputs: outputs.map(name) }
  const waiting = waitingCallsOf(engine)
  for (const { fingerprint, ...target } of [...named.decisions, ...named.outputs]) {
    const isAsked = fingerprint !== undefined || asked.some((call) => isNamed(call, target))
    if (isAsked || !waiting.some((call) => isNamed(call, { ...target, step: undefined }))) continue
    const message = `Nobody was asked about this call yet, so it waits on: ${target.toolCallId}`
    return { code: 'not_asked', message, by }
  }
  if (named.decisions.length > 0) {
    const decided = await engine.runPluginCommand('tool', 'resumeToolCalls', named.decisions)
    const refused = refusalOf(decided, by)
    if (refused) return refused
  }
  for (const output of named.outputs) {
    const refused = refusalOf(await engine.runPluginCommand('tool', 'submitToolOutput', output), by)
    if (refused) return refused
  }
  return undefined

  /** Binds an answer to the call that was asked about, as it was then. */
  function name<ANSWER extends ToolCallTarget>(answer: ANSWER): ANSWER {
    const call = asked.find((one) => isNamed(one, answer))
    if (!call) return answer
    const { messageId, step, fingerprint } = call
    return { ...answer, messageId, step, fingerprint: answer.fingerprint ?? fingerprint }
  }
}

/** Whether an answer names this call. */
function isNamed(
  call: TaskCall,
  {
    toolCallId,
    messageId,
    step,
  }: { [FIELD in keyof ToolCallTarget]: ToolCallTarget[FIELD] | undefined },
): boolean {
  return (
    call.toolCallId === toolCallId &&
    (messageId ?? call.messageId) === call.messageId &&
    (step ?? call.step) === call.step
  )
}

function refusalOf(result: CommandResult, by: string | undefined): RefusedAnswer | undefined {
  if (result.success) return undefined
  const { code, message, details } = result.error
  const reasons = errors.safeParse(details['errors']).data ?? []
  // Of a batch the one reason that there is says more than that it was refused.
  const [first] = reasons
  const isOne = first !== undefined && reasons.every((reason) => reason.code === first.code)
  const texts = [message, ...reasons.map((reason) => reason.message)]
  return { code: isOne ? first.code : code, message: texts.join(' '), by }
}

/** Why the decisions of a batch were refused. */
const errors = z.array(z.object({ code: z.string(), message: z.string() }))
