import type { TrailEntry } from './audit-types.ts'

/** How a record of decisions is written down. */
export type AuditFormat = 'json' | 'jsonl'

/** Media types of the formats. */
export const AUDIT_MEDIA_TYPES: Readonly<Record<AuditFormat, string>> = {
  json: 'application/json',
  jsonl: 'application/jsonl',
}

/**
 * A record of decisions as text: `json` is one list, indented; `jsonl` one object per line, as logs
 * have it. Times are ISO 8601, in UTC; what is not known is left out. Pure; what JSON has no words for
 * (a cycle, a big integer) is written as its text.
 */
export function exportAudit(entries: readonly TrailEntry[], format: AuditFormat): string {
  const rows = entries.map(toRow)
  if (format === 'json') return `${JSON.stringify(rows, null, 2)}\n`
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

function toRow(entry: TrailEntry): Record<string, unknown> {
  const { at, policyAt, revokedAt, startedAt, endedAt, input, originalInput, call, ...rest } = entry
  return {
    ...rest,
    at: toIso(at),
    ...call,
    policyAt: toIso(policyAt),
    revokedAt: toIso(revokedAt),
    startedAt: toIso(startedAt),
    endedAt: toIso(endedAt),
    input: toJson(input),
    originalInput: toJson(originalInput),
  }
}

function toIso(at: number | undefined): string | undefined {
  if (at === undefined) return undefined
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

function toJson(value: unknown): unknown {
  try {
    JSON.stringify(value)
    return value
  } catch {
    return String(value)
  }
}
