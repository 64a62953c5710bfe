import { join } from 'node:path'
import { array, asyncProperty, assert, constantFrom, nat, record, type Arbitrary } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createScratch } from '../../test/scratch.ts'
import { openDatabase, type AssentDatabase } from '../sqlite/open-database.ts'
import { entryAfter, hashOf, NO_HASH, type AuditHead, type StoredEntry } from './audit-entry.ts'
import type { AuditLog } from './audit-log.ts'
import { ENTRY_COLUMNS, toStoredEntry } from './entry-rows.ts'
import { auditLog } from './sqlite-audit.ts'
import type { CallOutcome, CallPhase } from './call-row.ts'

const RUNS = process.env['ASSENT_DEEP'] === '1' ? 160 : 6

/** How a call may be noted, also against all order. */
const STEPS: readonly { phase: CallPhase; outcome?: CallOutcome }[] = [
  { phase: 'queued' },
  { phase: 'running' },
  { phase: 'done' },
  { phase: 'failed', outcome: 'error' },
  { phase: 'failed', outcome: 'denied' },
]

const steps = array(
  record({
    by: nat({ max: 2 }),
    call: nat({ max: 4 }),
    step: constantFrom(...STEPS),
    text: constantFrom('', 'a', '語', '\ud83d', '"', '\\', '\0'),
    isTask: constantFrom(false, false, true),
  }),
  { minLength: 3, maxLength: 25 },
)

type Steps = typeof steps extends Arbitrary<infer PLAYED> ? PLAYED : never

async function play(audits: readonly AuditLog[], played: Steps): Promise<void> {
  for (const { by, call, step, text, isTask } of played) {
    const audit = audits[by % audits.length]!
    if (isTask) await audit.recordTask({ taskId: text, phase: 'model', message: text })
    else {
      const name = { conversationId: text, toolCallId: String(call), toolName: 'write' }
      await audit.recordCall({ ...name, ...step, input: { text }, output: text, error: text })
    }
  }
}

const FORGE = `
  DROP TRIGGER audit_entries_follow; DROP TRIGGER audit_entries_lead;
  DROP TRIGGER audit_entries_stay; DROP TRIGGER audit_entries_remain;
  DROP TRIGGER audit_head_single; DROP TRIGGER audit_head_advance;
  DROP TRIGGER audit_head_remain;
`

/** What somebody can do who may write the file. */
class Forger {
  readonly #database: AssentDatabase

  constructor(database: AssentDatabase) {
    this.#database = database
    database.sqlite.exec(FORGE)
  }

  entries(): StoredEntry[] {
    const rows = this.#database.sqlite
      .prepare(`SELECT ${ENTRY_COLUMNS} FROM audit_entries ORDER BY seq`)
      .all()
    return rows.map(toStoredEntry)
  }

  run(sql: string, ...values: (string | number | null)[]): void {
    this.#database.sqlite.prepare(sql).run(...values)
  }

