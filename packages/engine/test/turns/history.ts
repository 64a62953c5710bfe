import type { UIMessage } from 'ai'
import { isToolCallPart, type MessagePart, type ToolCallPart } from '../../src/message/tool-part.ts'
import type { CallStatus } from './turn-model.ts'

/** The call that a part is about, by the mark in its input; a streamed one may not have it yet. */
export function uidOf(part: ToolCallPart): string | undefined {
  const { input } = part
  if (typeof input !== 'object' || input === null || !('uid' in input)) return undefined
  const { uid } = input
  return typeof uid === 'string' && uid.endsWith(';') ? uid : undefined
}

/** All tool calls of messages, in their order. */
export function callsIn(messages: readonly UIMessage[]): ToolCallPart[] {
  return messages.flatMap(({ parts }) => parts.filter((part) => isToolCallPart(part)))
}

/** Where a call stands, read from its native part. */
export function statusOf(part: ToolCallPart): CallStatus {
  switch (part.state) {
    case 'input-streaming':
      return 'streamed'
    case 'input-available':
      return hasStarted(part) ? 'running' : 'streamed'
    case 'approval-requested':
      return 'asked'
    case 'approval-responded':
      if (!part.approval.approved) return 'denied'
      return hasStarted(part) ? 'running' : 'approved'
    case 'output-available':
      return part.preliminary ? 'running' : 'settled'
    case 'output-error':
    case 'output-denied':
      return 'settled'
  }
}

function hasStarted({ toolMetadata }: ToolCallPart): boolean {
  const noted = toolMetadata?.['assent']
  return typeof noted === 'object' && noted !== null && 'startedAt' in noted
}

/** What a model could not be sent in a history; `undefined` when all is well. */
export function faultOf(messages: readonly UIMessage[]): string | undefined {
  for (const message of messages) {
    let inStep = new Set<string>()
    for (const part of message.parts) {
      if (part.type === 'step-start') inStep = new Set()
      const fault = isToolCallPart(part)
        ? faultOfCall(part, inStep, message === messages.at(-1))
        : faultOfText(part)
      if (fault) return `${fault} in ${JSON.stringify(part)}`
    }
  }
  const order = callsIn(messages).flatMap((part) => uidOf(part) ?? [])
  const isInOrder = order.every(
    (uid, index) => index === 0 || numberOf(order[index - 1]) < numberOf(uid),
  )
  return isInOrder ? undefined : `calls out of order: ${order.join(' ')}`
}

function faultOfCall(part: ToolCallPart, inStep: Set<string>, isLast: boolean): string | undefined {
  if (inStep.has(part.toolCallId)) return 'a second call of one id in one step'
  inStep.add(part.toolCallId)
  if (part.state === 'approval-responded') {
    const isOurs = part.approval.id.startsWith('assent-')
    if (isOurs) return 'a call that runs here without a result'
    // A server reads answers at the end of a history only; a provider knows its own for ever.
    return part.providerExecuted || isLast ? undefined : 'an answer that nobody reads'
  }
  return statusOf(part) === 'settled' ? undefined : 'a call without a result'
}

function faultOfText(part: MessagePart): string | undefined {
  return 'state' in part && part.state === 'streaming' ? 'a text that still streams' : undefined
}

function numberOf(uid: string | undefined): number {
  return Number(uid?.match(/\d+/)?.[0])
}
