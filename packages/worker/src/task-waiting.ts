import {
  isToolRisk,
  waitingCalls,
  type MessageEngine,
  type ToolRisk,
  type WaitingCall,
} from '@assent/engine'
import type { JSONValue } from 'ai'
import { z } from 'zod'

/** A tool call that a parked task waits for: enough to ask a person about it. JSON. */
export type TaskCall = Omit<WaitingCall, 'input' | 'preview' | 'fingerprint'> & {
  readonly input: JSONValue
  readonly preview: JSONValue | undefined
  /** Not of a task that was parked before there were fingerprints. */
  readonly fingerprint: string | undefined
}

/** An answer that could not be followed. */
export interface RefusedAnswer {
  readonly code: string
  /** Fit to be shown. */
  readonly message: string
  /** Who gave it, as the answer said it. */
  readonly by?: string | undefined
}

/** What a task waits for: the `waitingFor` of one that this worker has parked. JSON. */
export interface TaskWaiting {
  /** In call order. */
  readonly calls: readonly TaskCall[]
  /** What came since it was asked before, and why it still waits. */
  readonly refused: readonly RefusedAnswer[]
}

const json: z.ZodType<JSONValue> = z.json()

const call = z.object({
  messageId: z.string(),
  step: z.number(),
  toolCallId: z.string(),
  toolName: z.string(),
  kind: z.enum(['approval', 'output']),
  input: json,
  fingerprint: z.string().optional(),
  summary: z.string().optional(),
  preview: json.optional(),
  risk: z.custom<ToolRisk>(isToolRisk).optional(),
  requestReason: z.string().optional(),
  checkFailed: z.boolean().default(false),
  isElsewhere: z.boolean().default(false),
  expiresAt: z.number().optional(),
})

/** Calls that were stored under the words of before are read as well. */
const storedCall = z.preprocess((value) => {
  if (typeof value !== 'object' || value === null || 'kind' in value) return value
  const { waitsFor, reason, ...rest } = z.looseObject({}).parse(value)
  return { ...rest, kind: waitsFor, requestReason: reason }
}, call)

const waiting = z.object({
  calls: z.array(storedCall),
  refused: z.array(z.object({ code: z.string(), message: z.string(), by: z.string().optional() })),
})

/** Reads one call that was stored. Throws for what is none. */
export function readTaskCall(value: unknown): TaskCall {
  return toCall(storedCall.parse(value))
}

/** Reads the `waitingFor` of a task; `undefined` when it is not a worker's. */
export function readTaskWaiting(waitingFor: JSONValue | undefined): TaskWaiting | undefined {
  const { data } = waiting.safeParse(waitingFor)
  return data && { calls: data.calls.map(toCall), refused: data.refused }
}

/** The calls of a conversation that wait for a person now, in call order, as JSON. */
export function waitingCallsOf(engine: Pick<MessageEngine, 'getState'>): TaskCall[] {
  return waitingCalls(engine.getState()).map(({ input, preview, ...call }) => ({
    ...call,
    input: plain(input),
    preview: preview === undefined ? undefined : plain(preview),
  }))
}

/** What is not there is `undefined`, as in the engine. */
function toCall(stored: z.infer<typeof call>): TaskCall {
  const { fingerprint, summary, preview, risk, requestReason, expiresAt } = stored
  return { ...stored, fingerprint, summary, preview, risk, requestReason, expiresAt }
}

/** As JSON has it. */
export function plain(value: unknown): JSONValue {
  return JSON.parse(JSON.stringify(value ?? null))
}
