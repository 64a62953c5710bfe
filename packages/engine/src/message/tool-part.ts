import type { DynamicToolUIPart, JSONValue, ToolUIPart, UIMessage } from 'ai'
import type { ToolPreview } from './tool-preview.ts'

/** A tool call as a part of an assistant message: `tool-<name>` or `dynamic-tool`. */
export type ToolCallPart = ToolUIPart | DynamicToolUIPart

/** A part of any message. */
export type MessagePart = UIMessage['parts'][number]

/** Names one tool call. Providers reuse call ids, so message and step belong to the name. */
export interface ToolCallRef {
  readonly messageId: string
  /** How many `step-start` parts precede the call in its message. */
  readonly step: number
  readonly toolCallId: string
}

/** Whether a part is a tool call, static or dynamic. */
export function isToolCallPart(part: MessagePart): part is ToolCallPart {
  return part.type === 'dynamic-tool' || part.type.startsWith('tool-')
}

/** The name of the tool that a call names. */
export function toolNameOf(part: ToolCallPart): string {
  return part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length)
}

/** What a call can do to the world. `destroy` cannot be undone; `send` leaves the app. */
export type ToolRisk = 'read' | 'write' | 'send' | 'destroy'

/**
 * What the ledger of a server says of a decision.
 *
 * - `running` the call runs, since now or since an earlier request
 * - `ran` it has run before, and this is its outcome
 * - `unknown` it was begun by a process that is gone: it may have taken effect, and is not run again
 * - `expired` the decision came too late: it did not run
 * - `denied` it was denied before, and did not run
 */
export type LedgerStatus = 'running' | 'ran' | 'unknown' | 'expired' | 'denied'

/** Why the server of a call did not take a decision on it. */
export type RefusedDecision = {
  /** The server's own name for it, such as `may-not-decide`. */
  code: string
  /** In the server's words. */
  message: string
}

/** What a tool returned after its call had ended without a result. */
export type LateOutcome = {
  output: JSONValue
  /** Milliseconds since the epoch. */
  at: number
}

/**
 * What the native part cannot say; kept in `toolMetadata.assent`, so that the messages alone tell
 * the whole story. Times are milliseconds since the epoch.
 */
export interface AssentCallMetadata {
  /** One sentence that tells a person what the call does, from the tool's `summary(input)`. */
  summary?: string
  risk?: ToolRisk
  /** A standing permission covers it by its exact input only. */
  exactOnly?: boolean
  /** What the call would do, from the tool's `preview(input)`; made when a person is asked. */
  preview?: ToolPreview
  /** When the decision was made. */
  decidedAt?: number
  /** Who decided: a person, a rule (`toolApproval`), or a standing policy. */
  decidedBy?: 'person' | 'rule' | 'policy'
  /** The confirmation that the decision rests on; with `policy` the one that made the policy. */
  confirmationId?: string
  /** The check of the call failed: a person must decide, whatever policies say. */
  checkFailed?: boolean
  /** It did not start because that could not be stored: a person can let it run without a record. */
  recordFailed?: boolean
  /** A person let it run although it could not be stored that it starts. */
  withoutRecord?: boolean
  /**
   * A fingerprint of what the tool's schema made of the input when a person was asked, where that is
   * something else than the input. Read otherwise later, the call is asked about again.
   */
  readAs?: string
  /** The input that the model gave, when a person approved another one in its place. */
  originalInput?: JSONValue
  /** Nobody executes this tool: a person or the app answers by `submitToolOutput`. */
  awaitsOutput?: boolean
  /** The output was submitted, not made by the tool. */
  submitted?: boolean
  /** The call may start; it waits for its gate or for a free slot. */
  scheduledAt?: number
  /** When the tool started. */
  startedAt?: number
  /** When its result was written. */
  endedAt?: number
  /** Why its output is no success, from the tool's `failure(output)`. */
  failure?: string
  /** How a call ended that has no proper result. */
  ended?: 'cancelled' | 'interrupted' | 'timeout'
  /** What the ledger of its server said last of the decision. */
  ledger?: LedgerStatus
  /** What was decided here came after another decision, which stands: this is the other way round. */
  overruled?: 'yes' | 'no'
  /** Its server did not take the decision before, so that it waits again: a person must decide, whatever policies say. */
  refused?: RefusedDecision
  /** The so-manieth same call of its turn, once that is enough to tell the model. */
  repeats?: number
  /** It ended without a result, and whether it took effect is not known. */
  mayHaveRun?: boolean
  /**
   * It ended without a result, and its tool came to its end after that all the same: this is what it
   * returned, cut like any output, and when. The model is told of it with the next request.
   */
  late?: LateOutcome
  /** Set when the output was cut: what is shown of what there was. Bytes are UTF-8. */
  cut?: { shownLines: number; totalLines: number; shownBytes: number; totalBytes: number }
}

