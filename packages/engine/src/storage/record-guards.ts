import type { UIMessage } from 'ai'
import type { ConfirmationRecord, PolicyEvent } from '../confirmation.ts'
import type { DraftSubject } from '../drafts.ts'
import { isToolCallRef } from '../message/tool-calls.ts'
import { isRecord, isToolCallPart, type MessagePart } from '../message/tool-part.ts'
import type { ProcessingState, QueuedMessage, RequestState, TurnState } from '../state.ts'

/** A message but its parts, as it is stored. */
export interface MessageHead {
  readonly id: string
  readonly role: UIMessage['role']
  readonly metadata?: unknown
  readonly partCount: number
  /** The id of the message before it; `null`: it is the first. */
  readonly parent?: string | null
}

const ROLES: readonly unknown[] = ['system', 'user', 'assistant'] satisfies UIMessage['role'][]

/** Whether a record is a {@link MessageHead}. */
export function isHead(value: unknown): value is MessageHead & Record<string, unknown> {
  return (
    isRecord(value) &&
    isId(value['id']) &&
    ROLES.includes(value['role']) &&
    isCount(value['partCount']) &&
    isOptional(value['parent'], (parent) => parent === null || isText(parent))
  )
}

const TOOL_STATES: readonly unknown[] = [
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
  'output-available',
  'output-error',
  'output-denied',
]

/** Whether a record is a part of a message, as far as anything depends on what is in it. */
export function isPart(value: unknown): value is MessagePart & Record<string, unknown> {
  if (!isRecord(value) || typeof value['type'] !== 'string') return false
  const { type } = value
  if (type === 'text' || type === 'reasoning') return typeof value['text'] === 'string'
  if (!isToolCallPart({ type } as MessagePart)) return true
  const { toolCallId, toolName, state, approval } = value
  const isAsked = state === 'approval-requested' || state === 'approval-responded'
  return (
    typeof toolCallId === 'string' &&
    (type !== 'dynamic-tool' || typeof toolName === 'string') &&
    TOOL_STATES.includes(state) &&
    (approval === undefined ? !isAsked : isRecord(approval) && typeof approval['id'] === 'string')
  )
}

/** Whether a value is a message with its parts. */
export function isMessage(value: unknown): value is UIMessage & Record<string, unknown> {
  return (
    isRecord(value) &&
    isId(value['id']) &&
    ROLES.includes(value['role']) &&
    isListOf(value['parts'], isPart)
  )
}

export function isQueued(value: unknown): value is QueuedMessage & Record<string, unknown> {
  return (
    isRecord(value) &&
    isMessage(value['message']) &&
    value['id'] === value['message'].id &&
    typeof value['held'] === 'boolean' &&
    isOptional(value['request'], isRequest)
  )
}

const OUTCOMES: readonly unknown[] = ['yes', 'yes_always', 'no']
const EVENTS: readonly unknown[] = [
  'used',
  'call-failed',
  'schema-changed',
  'expired',
  'suspended',
  'resumed',
  'refused',
] satisfies PolicyEvent['event'][]

/** Whether a record is one of a history of confirmations. What a scope covers is read elsewhere. */
export function isConfirmation(
  value: unknown,
): value is ConfirmationRecord & Record<string, unknown> {
  if (!isToolCallRef(value)) return false
  const { id, conversationId, toolName, fingerprint, at, outcome, event, policyId } = value
  const texts = [id, conversationId, toolName, fingerprint]
  if (!texts.every((text) => typeof text === 'string') || typeof at !== 'number') return false
  if (event !== undefined) {
    const isComplete = event !== 'resumed' || typeof value['suspension'] === 'string'
    return EVENTS.includes(event) && typeof policyId === 'string' && isComplete
  }
  return (
    OUTCOMES.includes(outcome) &&
    [value['reason'], value['revokes'], value['schema']].every((text) => isOptional(text, isText))
  )
}

/** Whether a value is what a draft is about. */
export function isSubject(value: unknown): value is DraftSubject & Record<string, unknown> {
  return isRecord(value) && isText(value['messageId']) && isOptional(value['toolCallId'], isText)
}

/** Where a conversation stood, as it is stored. */
export interface TurnRecord {
  readonly requestState: RequestState
  readonly processingState?: ProcessingState
  readonly turn?: TurnState
  readonly error?: unknown
}

const STATES: readonly unknown[] = [
  'idle',
  'processing',
  'paused',
  'completed',
  'aborted',
  'error',
] satisfies RequestState[]
const WORK: readonly unknown[] = [
  'requesting',
  'completing',
  'calling-tools',
  'pausing',
] satisfies ProcessingState[]

/** Whether a record is a {@link TurnRecord}. */
export function isTurnRecord(value: unknown): value is TurnRecord & Record<string, unknown> {
  return (
    isRecord(value) &&
    STATES.includes(value['requestState']) &&
    isOptional(value['processingState'], (state) => WORK.includes(state)) &&
    isOptional(value['turn'], isTurn)
  )
}

function isTurn(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { lastStep, pauseReason } = value
  return (
    isId(value['id']) &&
    isCount(value['step']) &&
    isCount(value['maxSteps']) &&
    isListOf(value['unsent'], isToolCallRef) &&
    isRecord(value['customContext']) &&
    isOptional(value['underWay'], (calls) => isListOf(calls, isToolCallRef)) &&
    [value['userMessageId'], value['assistantMessageId']].every((id) => isOptional(id, isText)) &&
    isOptional(value['supersedes'], (names) => isListOf(names, isText)) &&
    isOptional(value['request'], isRequest) &&
    isOptional(value['sending'], isResending) &&
    isOptional(
      lastStep,
      (mark) =>
        isRecord(mark) &&
        isCount(mark['step']) &&
        isCount(mark['partCount']) &&
        isOptional(mark['messageId'], isText),
    ) &&
    isOptional(
      pauseReason,
      (reason) =>
        isRecord(reason) &&
        isText(reason['type']) &&
        isOptional(reason['toolCalls'], (calls) => isListOf(calls, isToolCallRef)),
    )
  )
}

function isResending(value: unknown): boolean {
  return (
    isRecord(value) &&
    isCount(value['failures']) &&
    isCount(value['errors']) &&
    typeof value['nextAt'] === 'number'
  )
}

function isRequest(value: unknown): boolean {
  return isRecord(value) && isOptional(value['body'], isRecord)
}

function isListOf(value: unknown, isOne: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne)
}

function isOptional(value: unknown, isOne: (value: unknown) => boolean): boolean {
  return value === undefined || isOne(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isId(value: unknown): value is string {
  return isText(value) && value !== ''
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0
}
