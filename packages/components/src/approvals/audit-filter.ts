import { humanise } from '../tool-call/describe-call.ts'
import type { TrailEntry } from './audit-types.ts'

/** Which decisions are listed; what is empty does not restrict. */
export interface TrailFilter {
  readonly tool: string
  readonly outcome: string
  readonly by: string
  /** Words, all of which are in the entry somewhere. */
  readonly text: string
}

/** Decisions of one day, in the order in which they came. */
export interface AuditDay {
  /** Midnight of the day, here; `undefined` for those without a time. */
  readonly day: number | undefined
  readonly entries: readonly TrailEntry[]
}

/** The entries that fit. The text of an entry is made once and kept. */
export function filterAudit(
  entries: readonly TrailEntry[],
  { tool, outcome, by, text }: TrailFilter,
): readonly TrailEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (!tool && !outcome && !by && words.length === 0) return entries
  return entries.filter((entry) => {
    if (tool && entry.toolName !== tool) return false
    if (outcome && entry.outcome !== outcome) return false
    if (by && entry.by !== by) return false
    if (words.length === 0) return true
    const all = textOf(entry)
    return words.every((word) => all.includes(word))
  })
}

/** Entries by day, newest day first as they come. */
export function byDay(entries: readonly TrailEntry[]): AuditDay[] {
  const days: { day: number | undefined; entries: TrailEntry[] }[] = []
  for (const entry of entries) {
    const day = entry.at === undefined ? undefined : new Date(entry.at).setHours(0, 0, 0, 0)
    const last = days.at(-1)
    if (last && last.day === day) last.entries.push(entry)
    else days.push({ day, entries: [entry] })
  }
  return days
}

const texts = new WeakMap<TrailEntry, string>()

function textOf(entry: TrailEntry): string {
  const known = texts.get(entry)
  if (known !== undefined) return known
  const { toolName, summary, reason, error, input } = entry
  const text = [toolName, humanise(toolName), summary, reason, error, jsonOf(input)]
    .filter(Boolean)
    .join('\n')
    .toLowerCase()
  texts.set(entry, text)
  return text
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
