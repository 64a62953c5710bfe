import type { Redact } from '@assent/engine/redaction'
import type { JSONValue } from 'ai'

/** Makes what tools are given and give fit for the audit: without secrets, and not too long. */
export interface AuditTexts {
  text(text: string, toolName?: string): string
  /** A text as it is, anything else as JSON. */
  output(value: unknown, toolName: string): string
  /** A value as JSON has it; one that is too long becomes `{ cut, beginning }`. */
  json(value: unknown, toolName: string): JSONValue
}

const WITHHELD = '[withheld: looking for secrets in it failed]'
const NO_JSON = '[withheld: it is no JSON]'

const encoder = new TextEncoder()

/** Half of a character cannot be read by SQL, and U+0000 ends a text there, and in Node 22. */
export function readableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u2400')
}

/** @param redact `undefined` masks nothing */
export function auditTexts(redact: Redact | undefined, maxBytes: number): AuditTexts {
  /** What of a text is kept, and how long it was, when that is not all. */
  function bounded(text: string): { beginning: string; bytes: number } | undefined {
    // No text has more bytes than three for each of its code units.
    if (text.length * 3 <= maxBytes) return undefined
    const bytes = Buffer.byteLength(text)
    if (bytes <= maxBytes) return undefined
    const { read } = encoder.encodeInto(text, new Uint8Array(maxBytes))
    return { beginning: text.slice(0, read), bytes }
  }

  function mask(text: string, toolName: string, key?: string): string {
    const masked: unknown = redact
      ? redact(text, { toolName, isPartial: false, ...(key !== undefined && { key }) })
      : text
    if (typeof masked !== 'string') throw new TypeError('redact must answer with a text.')
    return readableText(masked)
  }

  /** Masks every text in a value, and every key; the items of a list are what its key says. */
  function maskValue(value: JSONValue, toolName: string, key?: string): JSONValue {
    if (typeof value === 'string') return mask(value, toolName, key)
    if (Array.isArray(value)) return value.map((item) => maskValue(item, toolName, key))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, item = null]) => [
        mask(name, toolName),
        maskValue(item, toolName, name),
      ]),
    )
  }

  function text(given: string, toolName = ''): string {
    let masked: string
    try {
      masked = mask(given, toolName)
    } catch {
      return WITHHELD
    }
    const cut = bounded(masked)
    if (!cut) return masked
    const kept = Buffer.byteLength(cut.beginning)
    return `${cut.beginning}\n[the first ${kept} of ${cut.bytes} bytes]`
  }

  /** The JSON text of a value without its secrets. */
  function maskedJson(value: unknown, toolName: string): string {
    let plain: JSONValue
    try {
      plain = JSON.parse(JSON.stringify(value) ?? 'null')
    } catch {
      return JSON.stringify(NO_JSON)
    }
    try {
      return JSON.stringify(maskValue(plain, toolName))
    } catch {
      return JSON.stringify(WITHHELD)
    }
  }

  return {
    text,
    output(value, toolName) {
      if (typeof value === 'string') return text(value, toolName)
      const json = maskedJson(value, toolName)
      const cut = bounded(json)
      if (!cut) return json
      return `${cut.beginning}\n[the first ${Buffer.byteLength(cut.beginning)} of ${cut.bytes} bytes]`
    },
    json(value, toolName) {
      const json = maskedJson(value, toolName)
      const cut = bounded(json)
      return cut ? { cut: { bytes: cut.bytes }, beginning: cut.beginning } : JSON.parse(json)
    },
  }
}
