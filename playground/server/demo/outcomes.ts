import { readable } from './json-fields.ts'
import type { SettledCall, SettledStep } from './prompt.ts'
import type { Plan, Reply, ToolRequest } from './skill.ts'
import { blockquote, joined, TOOL_WORDS } from './tool-words.ts'

/** What some calls will do: "archive the note “A” and delete the note “B”". */
export function describeCalls(calls: readonly ToolRequest[]): string {
  return joined(calls.map(({ toolName, input }) => doing(toolName, input)))
}

/** What came of some calls, one paragraph each, in the words of their results. */
export function describeOutcomes(calls: readonly SettledCall[]): string {
  return calls.map(describeOutcome).join('\n\n')
}

/** Whether each call of a step has an output. */
export function allSucceeded(step: SettledStep): boolean {
  return step.calls.every(({ outcome }) => outcome.kind === 'output')
}

/**
 * A plan of several steps, where each one may use the results of those before it. It ends with the
 * last stage, with a stage that wants no call, or where a call failed or was denied.
 */
export function inStages(stages: readonly Plan[]): Plan {
  return (steps) => {
    const calls = steps.flatMap((step) => step.calls)
    const stage = stages[steps.length]
    if (!steps.every(allSucceeded)) {
      const stopped = stage ? '\n\nI stopped there and left the rest undone.' : ''
      return { text: describeOutcomes(calls) + stopped }
    }
    return stage ? stage(steps) : { text: describeOutcomes(calls) }
  }
}

/** A stage that makes these calls, whatever came before. */
export function callAll(calls: readonly ToolRequest[]): Plan {
  return (steps): Reply => ({
    text: `${steps.length === 0 ? 'I will' : 'Next I will'} ${describeCalls(calls)}.`,
    calls,
  })
}

function describeOutcome({ toolName, input, outcome }: SettledCall): string {
  switch (outcome.kind) {
    case 'output':
      return (
        TOOL_WORDS.get(toolName)?.done(outcome.value) ??
        `\`${toolName}\` gave back:\n\n${blockquote(readable(outcome.value))}`
      )
    case 'error':
      return `I could not ${doing(toolName, input)}. What came back is:\n\n${blockquote(outcome.text)}`
    case 'denied':
      return outcome.reason === undefined
        ? `You did not want me to ${doing(toolName, input)}, so it did not happen.`
        : `You did not want me to ${doing(toolName, input)}, so it did not happen. Your reason:\n\n${blockquote(outcome.reason)}`
    case 'missing':
      return `I have no result for the call to ${doing(toolName, input)}.`
  }
}

function doing(toolName: string, input: unknown): string {
  return TOOL_WORDS.get(toolName)?.doing(input) ?? `call \`${toolName}\``
}
