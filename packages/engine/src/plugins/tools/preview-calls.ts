import type { ToolSet, UIMessage } from 'ai'
import { EngineError } from '../../errors.ts'
import { keyOf } from '../../message/tool-calls.ts'
import { isAwaitingApproval, isElsewhere, previewOf, toolNameOf } from '../../message/tool-part.ts'
import { changeMetadata } from '../../message/tool-part-states.ts'
import type { ToolPreview } from '../../message/tool-preview.ts'
import { toJsonValue } from './limits.ts'
import { optionsOf, type ToolPluginOptions } from './options.ts'
import { redactOutput } from './redact-output.ts'
import type { SettleScope } from './tool-runtime.ts'
import { awaitingCalls, changeCall } from './turn-calls.ts'
import { whenAborted } from './when-aborted.ts'

/** Milliseconds that a question waits for its preview. */
const PREVIEW_MS = 5_000

/** Whether a tool's options say how its calls are previewed. */
export function hasPreview<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  options: Pick<ToolPluginOptions<TOOLS, MESSAGE>, 'toolOptions'>,
  toolName: string,
): boolean {
  return optionsOf(options, toolName).preview !== undefined
}

/**
 * What the tool's options show of a call that is to be asked about, with its secrets masked. Without
 * one when there is none, when it throws, which is reported, or when it takes too long: a preview never
 * stands between a call and its question.
 */
export async function makePreview<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  toolName: string,
  input: unknown,
): Promise<ToolPreview | undefined> {
  const { options, context } = scope
  const { preview } = optionsOf(options, toolName)
  if (!preview) return undefined
  try {
    // The input is what the tool's schema describes, or the preview throws.
    const made = await inTime(context.abortSignal, async () => preview(input as never))
    if (!made) return undefined
    // A text of a file may hold a secret as an output may; what is masked keeps its shape.
    return redactOutput(scope, toolName, toJsonValue(made)) as ToolPreview
  } catch (cause) {
    const message = `The preview of tool "${toolName}" failed; its call is asked about without.`
    context.reportError(new EngineError('callback_failed', message, { cause }))
    return undefined
  }
}

/** Writes previews beside the calls that are executed elsewhere and wait without one, if any do. */
export function previewCalls<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
): Promise<unknown> | undefined {
  const { options, context, runtime } = scope
  const due = awaitingCalls(context).filter((entry) => {
    const { part } = entry
    return (
      isElsewhere(part) &&
      previewOf(part) === undefined &&
      hasPreview(options, toolNameOf(part)) &&
      !runtime.previewed.has(keyOf(entry))
    )
  })
  if (due.length === 0) return undefined
  return Promise.all(
    due.map(async (entry) => {
      runtime.previewed.add(keyOf(entry))
      const preview = await makePreview(scope, toolNameOf(entry.part), entry.part.input)
      if (!preview) return
      changeCall(context, entry, (part) =>
        isAwaitingApproval(part) ? changeMetadata(part, { preview }) : part,
      )
    }),
  )
}

async function inTime<VALUE>(
  signal: AbortSignal,
  make: () => Promise<VALUE>,
): Promise<VALUE | undefined> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), PREVIEW_MS)
  try {
    return await Promise.race([make(), whenAborted(AbortSignal.any([signal, late.signal]))])
  } finally {
    clearTimeout(timer)
  }
}
