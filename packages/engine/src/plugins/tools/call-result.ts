import type { JSONValue, ToolSet, UIMessage, UIMessageChunk } from 'ai'
import { describeThrown, EngineError } from '../../errors.ts'
import { given } from '../../message/given.ts'
import { keyOf, replaceToolCall, toolCallsOf } from '../../message/tool-calls.ts'
import { changeMetadata, failedCall, succeededCall } from '../../message/tool-part-states.ts'
import {
  assentMetadata,
  isRecord,
  isSettled,
  toolNameOf,
  type AssentCallMetadata,
  type ToolCallPart,
  type ToolCallRef,
} from '../../message/tool-part.ts'
import type { PluginContext } from '../../plugin.ts'
import type { Redact, RedactPlace } from '../../redact.ts'
import { keepOutput } from './kept-outputs.ts'
import { boundOutput, toJsonValue, type BoundedOutput } from './limits.ts'
import type { SettleScope } from './open-call.ts'
import { optionsOf, type ToolPluginOptions } from './options.ts'
import { changeCall, settleCall } from './turn-calls.ts'

type RedactScope<TOOLS extends ToolSet, MESSAGE extends UIMessage> = Pick<
  SettleScope<TOOLS, MESSAGE>,
  'options' | 'context'
>

/** Stands in the place of what could not be made safe. */
const WITHHELD =
  'The output is withheld: looking for secrets in it failed. The call may have taken effect.'

/**
 * Masks the secrets in an output: in every text of it, by the app's `redact`, in keys too. A partial
 * output is one of which more may follow.
 * Throws `tool_output_invalid` for one that cannot be made safe, and for what JSON cannot express.
 */
export function redactOutput<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { options, context }: RedactScope<TOOLS, MESSAGE>,
  toolName: string,
  output: unknown,
  isPartial = false,
  isEvidence?: boolean,
): unknown {
  const { redact } = options
  if (!redact) return output
  // What is stored is JSON, which can say more than the fields of an object do: a URL, a date.
  const value = toJsonValue(output)
  try {
    return redactValue(value, (text, key, isCut = isPartial, within) => {
      const shown = isCut && !redact.holdsBack ? withoutLastWord(text) : text
      return textOf(redact, shown, {
        toolName,
        isPartial: isCut,
        ...given({ key, within, isEvidence }),
      })
    })
  } catch (cause) {
    const error = new EngineError('tool_output_invalid', WITHHELD, { cause, details: { toolName } })
    context.reportError(error)
    throw error
  }
}

/** Masks the secrets in what a tool's failure says; never throws. */
export function redactErrorText<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: RedactScope<TOOLS, MESSAGE>,
  toolName: string,
  errorText: string,
): string {
  // It was reported when it was thrown.
  if (errorText === WITHHELD) return errorText
  try {
    return String(redactOutput(scope, toolName, errorText))
  } catch {
    return WITHHELD
  }
}

/** Throws for what is no text: a promise of one would be shown as such. */
function textOf(redact: Redact, ...given: Parameters<Redact>): string {
  const text: unknown = redact(...given)
  if (typeof text === 'string') return text
  throw new TypeError('redact must answer with a text.')
}

/** A secret that is cut in the middle cannot be told from other text, so the last word waits. */
function withoutLastWord(text: string): string {
  let { length } = text
  while (length > 0 && !/\s/.test(text.charAt(length - 1))) length--
  return text.slice(0, length)
}

function redactValue(
  value: unknown,
  mask: (text: string, key?: string, isCut?: boolean, within?: RedactPlace) => string,
  key?: string,
  within?: RedactPlace,
): unknown {
  if (typeof value === 'string') return mask(value, key, undefined, within)
  // The items of a list are what its key says.
  if (Array.isArray(value))
    return value.map((item: unknown) => redactValue(item, mask, key, within))
  if (!isRecord(value)) return value
  const fields = new Map<string, unknown>()
  for (const [name, field] of Object.entries(value)) {
    const masked = mask(name, undefined, false)
    // Two secrets may have become the same text.
    const own = fields.has(masked) ? `${masked} ${fields.size + 1}` : masked
    fields.set(own, redactValue(field, mask, name, { fields: value, key, within }))
  }
  return Object.fromEntries(fields)
}

