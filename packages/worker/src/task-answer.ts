import type { ResumeToolCallPayload, SubmitToolOutputPayload } from '@assent/engine'
import { fieldText } from '@assent/node'
import type { JSONValue } from 'ai'
import { z } from 'zod'
import { WorkerError } from './worker-error.ts'

/**
 * A person's decision on a call that waits: what `resumeToolCalls` of the tool plugin takes. JSON. Give
 * `messageId`, `step` and `fingerprint` of the call along: providers use ids again.
 */
export type TaskDecision = ResumeToolCallPayload

/** The output of a call that waits for one, or why there is none. JSON. */
export type TaskOutput = SubmitToolOutputPayload

/**
 * An answer to a task, for `inbox.answer(taskId, answer)`: decisions and outputs for the calls that it
 * waits for, or the wish that it ends. The decisions of one answer are taken together or not at all.
 */
export interface TaskAnswer {
  readonly decisions?: readonly TaskDecision[] | undefined
  /** For calls that wait for an output. */
  readonly outputs?: readonly TaskOutput[] | undefined
  /** Ends the task: its turn is aborted, also while it is being worked on, and no reply is sent. */
  readonly abort?: { readonly reason?: string | undefined } | undefined
  /** Who gave it, for the audit: a name for people. */
  readonly by?: string | undefined
  /** Who gave it, for `mayDecide`: what tells users apart, which nobody can choose. Default: `by`. */
  readonly user?: string | undefined
}

const decision = z.object({
  toolCallId: z.string(),
  messageId: z.string().optional(),
  step: z.number().optional(),
  fingerprint: z.string().optional(),
  outcome: z.enum(['yes', 'yes_always', 'no']).optional(),
  reason: z.string().optional(),
  input: z.json().optional(),
  // Its rules are the tool plugin's.
  scope: z.custom<NonNullable<ResumeToolCallPayload['scope']>>().optional(),
})

const output = z.object({
  toolCallId: z.string(),
  messageId: z.string().optional(),
  step: z.number().optional(),
  fingerprint: z.string().optional(),
  output: z.json().optional(),
  errorText: z.string().optional(),
})

const answer = z.object({
  decisions: z.array(decision).optional(),
  outputs: z.array(output).optional(),
  abort: z.object({ reason: z.string().optional() }).optional(),
  by: z.string().optional(),
  user: z.string().optional(),
})

/** Reads what was given to `inbox.answer`. Throws `invalid_answer`, which says what is wrong. */
export function readTaskAnswer(value: JSONValue): TaskAnswer {
  const { data, error } = answer.safeParse(value)
  if (data && (data.decisions ?? data.outputs ?? data.abort)) return data
  const what = error ? fieldText('the answer', error.issues[0]) : 'this one has none of them.'
  throw new WorkerError(
    'invalid_answer',
    `An answer to a task has decisions, outputs or abort: ${what}`,
  )
}
