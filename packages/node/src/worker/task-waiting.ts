import {
  approvalExpiresAt,
  assentMetadata,
  isAwaitingApproval,
  isToolCallPart,
  isToolRisk,
  isWaiting,
  previewOf,
  riskOf,
  toolNameOf,
  type ToolCallPart,
  type ToolRisk,
} from '@assent/engine'
import type { JSONValue, UIMessage } from 'ai'
import { z } from 'zod'

/** A tool call that a parked task waits for: enough to ask a person about it. JSON. */
export interface WaitingCall {
  readonly messageId: string
  /** How many `step-start` parts precede the call in its message. */
  readonly step: number
  readonly toolCallId: string
  readonly toolName: string
  /** A decision, or an output that nobody but a person or the app makes. */
  readonly waitsFor: 'approval' | 'output'
  readonly input: JSONValue
  /** One sentence that says what the call does. */
  readonly summary?: string | undefined
  /** What the call would do: a `ToolPreview` of the engine, or what a server said. */
  readonly preview?: JSONValue | undefined
  readonly risk?: ToolRisk | undefined
  /** Why it asks. */
  readonly reason?: string | undefined
  /** Milliseconds since the epoch, after which a yes is refused. */
  readonly expiresAt?: number | undefined
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
  readonly calls: readonly WaitingCall[]
  /** What came since it was asked before, and why it still waits. */
  readonly refused: readonly RefusedAnswer[]
}

const json: z.ZodType<JSONValue> = z.json()

const waiting = z.object({
  calls: z.array(
    z.object({
      messageId: z.string(),
      step: z.number(),
      toolCallId: z.string(),
      toolName: z.string(),
      waitsFor: z.enum(['approval', 'output']),
      input: json,
      summary: z.string().optional(),
      preview: json.optional(),
      risk: z.custom<ToolRisk>(isToolRisk).optional(),
      reason: z.string().optional(),
      expiresAt: z.number().optional(),
    }),
  ),
  refused: z.array(z.object({ code: z.string(), message: z.string(), by: z.string().optional() })),
})

/** Reads the `waitingFor` of a task; `undefined` when it is not a worker's. */
export function readTaskWaiting(waitingFor: JSONValue | undefined): TaskWaiting | undefined {
  return waiting.safeParse(waitingFor).data
}

/** The calls of a conversation that wait for a person, in call order. */
export function waitingCallsOf(messages: readonly UIMessage[]): WaitingCall[] {
  return messages.flatMap(({ id, parts }) => {
    let step = 0
    return parts.flatMap((part) => {
      if (part.type === 'step-start') step++
      return isToolCallPart(part) && isWaiting(part) ? [toWaitingCall(id, step, part)] : []
    })
  })
}

function toWaitingCall(messageId: string, step: number, part: ToolCallPart): WaitingCall {
  const { summary } = assentMetadata(part)
  const preview = previewOf(part)
  return {
    messageId,
    step,
    toolCallId: part.toolCallId,
    toolName: toolNameOf(part),
    waitsFor: isAwaitingApproval(part) ? 'approval' : 'output',
    input: plain(part.input),
    summary,
    preview: preview === undefined ? undefined : plain(preview),
    risk: riskOf(part),
    reason: part.approval?.requestReason,
    expiresAt: approvalExpiresAt(part),
  }
}

/** As JSON has it. */
export function plain(value: unknown): JSONValue {
  return JSON.parse(JSON.stringify(value ?? null))
}
