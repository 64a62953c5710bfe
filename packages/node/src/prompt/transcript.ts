import { setImmediate as nextTurn } from 'node:timers/promises'
import { isToolCallPart } from '@assent/engine'
import type { Redact } from '@assent/engine/redaction'
import { getToolName, type UIMessage } from 'ai'
import { cutText } from './cut-text.ts'
import { describeFile } from './named-file.ts'

/** Bytes of an output, or an input: what was said about it says more. */
const CALL_BYTES = 300
/** Of a message, in bytes. */
const LEAST_SHARE = 100
/** What stands around it. */
const AROUND = 50
/** So much is looked at for secrets beyond what is kept. */
const AHEAD = 4_096

/** What stands for secrets in a text; `undefined` where nothing is masked. */
export type MaskText = Redact | undefined

/**
 * What was said and called, for whoever sums it up: without what the model thought, with files by their names and the
 * beginnings of inputs and outputs. Secrets are masked, whoever wrote them.
 *
 * @param maxBytes each message gets its share of these
 */
export async function transcriptOf(
  messages: readonly UIMessage[],
  maxBytes: number,
  redact: MaskText,
): Promise<string> {
  const share = Math.max(LEAST_SHARE, Math.floor(maxBytes / Math.max(1, messages.length)) - AROUND)
  const lines: string[] = []
  for (const message of messages) {
    const shown = maskedStart(spokenIn(message, redact), share, redact)
    // As JSON, so that nobody can write what looks like the words of another.
    const from = message.role === 'user' ? 'person' : message.role
    lines.push(JSON.stringify({ from, said: shown }))
    // A long conversation must not keep others waiting.
    await nextTurn()
  }
  // The newest, of more messages than have a share.
  let left = maxBytes
  const first = lines.findLastIndex((line) => (left -= Buffer.byteLength(line) + 1) < 0) + 1
  return lines.slice(first).join('\n')
}

/** The beginning of a text, masked before it is cut: a part of a secret is not known as one. */
function maskedStart(text: string, maxBytes: number, redact: MaskText): string {
  const masked = mask(text.slice(0, maxBytes + AHEAD), redact)
  const cut = cutText(masked, maxBytes)
  return cut.length < masked.length ? `${cut} […]` : cut
}

/** Masks the secrets of a text. */
export function mask(text: string, redact: MaskText): string {
  if (!redact) return text
  const masked: unknown = redact(text, { toolName: 'summary', isPartial: false })
  if (typeof masked === 'string') return masked
  throw new TypeError(`redact must answer with a text, not with ${typeof masked}.`)
}

function spokenIn({ parts }: UIMessage, redact: MaskText): string {
  const brief = (value: unknown) =>
    maskedStart(JSON.stringify(value) ?? 'nothing', CALL_BYTES, redact)
  return parts
    .flatMap((part): string[] => {
      if (part.type === 'text') return [part.text]
      if (part.type === 'file') return [`[File: ${describeFile(part)}]`]
      if (!isToolCallPart(part)) return []
      const end =
        part.state === 'output-available'
          ? `gave ${brief(part.output)}`
          : part.state === 'output-error'
            ? `failed: ${brief(part.errorText)}`
            : 'was denied, and did not run'
      return [`[Called ${getToolName(part)} with ${brief(part.input)}, which ${end}]`]
    })
    .join('\n')
}