  write({ seq, at, kind, payload, body, erasedAt, prevHash, hash }: StoredEntry): void {
    this.run('DELETE FROM audit_entries WHERE seq = ?', seq)
    this.run(
      `INSERT INTO audit_entries (seq, at, kind, payload, body, erased_at, prev_hash, hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      seq,
      at,
      kind,
      payload,
      body,
      erasedAt,
      prevHash,
      hash,
    )
  }

  /** Writes the payload of an entry anew, and all hashes from it on. */
  rewrite(from: number, payload: string): void {
    let head: AuditHead = { seq: 0, hash: NO_HASH }
    for (const entry of this.entries()) {
      const next = { ...entry, payload: entry.seq === from ? payload : entry.payload }
      const made = { ...next, prevHash: head.hash }
      const written = { ...made, hash: hashOf(made) }
      this.write(written)
      head = written
    }
    this.lead(head)
  }

  lead({ seq, hash }: AuditHead): void {
    this.run('UPDATE audit_head SET seq = ?, hash = ?', seq, hash)
  }
}

/** What is done to the entry of a number, of so many; the number and the fault that are found. */
type Tampering = (
  forger: Forger,
  entry: StoredEntry,
  last: StoredEntry,
) => readonly [firstBad: number, why: string]

const edited = ({ payload }: StoredEntry) => payload.replace(/^\{/, '{"x":1,')

const TAMPERINGS: [what: string, tamper: Tampering][] = [
  [
    'changes what an entry says',
    (forger, entry) => {
      forger.write({ ...entry, payload: edited(entry) })
      return [entry.seq, 'changed']
    },
  ],
  [
    'changes when it was',
    (forger, entry) => {
      forger.write({ ...entry, at: entry.at + 1 })
      return [entry.seq, 'changed']
    },
  ],
  [
    'changes its kind',
    (forger, entry) => {
      forger.write({ ...entry, kind: entry.kind === 'task' ? 'refusal' : 'task' })
      return [entry.seq, 'changed']
    },
  ],
  [
    'changes a hash',
    (forger, entry) => {
      forger.write({ ...entry, hash: NO_HASH })
      return [entry.seq, 'changed']
    },
  ],
  [
    'changes an entry together with its hash',
    (forger, entry, last) => {
      const changed = { ...entry, payload: edited(entry) }
      forger.write({ ...changed, hash: hashOf(changed) })
      return entry.seq === last.seq ? [entry.seq + 1, 'head'] : [entry.seq + 1, 'unlinked']
    },
  ],
  [
    'changes the body of an entry',
    (forger, entry) => {
      const body = entry.body?.replace('"salt":"', '"salt":"x') ?? '{"message":"x"}'
      forger.write({ ...entry, body })
      return [entry.seq, 'changed']
    },
  ],
  [
    'takes the body of an entry away',
    (forger, entry) => {
      forger.write({ ...entry, body: entry.body === null ? '{}' : null })
      return [entry.seq, 'changed']
    },
  ],
  [
    'erases the body of an entry without a note of it',
    (forger, entry) => {
      forger.write({ ...entry, body: null, erasedAt: 5 })
      return [entry.seq, 'changed']
    },
  ],
  [
    'takes an entry away',
    (forger, entry) => {
      forger.run('DELETE FROM audit_entries WHERE seq = ?', entry.seq)
      return [entry.seq, 'missing']
    },
  ],
  [
    'takes an entry away and moves up those after it',
    (forger, entry, last) => {
      const after = forger.entries().filter(({ seq }) => seq > entry.seq)
      forger.run('DELETE FROM audit_entries WHERE seq >= ?', entry.seq)
      for (const one of after) forger.write({ ...one, seq: one.seq - 1 })
      return entry.seq === last.seq ? [entry.seq, 'missing'] : [entry.seq, 'changed']
    },
  ],
  [
    'puts an entry in and moves down those after it',
    (forger, entry, last) => {
      const after = forger.entries().filter(({ seq }) => seq > entry.seq)
      for (const one of after.toReversed()) forger.write({ ...one, seq: one.seq + 1 })
      forger.write(entryAfter(entry, { at: entry.at, kind: 'task', payload: {} }))
      return entry.seq === last.seq ? [entry.seq + 1, 'head'] : [entry.seq + 2, 'changed']
    },
  ],
  [
    'puts an entry before the first',
    (forger) => {
      const made = { seq: 0, at: 1, kind: 'task', payload: '{}', prevHash: NO_HASH }
      forger.write({ ...made, body: null, erasedAt: null, hash: hashOf(made) })
      return [0, 'unlinked']
    },
  ],
  [
    'lets two entries change places',
    (forger, entry, last) => {
      const other = forger.entries().find(({ seq }) => seq !== entry.seq) ?? last
      forger.write({ ...entry, seq: other.seq })
      forger.write({ ...other, seq: entry.seq })
      return [Math.min(entry.seq, other.seq), 'changed']
    },
  ],
  [
    'cuts the end off',
    (forger, entry) => {
      forger.run('DELETE FROM audit_entries WHERE seq >= ?', entry.seq)
      return [entry.seq, 'missing']
    },
  ],
  [
    'says that another entry is the last',
    (forger, entry, last) => {
      forger.lead({ seq: entry.seq, hash: NO_HASH })
      return [Math.min(entry.seq, last.seq) + 1, 'head']
    },
  ],
  [
    'takes the note of the last one away',
    (forger, _entry, last) => {
      forger.run('DELETE FROM audit_head')
      return [last.seq, 'head']
    },
  ],
]

/** What shows in the table of calls only. */
const CALL_TAMPERINGS: [what: string, sql: string][] = [
  [
    'changes how a call stands',
    `UPDATE tool_calls SET status = CASE status WHEN 'done' THEN 'failed' ELSE 'done' END`,
  ],
  [
    'changes what it was called with',
    `UPDATE tool_calls SET arguments_json = '{}' || arguments_json`,
  ],
  ['changes when it started', 'UPDATE tool_calls SET started_at = coalesce(started_at, 0) + 1'],
  ['changes an output', `UPDATE tool_calls SET output_text = coalesce(output_text, '') || 'x'`],
  ['takes a call away', 'DELETE FROM tool_calls'],
  [
    'puts a call in',
    `INSERT INTO tool_calls SELECT seq + 1000, 'f' || substr(id, 2) || 'g', conversation_id, task_id,
       message_id, step, tool_call_id, tool_name, arguments_json, status, outcome, output_text, error,
       attempts, queued_at, started_at, finished_at, erased_at FROM tool_calls LIMIT 1`,
  ],
]

/** A log that was played, in memory. */
async function withLog(
  played: Steps,
  look: (audit: AuditLog, database: AssentDatabase) => Promise<void>,
): Promise<void> {
  const database = openDatabase(':memory:')
  try {
    const audit = auditLog(database, { redact: false })
    await play([audit], played)
    // Something must be there.
    await audit.recordCall({ toolCallId: 'last', toolName: 'write', phase: 'running', input: {} })
    expect(await audit.verify()).toEqual({
      valid: true,
      entries: (await audit.head()).seq,
      head: await audit.head(),
    })
    await look(audit, database)
  } finally {
    database.close()
  }
}

describe('an audit', () => {
  it('is one chain, and its calls stand as it says, whoever of several writes what', async () => {
    const scratch = createScratch()
    let file = 0
    const whoever = asyncProperty(steps, async (played) => {
      const path = join(scratch.path, `${file++}.db`)
      const open = () => openDatabase(path, { synchronous: 'normal' })
      const databases = [open(), open(), open()]
      try {
        const audits = databases.map((database) => auditLog(database, { redact: false }))
        await play(audits, played)
        const [one, other] = audits
        expect(await one!.verify()).toMatchObject({ valid: true, head: await other!.head() })
        const seqs = (await other!.query({ limit: 1_000 })).map(({ seq }) => seq)
        expect(seqs).toEqual(seqs.map((_, index) => seqs.length - index))
      } finally {
        for (const database of databases) database.close()
      }
    })
    try {
      await assert(whoever, { numRuns: Math.ceil(RUNS / 3) })
    } finally {
      scratch.remove()
    }
  })

  it.each(TAMPERINGS)('finds out who %s', async (_what, tamper) => {
    const found = asyncProperty(steps, nat(), async (played, at) => {
      await withLog(played, async (audit, database) => {
        const forger = new Forger(database)
        const entries = forger.entries()
        const [firstBad, why] = tamper(forger, entries[at % entries.length]!, entries.at(-1)!)
        expect(await audit.verify()).toEqual({
          valid: false,
          firstBad,
          why,
          message: expect.stringContaining(String(why === 'head' ? '' : firstBad)),
        })
      })
    })
    await assert(found, { numRuns: RUNS })
  })

  it.each(CALL_TAMPERINGS)('finds out who %s in the table of calls', async (_what, sql) => {
    const found = asyncProperty(steps, async (played) => {
      await withLog(played, async (audit, database) => {
        database.sqlite.exec(sql)
        expect(await audit.verify()).toMatchObject({ valid: false, why: 'tool_calls' })
      })
    })
    await assert(found, { numRuns: RUNS })
  })

  it('finds out by a head that was noted elsewhere who wrote all of it anew', async () => {
    const found = asyncProperty(steps, nat(), async (played, at) => {
      await withLog(played, async (audit, database) => {
        const head = await audit.head()
        const forger = new Forger(database)
        const tasks = forger.entries().filter(({ kind }) => kind === 'task')
        const entry = tasks[at % tasks.length]
        if (!entry) return
        forger.rewrite(entry.seq, edited(entry))
        // By the file alone nobody can tell.
        expect(await audit.verify()).toMatchObject({ valid: true })
        expect(await audit.verify({ head })).toMatchObject({ valid: false, why: 'head' })
      })
    })
    await assert(found, { numRuns: RUNS })
  })

  it('finds out by it, too, who cut its end off together with the note of it', async () => {
    await withLog([], async (audit, database) => {
      const before = await audit.head()
      await audit.recordTask({ taskId: 't', phase: 'done', message: '' })
      const head = await audit.head()
      const forger = new Forger(database)
      forger.run('DELETE FROM audit_entries WHERE seq = ?', head.seq)
      forger.lead(before)
      expect(await audit.verify()).toMatchObject({ valid: true })
      expect(await audit.verify({ head: before })).toMatchObject({ valid: true })
      expect(await audit.verify({ head })).toMatchObject({
        valid: false,
        firstBad: head.seq,
        why: 'missing',
      })
    })
  })

  it.each([
    `UPDATE audit_entries SET at = 0`,
    `DELETE FROM audit_entries`,
    `INSERT OR REPLACE INTO audit_entries (seq, at, kind, payload, prev_hash, hash)
       SELECT seq, 0, kind, payload, prev_hash, hash FROM audit_entries LIMIT 1`,
    `INSERT INTO audit_entries (seq, at, kind, payload, prev_hash, hash)
       SELECT seq + 9, 0, kind, payload, hash, hash FROM audit_entries ORDER BY seq DESC LIMIT 1`,
    `INSERT INTO audit_entries (seq, at, kind, payload, prev_hash, hash)
       SELECT seq + 1, 0, kind, payload, prev_hash, hash FROM audit_entries ORDER BY seq DESC LIMIT 1`,
    `UPDATE audit_head SET seq = 1`,
    `DELETE FROM audit_head`,
    `INSERT OR REPLACE INTO audit_head VALUES (1, 0, '')`,
  ])('is not changed by %j', async (sql) => {
    await withLog([], async (audit, database) => {
      const head = await audit.head()
      expect(() => database.sqlite.exec(sql)).toThrow(/audit/)
      expect(await audit.verify({ head })).toMatchObject({ valid: true, entries: head.seq })
    })
  })
})
