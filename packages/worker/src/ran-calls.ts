import { assentMetadata, isToolCallPart, toolNameOf, type ToolCallPart } from '@assent/engine'
import type { AuditedCall } from '@assent/node'
import type { UIMessage } from 'ai'

/** A call of a task that took effect, or may have. Ending the task undoes nothing of it. */
export interface RanCall {
  readonly toolCallId: string
  readonly toolName: string
  /** `ran` it has a result; `unknown` it was cut off, or failed: what it did by then is not known. */
  readonly effect: 'ran' | 'unknown'
}

/** Those of the calls in an answer, in their order. What only reads is none. */
export function ranCallsOf(answer: readonly UIMessage[]): RanCall[] {
  return answer.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      const effect = isToolCallPart(part) ? effectOf(part) : undefined
      if (!isToolCallPart(part) || !effect) return []
      return [{ toolCallId: part.toolCallId, toolName: toolNameOf(part), effect }]
    }),
  )
}

function effectOf(part: ToolCallPart): RanCall['effect'] | undefined {
  const { risk, startedAt, mayHaveRun, submitted } = assentMetadata(part)
  if (risk === 'read' || submitted) return undefined
  if (part.state === 'output-available' && part.preliminary !== true && !mayHaveRun) {
    return startedAt !== undefined || part.providerExecuted ? 'ran' : undefined
  }
  return startedAt !== undefined || mayHaveRun ? 'unknown' : undefined
}

/** The same as an audit tells it, of calls in the order in which they came. */
export function auditedRanCalls(calls: readonly AuditedCall[]): RanCall[] {
  return calls.flatMap(({ toolCallId, toolName, status, startedAt }) => {
    if (startedAt === undefined) return []
    return [{ toolCallId, toolName, effect: status === 'done' ? 'ran' : 'unknown' } as const]
  })
}

/** For whoever may send the task again; empty when nothing ran. */
export function ranWords(calls: readonly RanCall[]): string {
  const names = (effect: RanCall['effect']) => [
    ...new Set(calls.filter((call) => call.effect === effect).map(({ toolName }) => toolName)),
  ]
  const [ran, unknown] = [names('ran'), names('unknown')]
  const isOne = ran.length === 1
  return [
    ran.length > 0 &&
      `${LIST.format(ran)} ran before that; ${isOne ? "it isn't" : "they aren't"} undone.`,
    unknown.length > 0 && `${LIST.format(unknown)} may have taken effect before that.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ')
}

const LIST = new Intl.ListFormat('en')
