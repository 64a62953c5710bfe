import type { FinishReason } from 'ai'
import { given } from './message/given.ts'
import { textOf } from './message/text-of.ts'
import { isRecord, type MessagePart } from './message/tool-part.ts'
import type { ResponseEnd, TurnNotice, TurnState, TurnUsage } from './state.ts'

/** How a response ended, by its own `finish`, and what the turn has used with it. */
export function answerEnd(
  finishReason: FinishReason | undefined,
  metadata: unknown,
  before: TurnUsage | undefined,
): ResponseEnd {
  const said = isRecord(metadata) ? metadata : {}
  const { rawFinishReason, totalUsage } = said
  return {
    finishReason,
    rawFinishReason: textOf(rawFinishReason),
    usage: isRecord(totalUsage) ? addUsage(before, totalUsage) : before,
  }
}

/** Forgets how the last response ended: another one is asked for. What was used stays used. */
export const NOT_ENDED = { finishReason: undefined, rawFinishReason: undefined } as const

/** The facts of a turn that goes on. */
export function withoutEnd(turn: TurnState): Omit<TurnState, 'notice'> {
  const { notice: _notice, finishReason: _reason, rawFinishReason: _raw, ...facts } = turn
  return facts
}

/** How a turn stands, for its outcome. */
export function endOf({ finishReason, rawFinishReason, usage, notice }: TurnState): ResponseEnd & {
  notice?: TurnNotice
} {
  return given({ finishReason, rawFinishReason, usage, notice })
}

/** What is to be said of a turn whose last response did not end as an answer does. */
export function noticeOf({
  finishReason,
  rawFinishReason,
  lastStep,
}: TurnState): TurnNotice | undefined {
  if (finishReason === 'length') return 'length'
  const isEmpty = lastStep?.isEmpty === true
  if (finishReason === 'content-filter') {
    return isEmpty || rawFinishReason === 'refusal' ? 'refusal' : 'content-filter'
  }
  return isEmpty ? 'empty' : undefined
}

/** Whether parts of an answer say or do nothing: thoughts alone answer nobody. */
export function isNothing(parts: readonly MessagePart[]): boolean {
  return parts.every((part) => {
    if (part.type === 'text') return part.text.trim() === ''
    return ['step-start', 'reasoning', 'custom'].includes(part.type)
  })
}

const TOTALS = ['inputTokens', 'outputTokens', 'totalTokens'] as const
const INPUT = ['noCacheTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const
const OUTPUT = ['textTokens', 'reasoningTokens'] as const

function addUsage(before: TurnUsage = {}, more: Record<string, unknown>): TurnUsage {
  return {
    ...add(TOTALS, before, more),
    inputTokenDetails: add(INPUT, before.inputTokenDetails, more['inputTokenDetails']),
    outputTokenDetails: add(OUTPUT, before.outputTokenDetails, more['outputTokenDetails']),
  }
}

/** The counts of two, added; those that neither has are left out. */
function add<NAME extends string>(
  names: readonly NAME[],
  ...counts: readonly unknown[]
): { [KEY in NAME]?: number } {
  const sums: { [KEY in NAME]?: number } = {}
  for (const name of names) {
    for (const count of counts) {
      const value = isRecord(count) ? count[name] : undefined
      if (typeof value === 'number') sums[name] = (sums[name] ?? 0) + value
    }
  }
  return sums
}
