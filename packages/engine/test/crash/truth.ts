import type { UIMessage } from 'ai'
import { toolCallsOf } from '../../src/message/tool-calls.ts'
import {
  assentMetadata,
  isElsewhere,
  isSettled,
  toolNameOf,
  type ToolCallPart,
} from '../../src/message/tool-part.ts'
import type { Watch } from './invariants.ts'
import type { Ledger } from './ledger.ts'
import { baseOf, inputOf, outputOf } from './turn-script.ts'

/** Holds a request to what a model takes, and what it says to what was done. */
export function inspectRequest(messages: readonly UIMessage[], ledger: Ledger, watch: Watch): void {
  const ids = new Set(messages.map(({ id }) => id))
  watch.hold('I4 every request carries a valid history', ids.size === messages.length, [...ids])
  for (const [index, message] of messages.entries()) {
    const calls = toolCallsOf(message)
    const names = new Set(calls.map(({ step, toolCallId }) => `${step} ${toolCallId}`))
    const isLast = index === messages.length - 1
    const isAnswer = (part: ToolCallPart) =>
      isLast && isElsewhere(part) && part.state === 'approval-responded'
    const isValid =
      names.size === calls.length &&
      calls.every(({ part }) => isSettled(part) || isAnswer(part)) &&
      message.parts.every((part) => !('state' in part) || part.state !== 'streaming')
    watch.hold('I4 every request carries a valid history', isValid, message)
  }
  inspectCalls(messages, ledger, watch)
}

/** Holds what is said of every call to what was done. */
export function inspectCalls(messages: readonly UIMessage[], ledger: Ledger, watch: Watch): void {
  for (const { part } of messages.flatMap((message) => toolCallsOf(message))) {
    watch.hold('the model is told the truth about every call', isTrue(part, ledger), part)
  }
}

function isTrue(part: ToolCallPart, ledger: Ledger): boolean {
  const base = baseOf(part.toolCallId)
  const effects = ledger.effectsOf(base)
  if (part.state === 'output-error') {
    return effects.length === 0 || assentMetadata(part).mayHaveRun === true
  }
  // A retry sends it again, to a server that may have run it.
  if (part.state === 'approval-responded' && isElsewhere(part)) return true
  if (part.state !== 'output-available') return effects.length === 0
  const [effect] = effects
  if (!effect) {
    const decision = ledger.decisionOn(base)
    return (
      decision !== undefined &&
      'output' in decision.answer &&
      decision.answer.output === part.output
    )
  }
  // Inputs are of one shape.
  const input = effect.tool === 'deploy' ? inputOf(base) : (effect.input as { text: string })
  return part.output === outputOf(toolNameOf(part), input)
}
