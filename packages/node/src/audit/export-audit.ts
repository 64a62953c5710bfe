import { followChain, invalid, type AuditChain, type AuditVerification } from './audit-chain.ts'
import { lineOf, type AuditHead, type StoredEntry } from './audit-entry.ts'
import type { AuditFilter } from './audit-filter.ts'
import type { AuditStore } from './audit-store.ts'

/** Entries that are read at a time. */
const CHUNK = 500

/** The entries of a filter as lines, oldest first. */
export async function* exportEntries(
  store: AuditStore,
  filter: AuditFilter,
): AsyncGenerator<string, void, void> {
  for (let after = 0; ;) {
    const entries = await store.entriesAfter(after, CHUNK, filter)
    for (const entry of entries) yield lineOf(entry)
    const last = entries.at(-1)
    if (!last || entries.length < CHUNK) return
    after = last.seq
  }
}

/** Options of {@link verifyJsonl}. */
export interface VerifyJsonlOptions {
  /**
   * The lines are some of the entries only, as a filter leaves them: each is looked at by itself, and
   * those that follow each other must be linked. Default: they are all from the first one of them on.
   */
  readonly isFiltered?: boolean
  /** What `head()` said when they were exported, or before. */
  readonly head?: AuditHead
}

/**
 * Checks lines that `exportJsonl` made, without their database. They must be as they were, byte for
 * byte; empty lines are passed over.
 */
export async function verifyJsonl(
  lines: AsyncIterable<string> | Iterable<string>,
  { isFiltered = false, head: noted }: VerifyJsonlOptions = {},
): Promise<AuditVerification> {
  let chain: AuditChain | undefined
  let count = 0
  for await (const text of lines) {
    const line = text.replace(/\r?\n?$/, '')
    if (line === '') continue
    const entry = readLine(line)
    if (!entry) {
      const due = (chain?.head().seq ?? 0) + 1
      return invalid(due, 'malformed', `Line ${count + 1} is no line of an audit.`)
    }
    const isGap = isFiltered && chain !== undefined && entry.seq > chain.head().seq + 1
    if (!chain || isGap) chain = followChain({ seq: entry.seq - 1, hash: entry.prevHash }, noted)
    const fault = chain.next(entry)
    if (fault) return fault
    count++
  }
  const unnoted = isFiltered ? undefined : chain?.unnoted()
  if (unnoted) return unnoted
  const head = chain?.head() ?? { seq: 0, hash: '' }
  if (noted && noted.seq > head.seq && !isFiltered) {
    return invalid(head.seq + 1, 'missing', `Entries ${head.seq + 1} to ${noted.seq} are missing.`)
  }
  return { valid: true, entries: count, head }
}

/** What the body of a line follows. */
const BODY = ',"body":'

/** The entry of a line, if it is one as it would be written. */
function readLine(line: string): StoredEntry | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { seq, at, kind, prevHash, hash, erasedAt } = Object.fromEntries(Object.entries(value))
  const from = line.indexOf('"payload":') + '"payload":'.length
  if (typeof seq !== 'number' || typeof at !== 'number' || typeof kind !== 'string')
    return undefined
  if (typeof prevHash !== 'string' || typeof hash !== 'string') return undefined
  // No text can have the hash of its own entry in it.
  const marker = `,"prevHash":${JSON.stringify(prevHash)},"hash":"${hash}"`
  const to = line.indexOf(marker)
  const rest = line.slice(to + marker.length)
  const entry = {
    seq,
    at,
    kind,
    payload: line.slice(from, to),
    body: rest.startsWith(BODY) ? rest.slice(BODY.length, -1) : null,
    erasedAt: typeof erasedAt === 'number' ? erasedAt : null,
    prevHash,
    hash,
  }
  return lineOf(entry) === line ? entry : undefined
}
