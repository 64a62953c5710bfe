import type { JSONValue } from 'ai'
import { z } from 'zod'

const json: z.ZodType<JSONValue> = z.json()

/** An entry of the audit. */
export const auditEntry = z.object({
  seq: z.number(),
  at: z.number(),
  kind: z.enum(['call', 'decision', 'policy', 'refusal', 'task', 'erasure']),
  payload: z.record(z.string(), json),
  erasedAt: z.number().optional(),
  prevHash: z.string(),
  hash: z.string(),
})
export type AuditEntryBody = z.infer<typeof auditEntry>

/** A call of a tool, and how far it has come. */
export const auditedCall = z.object({
  id: z.string(),
  seq: z.number(),
  conversationId: z.string().optional(),
  taskId: z.string().optional(),
  toolCallId: z.string(),
  toolName: z.string(),
  arguments: json,
  status: z.enum(['queued', 'running', 'done', 'failed']),
  outcome: z.string().optional(),
  output: z.string().optional(),
  error: z.string().optional(),
  attempts: z.number(),
  queuedAt: z.number(),
  startedAt: z.number().optional(),
  finishedAt: z.number().optional(),
  erasedAt: z.number().optional(),
})
export type AuditedCallBody = z.infer<typeof auditedCall>

/** What a verification found. */
export const verification = z.discriminatedUnion('valid', [
  z.object({
    valid: z.literal(true),
    entries: z.number(),
    head: z.object({ seq: z.number(), hash: z.string() }),
  }),
  z.object({
    valid: z.literal(false),
    firstBad: z.number(),
    why: z.string(),
    message: z.string(),
  }),
])
export type Verification = z.infer<typeof verification>

const waitingCall = z.object({
  messageId: z.string(),
  step: z.number(),
  toolCallId: z.string(),
  toolName: z.string(),
  kind: z.enum(['approval', 'output']),
  input: json,
  summary: z.string().optional(),
  preview: json.optional(),
  risk: z.enum(['read', 'write', 'send', 'destroy']).optional(),
  requestReason: z.string().optional(),
})
/** A call that a parked task waits for. */
export type WaitingCallBody = z.infer<typeof waitingCall>

const taskWaiting = z.object({
  calls: z.array(waitingCall),
  refused: z.array(z.object({ code: z.string(), message: z.string() })),
})

const failedCall = z.object({
  toolName: z.string(),
  outcome: z.string(),
  error: z.string().optional(),
})

/** A task of the worker. */
export const task = z.object({
  id: z.string(),
  conversationId: z.string(),
  input: json,
  state: z.enum([
    'queued',
    'in_progress',
    'model_round',
    'tool_round',
    'parked',
    'reply_sent',
    'done',
    'dead',
    'failed',
  ]),
  attempts: z.number(),
  maxAttempts: z.number(),
  dueAt: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  waitingFor: taskWaiting.optional().catch(undefined),
  failedCalls: z.array(failedCall).default([]),
  deniedCalls: z.array(failedCall).default([]),
})
export type OfficeTask = z.infer<typeof task>