/**
 * A chunk without the secrets of what a tool came to that runs elsewhere: nobody here has seen it
 * yet. An output that cannot be made safe becomes an error.
 */
export function redactChunk<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  chunk: UIMessageChunk,
  context: PluginContext<MESSAGE>,
  options: ToolPluginOptions<TOOLS, MESSAGE>,
): UIMessageChunk {
  const scope = { options, context }
  if (chunk.type === 'tool-output-error' || chunk.type === 'tool-input-error') {
    return { ...chunk, errorText: redactErrorText(scope, nameOf(chunk, context), chunk.errorText) }
  }
  if (chunk.type !== 'tool-output-available') return chunk
  const { output, preliminary, ...call } = chunk
  try {
    const safe = redactOutput(scope, nameOf(chunk, context), output, preliminary)
    return { ...chunk, output: safe }
  } catch (error) {
    return { ...call, type: 'tool-output-error', errorText: describeThrown(error) }
  }
}

/** The name of the tool that a chunk is about: the stream said it when the call began. */
function nameOf<MESSAGE extends UIMessage>(
  chunk: { toolCallId: string; toolName?: string },
  { getState }: PluginContext<MESSAGE>,
): string {
  if (chunk.toolName !== undefined) return chunk.toolName
  const message = getState().messages.at(-1)
  const calls = message ? toolCallsOf(message) : []
  const part = calls.findLast(({ toolCallId }) => toolCallId === chunk.toolCallId)?.part
  return part ? toolNameOf(part) : ''
}

type ResultScope<TOOLS extends ToolSet, MESSAGE extends UIMessage> = Pick<
  SettleScope<TOOLS, MESSAGE>,
  'options' | 'context'
>

/** What a call came to, or so far this much of it. */
export type CallResult =
  | { readonly output: unknown; readonly isPreliminary?: boolean; readonly errorText?: undefined }
  | { readonly errorText: string; readonly isPreliminary?: undefined }

/**
 * What a call came to, fit to be stored, shown and sent: its secrets are masked, then it is cut to
 * its bounds. Throws `tool_output_invalid` for an output that cannot be made so.
 */
export function boundResult<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: ResultScope<TOOLS, MESSAGE>,
  toolName: string,
  result: CallResult,
): BoundedOutput {
  const { maxOutputLines: maxLines = 2_000, maxOutputBytes: maxBytes = 51_200 } = scope.options
  const { keep = 'head' } = optionsOf(scope.options, toolName)
  const safe =
    result.errorText === undefined
      ? redactOutput(scope, toolName, result.output, result.isPreliminary)
      : redactErrorText(scope, toolName, result.errorText)
  return boundOutput(safe, { maxLines, maxBytes, keep })
}

/**
 * Notes what a tool returned after its call had ended without a result, on that very call: one that
 * was made or started again since has a result of its own to come.
 */
export function noteLate<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: ResultScope<TOOLS, MESSAGE>,
  ref: ToolCallRef,
  started: number | undefined,
  toolName: string,
  result: unknown,
): void {
  const { context } = scope
  const { output } = boundResult(scope, toolName, { output: result })
  const isIt = (part: ToolCallPart) => {
    const { startedAt, mayHaveRun, late } = assentMetadata(part)
    const isSame = startedAt === started && isSettled(part)
    return isSame && mayHaveRun === true && late === undefined
  }
  // What JSON cannot express was refused.
  const late = { output: output as JSONValue, at: context.now() }
  context.amendMessage(ref.messageId, (message) =>
    replaceToolCall(message, ref, (part) => (isIt(part) ? changeMetadata(part, { late }) : part)),
  )
}

/** Writes what a call came to, and keeps the whole of what was cut. */
export function writeResult<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { context }: ResultScope<TOOLS, MESSAGE>,
  ref: ToolCallRef,
  { errorText, isPreliminary = false }: CallResult,
  { output, cut, whole }: BoundedOutput,
  noted?: AssentCallMetadata,
): void {
  const change = isPreliminary ? changeCall : settleCall
  change(context, ref, (part) => {
    keepOutput(context.engineKey, keyOf(ref), whole)
    const changed =
      errorText === undefined
        ? succeededCall(part, output, isPreliminary)
        : failedCall(part, String(output))
    return changeMetadata(changed, { ...noted, cut })
  })
}