/**
 * The {@link AssentCallMetadata} of a call. Only the engine writes there: what a server says of its own
 * tools is checked when it arrives, and messages that are handed in are taken at their word.
 */
export function assentMetadata({
  toolMetadata,
}: Pick<ToolCallPart, 'toolMetadata'>): AssentCallMetadata {
  const noted = toolMetadata?.['assent']
  return isRecord(noted) ? (noted as AssentCallMetadata) : {}
}

/** From the least to the greatest. */
const RISKS = ['read', 'write', 'send', 'destroy'] as const satisfies ToolRisk[]

/** Whether a value is a {@link ToolRisk}. */
export function isToolRisk(value: unknown): value is ToolRisk {
  const known: readonly unknown[] = RISKS
  return known.includes(value)
}

/** Where a call stands, derived from its part and never stored. */
export type ToolCallStatus =
  | 'preparing'
  | 'validating'
  | 'awaiting-approval'
  | 'awaiting-output'
  | 'scheduled'
  | 'executing'
  | 'success'
  | 'error'
  | 'denied'
  | 'cancelled'
  | 'interrupted'

/**
 * The status of a call, from its part alone.
 *
 * `approval-requested` that is automatic is on its way to a decision and counts as `validating`.
 */
export function toolCallStatus(part: ToolCallPart): ToolCallStatus {
  const { startedAt, scheduledAt, awaitsOutput, ended, ledger, overruled } = assentMetadata(part)
  const waiting = awaitsOutput ? 'awaiting-output' : 'scheduled'
  const ready = startedAt === undefined && ledger !== 'running' ? waiting : 'executing'
  switch (part.state) {
    case 'input-streaming':
      return 'preparing'
    case 'input-available':
      return (startedAt ?? scheduledAt) === undefined ? 'validating' : ready
    case 'approval-requested':
      return isAwaitingApproval(part) ? 'awaiting-approval' : 'validating'
    case 'approval-responded':
      return (overruled ? overruled === 'no' : part.approval.approved) ? ready : 'denied'
    case 'output-available':
      return part.preliminary === true ? 'executing' : 'success'
    case 'output-error':
    case 'output-denied':
      // Also a denial can be that of a turn which has ended, not that of a person or rule.
      if (ended === 'cancelled' || ended === 'interrupted') return ended
      return part.state === 'output-error' ? 'error' : 'denied'
  }
}

/** Whether a call has its one result: output, error or denial. A preliminary output is none. */
export function isSettled(part: ToolCallPart): boolean {
  return part.state === 'output-available'
    ? part.preliminary !== true
    : part.state === 'output-error' || part.state === 'output-denied'
}

/**
 * Whether a call got its result from this engine, which runs it, or would have: not from the stream,
 * and not because nobody knows what became of it elsewhere.
 */
export function isSettledHere(part: ToolCallPart): boolean {
  if (!isSettled(part) || isElsewhere(part)) return false
  const { startedAt, endedAt, mayHaveRun } = assentMetadata(part)
  return endedAt !== undefined && !(mayHaveRun && startedAt === undefined)
}

