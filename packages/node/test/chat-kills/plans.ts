import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { streamOf, textOf } from '../kills/model-answer.ts'

/** What runs without a question; the others ask. */
export const UNASKED: ReadonlySet<string> = new Set(['look', 'note'])

/** What the model calls, step by step. */
const PLANS = new Map<string, readonly (readonly string[])[]>([
  ['mixed', [['look', 'send']]],
  ['both', [['send', 'look', 'drop']]],
  ['free', [['look', 'note']]],
  ['alone', [['note'], ['look']]],
  ['between', [['note'], ['look', 'send'], ['note']]],
  [
    'chain',
    [
      ['look', 'send'],
      ['drop', 'look'],
    ],
  ],
])
export const KINDS: readonly string[] = [...PLANS.keys()]

export interface PlannedCall {
  readonly toolCallId: string
  readonly toolName: string
  /** What its effect is counted by. */
  readonly key: string
}

/** The calls that a message such as `mixed k7` leads to, step by step. */
export function plannedSteps(message: string): readonly (readonly PlannedCall[])[] {
  const [kind = '', turn = ''] = message.split(' ')
  return (PLANS.get(kind) ?? []).map((tools, step) =>
    tools.map((toolName) => {
      const key = `${turn}-${step}-${toolName}`
      return { toolCallId: `call-${key}`, toolName, key }
    }),
  )
}

/** What became of a call, as its result says it. */
export type Fate = 'done' | 'unknown' | 'denied' | 'not run' | `odd: ${string}`

export function fateOf(result: unknown, key: string): Fate {
  const said = JSON.stringify(result) ?? ''
  if (said.includes(`done: ${key}`)) return 'done'
  if (/may have taken effect|whether it ran is not known/.test(said)) return 'unknown'
  if (/denied this call/.test(said)) return 'denied'
  return said.includes('did not run') ? 'not run' : `odd: ${said}`
}

/** A prompt as a provider gets it: what was asked last, and what each call since has come to. */
export interface ReadPrompt {
  readonly message: string
  readonly fates: ReadonlyMap<string, Fate>
  /** A provider would refuse it: calls and results are not the same, in the same order. */
  readonly isInvalid: boolean
}

export function readPrompt(prompt: LanguageModelV4Prompt): ReadPrompt {
  const asked = prompt.findLastIndex(({ role }) => role === 'user')
  const message = textOf(prompt[asked])
  const keys = new Map(
    plannedSteps(message)
      .flat()
      .map(({ toolCallId, key }) => [toolCallId, key]),
  )
  const fates = new Map<string, Fate>()
  const open: string[] = []
  let isInvalid = false
  for (const [index, { role, content }] of prompt.entries()) {
    if (role !== 'tool' && open.length > 0) isInvalid = true
    if (role !== 'assistant' && role !== 'tool') continue
    for (const part of content) {
      if (part.type === 'tool-call') open.push(part.toolCallId)
      if (part.type !== 'tool-result') continue
      if (open.shift() !== part.toolCallId) isInvalid = true
      const key = index > asked ? keys.get(part.toolCallId) : undefined
      if (key !== undefined) fates.set(key, fateOf(part.output, key))
    }
  }
  if (open.length > 0) isInvalid = true
  return { message, fates, isInvalid }
}

/** Answers as a model does that has no memory: calls what comes next, or says what became of all. */
export function answerByPlan(prompt: LanguageModelV4Prompt): readonly LanguageModelV4StreamPart[] {
  const { message, fates, isInvalid } = readPrompt(prompt)
  if (isInvalid) throw new Error('A provider refuses this prompt.')
  const next = plannedSteps(message).find((calls) => calls.some(({ key }) => !fates.has(key)))
  if (next) {
    // Not again what it was told of, even if that is only that nobody knows.
    const calls = next.filter(({ key }) => !fates.has(key))
    return streamOf(
      'tool-calls',
      calls.map(({ toolCallId, toolName, key }) => ({
        type: 'tool-call' as const,
        toolCallId,
        toolName,
        input: JSON.stringify({ key }),
      })),
    )
  }
  return streamOf('stop', [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Told: ' },
    { type: 'text-delta', id: 't', delta: JSON.stringify([...fates]) },
    { type: 'text-end', id: 't' },
  ])
}
