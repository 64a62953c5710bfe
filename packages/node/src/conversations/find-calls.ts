import { isToolCallPart, type ToolCallPart } from '@assent/engine'
import type { ConversationStorage } from '@assent/engine/storage'
import type { DecidedCall } from './decisions-said.ts'

/** A call as a conversation has it stored. */
export interface FoundCall {
  readonly part: ToolCallPart
  readonly ref: {
    /** Of its record. */
    readonly key: string
    readonly messageId: string
    readonly step: number
    readonly toolCallId: string
  }
}

/** All calls of a conversation, in their order. */
export async function storedCalls(
  storage: Pick<ConversationStorage, 'read'>,
  namespace: string,
): Promise<readonly FoundCall[]> {
  const found: FoundCall[] = []
  let messageId = ''
  let step = 0
  const records = [...(await storage.read(namespace, { prefix: 'message/' }))]
  for (const [key, value] of records.toSorted(byPlace)) {
    const record: unknown = value
    const [, index, piece] = key.split('/').slice(1)
    if (index === undefined) {
      messageId = String(Object(record).id)
      step = 0
    } else if (piece === undefined && isPart(record)) {
      if (record.type === 'step-start') step++
      if (!isToolCallPart(record)) continue
      const { toolCallId } = record
      found.push({ part: record, ref: { key, messageId, step, toolCallId } })
    }
  }
  return found
}

/** Whether a decision may mean a call: one that names no message means each of the id. */
export function isMeant(
  { toolCallId, messageId, step }: Pick<DecidedCall, 'toolCallId' | 'messageId' | 'step'>,
  { ref }: FoundCall,
): boolean {
  return (
    toolCallId === ref.toolCallId &&
    (messageId ?? ref.messageId) === ref.messageId &&
    (step ?? ref.step) === ref.step
  )
}

type Part = Parameters<typeof isToolCallPart>[0]

function isPart(value: unknown): value is Part {
  return typeof Object(value).type === 'string'
}

/** Parts by their number: as texts, 10 comes before 2. */
function byPlace([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  const [a, b] = [one, other].map((key) => key.split('/').slice(1).map(Number))
  for (const [index, number] of (a ?? []).entries()) {
    const difference = number - (b?.[index] ?? -1)
    if (difference !== 0) return difference
  }
  return (a?.length ?? 0) - (b?.length ?? 0)
}
