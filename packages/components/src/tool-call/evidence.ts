/** One field of an input or output, ready to be shown. */
export interface EvidenceRow {
  key: string
  text: string
  /** The items of a list of plain values, each a text. */
  items?: readonly string[]
  /** Long or several lines: it takes the whole width, under its key. */
  isBlock: boolean
  /** Structured values are shown as JSON. */
  isJson: boolean
}

/** A value taken apart for reading: by field when it is an object, else as one text. */
export type Evidence =
  | { kind: 'empty' }
  | { kind: 'text'; text: string; isJson: boolean }
  | { kind: 'rows'; rows: EvidenceRow[] }

const INLINE_LENGTH = 64

/** Everything in a value, nothing left out. */
export function evidenceOf(value: unknown): Evidence {
  if (value === undefined || value === '') return { kind: 'empty' }
  if (!isPlainObject(value)) {
    return { kind: 'text', text: toText(value), isJson: typeof value !== 'string' }
  }
  const rows = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([key, field]) => toRow(key, field))
  return rows.length === 0 ? { kind: 'empty' } : { kind: 'rows', rows }
}

function toRow(key: string, value: unknown): EvidenceRow {
  const items = toItems(value)
  if (items) return { key, text: '', items, isJson: false, isBlock: false }
  const text = toText(value)
  const isJson = typeof value !== 'string'
  return { key, text, isJson, isBlock: text.length > INLINE_LENGTH || text.includes('\n') }
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value, null, 2) ?? String(value)
  } catch {
    return String(value)
  }
}

/** The items of a list of plain values; lists of anything else are shown as JSON. */
function toItems(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const isPlain = value.every((item) => typeof item !== 'object' || item === null)
  return isPlain ? value.map(toText) : undefined
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
