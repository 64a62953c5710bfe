import { assentMetadata } from '@assent/engine'
import { getToolName, type UIMessageChunk } from 'ai'
import type { FailureOf } from '../audit/audit-tools.ts'
import { ownCopy } from '../own-copy.ts'
import type { CallWords } from './describe-requests.ts'
import type { OutputMask } from './mask-outputs.ts'
import type { ToolPart } from './open-calls.ts'

/** What the options of tools say of outputs; what they throw is told, and says nothing. */
export function failuresByOptions(
  optionsOf: (toolName: string) => CallWords,
  mask: Pick<OutputMask, 'text'>,
  onError: (error: unknown) => void,
): FailureOf {
  return (toolName, output) => {
    try {
      const failure = optionsOf(toolName).failure?.(ownCopy(output))
      return typeof failure === 'string' ? mask.text(toolName, failure) : undefined
    } catch (error) {
      onError(error)
      return undefined
    }
  }
}

/**
 * Tells the page of each output that is no success.
 *
 * @param open calls that this answer gives outputs to without naming them again
 */
export function tellFailures(
  open: readonly ToolPart[],
  failureOf: FailureOf,
): TransformStream<UIMessageChunk, UIMessageChunk> {
  const calls = new Map<string, Pick<ToolPart, 'toolMetadata'> & { toolName: string }>()
  for (const part of open) {
    const { toolCallId, toolMetadata } = part
    calls.set(toolCallId, { toolName: getToolName(part), ...(toolMetadata && { toolMetadata }) })
  }
  return new TransformStream({
    transform(chunk, controller) {
      if (chunk.type === 'tool-input-available') calls.set(chunk.toolCallId, chunk)
      const call = 'toolCallId' in chunk && calls.get(chunk.toolCallId)
      if (!call || chunk.type !== 'tool-output-available' || chunk.preliminary === true) {
        return controller.enqueue(chunk)
      }
      const failure = failureOf(call.toolName, chunk.output)
      if (failure === undefined) return controller.enqueue(chunk)
      // Pages of the AI SDK put this in the place of what they were told before.
      const toolMetadata = { ...call.toolMetadata, ...chunk.toolMetadata }
      const assent = { ...assentMetadata({ toolMetadata }), failure }
      controller.enqueue({ ...chunk, toolMetadata: { ...toolMetadata, assent } })
    },
  })
}
