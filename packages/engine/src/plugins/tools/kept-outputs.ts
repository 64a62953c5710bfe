import type { ToolSet, UIMessage } from 'ai'
import { isDevelopment } from '../../development.ts'
import { EngineError } from '../../errors.ts'
import { given } from '../../message/given.ts'
import { type ToolCallEntry, keyOf } from '../../message/tool-calls.ts'
import { type ToolCallPart, assentMetadata } from '../../message/tool-part.ts'
import type { PluginContext } from '../../plugin.ts'
import type { ReadToolOutputResult } from './commands.ts'
import { findCall, isTarget, refusal } from './turn-calls.ts'
import type { CommandScope } from './open-call.ts'
import { fromUtf8, isContinuation, toUtf8 } from './utf-8.ts'

/**
 * How much of all outputs that were cut is kept per engine, in UTF-16 code units. A longer one is not
 * kept at all.
 */
export const MAX_KEPT_LENGTH = 20_000_000

interface KeptOutputs {
  /** By call, the oldest first. */
  readonly texts: Map<string, string>
  length: number
}

const keptByEngine = new WeakMap<object, KeptOutputs>()

/**
 * Keeps the whole of an output that was cut, in the place of what was kept of this call before; no
 * text, when nothing was cut, keeps nothing. The oldest ones are dropped when there are too many.
 */
export function keepOutput(engineKey: object, key: string, text: string | undefined): void {
  const kept = keptByEngine.get(engineKey) ?? { texts: new Map<string, string>(), length: 0 }
  keptByEngine.set(engineKey, kept)
  drop(kept, key)
  if (text === undefined) return
  kept.texts.set(key, text)
  kept.length += text.length
  for (const oldest of kept.texts.keys()) {
    if (kept.length <= MAX_KEPT_LENGTH) return
    drop(kept, oldest)
  }
}

/** The whole of an output that was cut, as long as it is kept. */
export function keptOutput(engineKey: object, key: string): string | undefined {
  return keptByEngine.get(engineKey)?.texts.get(key)
}

function drop(kept: KeptOutputs, key: string): void {
  kept.length -= kept.texts.get(key)?.length ?? 0
  kept.texts.delete(key)
}

/** UTF-8 bytes of one piece: what an output may have by default. */
const PIECE_BYTES = 51_200

/** Reads a piece of a whole output: of what is kept of one that was cut, else of the call's own. */
export function readToolOutput<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  payload: unknown,
  { context }: Pick<CommandScope<TOOLS, MESSAGE>, 'context'>,
): ReadToolOutputResult {
  const offset = isTarget(payload) ? (payload['offset'] ?? 0) : undefined
  if (!isTarget(payload) || typeof offset !== 'number' || !(offset >= 0 && offset % 1 === 0)) {
    const text =
      isDevelopment &&
      'readToolOutput takes a toolCallId, a messageId and an offset: whole bytes, from 0.'
    throw new EngineError('invalid_argument', text)
  }
  const text = wholeOutput(context, findCall(context, payload))
  if (text === undefined) {
    const gone = `The output of this call is not kept, or it has none yet: ${payload.toolCallId}`
    throw refusal('output_gone', gone, payload)
  }
  const bytes = toUtf8(text)
  const { length: totalBytes } = bytes
  if (offset > totalBytes) {
    const beyond =
      isDevelopment && `The output has ${totalBytes} bytes; nothing is at offset ${offset}.`
    throw refusal('invalid_argument', beyond, payload)
  }
  const start = beginOfCharacter(bytes, offset)
  const end = beginOfCharacter(bytes, start + PIECE_BYTES)
  return {
    text: fromUtf8(bytes.subarray(start, end)),
    offset: start,
    ...given({ nextOffset: end < totalBytes ? end : undefined }),
    totalBytes,
  }
}

function wholeOutput<MESSAGE extends UIMessage>(
  { engineKey }: PluginContext<MESSAGE>,
  call: ToolCallEntry,
): string | undefined {
  const { part } = call
  return assentMetadata(part).cut ? keptOutput(engineKey, keyOf(call)) : ownOutput(part)
}

/** What the part itself has, as the text that the model reads. */
function ownOutput({ state, output, errorText }: ToolCallPart): string | undefined {
  if (state === 'output-error') return errorText
  if (state !== 'output-available') return undefined
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? 'null')
}

/** The place itself, or that of the character in which it is. */
function beginOfCharacter(bytes: Uint8Array, place: number): number {
  let begin = Math.min(place, bytes.length)
  while (isContinuation(bytes[begin])) begin--
  return begin
}