const LOCAL_APPROVAL = 'assent-'

/** An approval id that shows that the engine asked itself, for a call that runs here. */
export function toLocalApprovalId(id: string): string {
  return LOCAL_APPROVAL + id
}

/** Whether the engine asked for this approval itself; else the call is executed elsewhere. */
export function isLocalApproval(approvalId: string): boolean {
  return approvalId.startsWith(LOCAL_APPROVAL)
}

/**
 * Whether a call is executed elsewhere: by the provider, or by the server that streamed the request
 * for its approval. The engine marks the approvals that it asked for itself.
 */
export function isElsewhere(part: ToolCallPart): boolean {
  const { approval, providerExecuted = false } = part
  return providerExecuted || (approval !== undefined && !isLocalApproval(approval.id))
}

/** Whether a call that is executed elsewhere was decided, and has no result so far. */
export function isDecidedRemotely(part: ToolCallPart): boolean {
  return part.state === 'approval-responded' && isElsewhere(part)
}

/** Whether a call waits for a person's decision. */
export function isAwaitingApproval(part: ToolCallPart): boolean {
  return part.state === 'approval-requested' && part.approval.isAutomatic !== true
}

/** Whether a call waits for a person: for a decision, or for an output that nobody else makes. */
export function isWaiting(part: ToolCallPart): boolean {
  return isAwaitingApproval(part) || toolCallStatus(part) === 'awaiting-output'
}

/** What is said of a call: here, and of one that is executed elsewhere by its server, which knows no other tools. */
function saidOf(
  part: ToolCallPart,
): readonly { risk?: unknown; exactOnly?: unknown; preview?: unknown }[] {
  const here = assentMetadata(part)
  return isElsewhere(part) ? [here, part.toolMetadata ?? {}, descriptorOf(part)] : [here]
}

/**
 * The risk of a call as it was declared, by the tool's options, or by the server that executes it in
 * `toolMetadata.risk` or in the descriptor of its request: the greatest of them; `undefined` when nobody said.
 */
export function riskOf(part: ToolCallPart): ToolRisk | undefined {
  const said = saidOf(part)
  return RISKS.findLast((known) => said.some(({ risk }) => risk === known))
}

/** Whether a standing permission covers a call by its exact input only, as its tool's options or its server say. */
export function isExactOnly(part: ToolCallPart): boolean {
  return riskOf(part) === 'destroy' || saidOf(part).some(({ exactOnly }) => exactOnly === true)
}

/**
 * Until when a server takes a yes to its request, from the descriptor's `expiresAt`: milliseconds
 * since the epoch, by the server's clock; `undefined` for no end. A yes is sent all the same: only the
 * server knows whether it comes too late.
 */
export function approvalExpiresAt(part: ToolCallPart): number | undefined {
  const { expiresAt } = descriptorOf(part)
  return typeof expiresAt === 'number' ? expiresAt : undefined
}

/**
 * What is there as the preview of a call: from the tool's options, or said by the server that executes it, in
 * `toolMetadata.preview` or in the descriptor of its request. A server's word is not checked: look at
 * it as you would at any JSON.
 */
export function previewOf(part: ToolCallPart): unknown {
  return saidOf(part).reduceRight<unknown>((below, { preview }) => preview ?? below, undefined)
}

/**
 * Whether the server has a ledger of the decisions on its question (`ledger: true` in the descriptor):
 * it runs the call at most once, however often it is told, and says what became of it.
 */
export function hasLedger(part: ToolCallPart): boolean {
  return descriptorOf(part)['ledger'] === true
}

function descriptorOf({ approval }: ToolCallPart): Readonly<Record<string, unknown>> {
  return isRecord(approval?.descriptor) ? approval.descriptor : {}
}

/** Whether a value is an object with fields: no array, not `null`. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
