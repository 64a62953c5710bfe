import type { UIMessage, UIMessageChunk } from 'ai'
import type { UnaskedRun } from './approval-ledger.ts'
import type { ToolPart } from './open-calls.ts'
import { outputOf, type SettledEntry } from './run-once.ts'

/** A run that a page does not know the outcome of, and what came of it. */
export interface LostRun {
  readonly run: UnaskedRun
  readonly entry: SettledEntry
}

/** The calls that a page knows nothing of, step by step. */
export interface LostSteps {
  readonly steps: readonly (readonly LostRun[])[]
}

type Outcome = { readonly output: unknown } | { readonly errorText: string }

function outcomeOf({ entry }: LostRun): Outcome {
  try {
    return { output: outputOf(entry) }
  } catch (error) {
    return { errorText: error instanceof Error ? error.message : String(error) }
  }
}

/** Whether a call stands in the words in which its run failed, or was lost: the page was told of that. */
export function hasErrorOf(part: ToolPart, lost: LostRun): boolean {
  const outcome = outcomeOf(lost)
  if (part.state !== 'output-error' || !('errorText' in outcome)) return false
  // The AI SDK puts the name of the error in front.
  return part.errorText.includes(outcome.errorText)
}

/** A call with what came of it, as a part of a message. */
export function callPart(lost: LostRun, isDynamic: boolean): ToolPart {
  const { toolCallId, toolName, input, providerMetadata } = lost.run
  const outcome = outcomeOf(lost)
  const state =
    'errorText' in outcome
      ? { state: 'output-error' as const, errorText: outcome.errorText }
      : { state: 'output-available' as const, output: outcome.output }
  const call = {
    toolCallId,
    input,
    ...(providerMetadata && { callProviderMetadata: providerMetadata }),
    ...state,
  }
  return isDynamic
    ? { type: 'dynamic-tool', toolName, ...call }
    : { type: `tool-${toolName}`, ...call }
}

/** The same as the page is sent it. */
function outcomeChunks(lost: LostRun, isDynamic: boolean): UIMessageChunk[] {
  const { toolCallId, toolName, input, providerMetadata } = lost.run
  const dynamic = isDynamic && { dynamic: true }
  const outcome = outcomeOf(lost)
  return [
    {
      type: 'tool-input-available',
      toolCallId,
      toolName,
      input,
      ...dynamic,
      ...(providerMetadata && { providerMetadata }),
    },
    'errorText' in outcome
      ? { type: 'tool-output-error', toolCallId, errorText: outcome.errorText, ...dynamic }
      : { type: 'tool-output-available', toolCallId, output: outcome.output, ...dynamic },
  ]
}

/** These calls as a message, for the model; `undefined` without any. */
export function messageOf(
  { steps }: LostSteps,
  isDynamic: (toolName: string) => boolean,
): UIMessage | undefined {
  if (steps.length === 0) return undefined
  const parts = steps.flatMap((step): UIMessage['parts'] => [
    { type: 'step-start' },
    ...step.map((lost) => callPart(lost, isDynamic(lost.run.toolName))),
  ])
  return { id: crypto.randomUUID(), role: 'assistant', parts }
}

/** Tells the page of them, ahead of the first step of this answer. */
export function tellLost(
  { steps }: LostSteps,
  isDynamic: (toolName: string) => boolean,
): TransformStream<UIMessageChunk, UIMessageChunk> {
  let isTold = false
  return new TransformStream({
    transform(chunk, controller) {
      if (chunk.type === 'start-step' && !isTold) {
        isTold = true
        for (const step of steps) {
          controller.enqueue({ type: 'start-step' })
          for (const lost of step) {
            for (const one of outcomeChunks(lost, isDynamic(lost.run.toolName))) {
              controller.enqueue(one)
            }
          }
          controller.enqueue({ type: 'finish-step' })
        }
      }
      controller.enqueue(chunk)
    },
  })
}
