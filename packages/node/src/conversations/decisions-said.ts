import { isToolCallPart, type ApprovalScope, type ToolCallPart } from '@assent/engine'
import { decides, fromChannelText, messagesIn, toChannelText } from '@assent/engine/remote'
import { z } from 'zod'

/** A call that a request of a page decides about, or answers for. */
export interface DecidedCall {
  readonly toolCallId: string
  readonly messageId?: string | undefined
  readonly step?: number | undefined
  /** `output`: it is answered in place of its tool. */
  readonly outcome: 'yes' | 'yes_always' | 'no' | 'output'
  /** In place of the model's. */
  readonly input?: unknown
  /** What a `yes_always` is to cover, as it was said. */
  readonly scope?: ApprovalScope | undefined
  readonly withoutRecord?: boolean | undefined
}

/** The standing permissions that a command takes back, or lets go on. */
export interface DecidedPolicies {
  /** Without one: all that are suspended. */
  readonly policyId?: string | undefined
  readonly event: 'revoked' | 'resumed'
}

/** What a request decides about. */
export type Decided =
  | { readonly calls: readonly DecidedCall[] }
  | { readonly policies: DecidedPolicies }

const target = z.object({
  toolCallId: z.string(),
  messageId: z.string().optional(),
  step: z.number().optional(),
})

const decided = target.extend({
  outcome: z.enum(['yes', 'yes_always', 'no']).default('yes'),
  input: z.unknown().optional(),
  // It is only compared with what is stored.
  scope: z.custom<ApprovalScope>((value) => typeof value === 'object').optional(),
  withoutRecord: z.boolean().optional(),
})

const command = z.discriminatedUnion('command', [
  z.object({
    command: z.literal('resumeToolCall'),
    payload: decided.transform((call): Decided => ({ calls: [call] })),
  }),
  z.object({
    command: z.literal('resumeToolCalls'),
    payload: z.array(decided).transform((calls): Decided => ({ calls })),
  }),
  z.object({
    command: z.literal('submitToolOutput'),
    payload: target.transform((call): Decided => ({ calls: [{ ...call, outcome: 'output' }] })),
  }),
  z.object({
    command: z.literal('revokePolicy'),
    payload: z
      .object({ policyId: z.string() })
      .transform(({ policyId }): Decided => ({ policies: { policyId, event: 'revoked' } })),
  }),
  z.object({
    command: z.literal('resumePolicies'),
    payload: z
      .object({ policyId: z.string().optional() })
      .default({})
      .transform(({ policyId }): Decided => ({ policies: { policyId, event: 'resumed' } })),
  }),
])

/** What a page says that decides, and who is to be told what became of it. */
export interface SaidDecision {
  readonly request: unknown
  readonly from: string
  readonly callId: string
}

/** What a request decides about; `undefined` for one that nobody understands. */
export function decidedBy(request: unknown): Decided | undefined {
  const { method, plugin } = Object(request)
  if (method === 'runPluginCommand') {
    return plugin === 'tool' ? command.safeParse(request).data?.payload : undefined
  }
  const messages = messagesIn(request)
  return messages.length > 0 ? { calls: messages.flatMap(answeredIn) } : undefined
}

/** The calls of a message that do not wait: who brings it may have answered them. */
function answeredIn(message: unknown): readonly DecidedCall[] {
  const { id, parts } = Object(message)
  if (!Array.isArray(parts)) return []
  return parts.filter(isCall).flatMap(({ toolCallId, state }) => {
    if (state === 'approval-requested') return []
    return [{ toolCallId, messageId: String(id), outcome: 'output' as const }]
  })
}

function isCall(part: unknown): part is ToolCallPart {
  const { type } = Object(part)
  return typeof type === 'string' && isToolCallPart(Object(part))
}

/** The decision that is in what a page says on a channel, if one is: read as those read it who hear it. */
export function decisionIn(text: string): SaidDecision | undefined {
  let said: unknown
  try {
    said = fromChannelText(text)
  } catch {
    // Nobody can read it.
    return undefined
  }
  const { type, from, callId, request } = Object(said)
  if (type !== 'call' || !decides(request)) return undefined
  return { request, from: String(from), callId: String(callId) }
}

/** What its page is told of a decision that is not passed on. */
export function refusalFor(
  { request, from, callId }: SaidDecision,
  code: string,
  message: string,
): string {
  const error = { code, message, retryable: false, details: {} }
  const isCommand = Object(request).method === 'runPluginCommand'
  return toChannelText({
    assent: 1,
    revision: 1,
    from: 'server',
    type: 'reply',
    to: from,
    callId,
    result: isCommand ? { success: false, error } : { done: true, error },
  })
}
