import assert from 'node:assert/strict'
import {
  entryAfter,
  hashOf,
  NO_HASH,
  type AuditHead,
  type StoredEntry,
} from '../audit/audit-entry.ts'
import { auditTest, fill, type AuditTest, type TestedAudit } from './tested-audit.ts'

type Forger = TestedAudit['forger']

async function replace(forger: Forger, entry: StoredEntry): Promise<void> {
  await forger.remove(entry.seq)
  await forger.insert(entry)
}

/** What is done to an entry; answers with the number and the fault that are to be found. */
type Tampering = (
  forger: Forger,
  entry: StoredEntry,
  entries: readonly StoredEntry[],
) => Promise<readonly [firstBad: number, why: string]>

function one(entry: StoredEntry | undefined): StoredEntry {
  assert.ok(entry)
  return entry
}

const edited = ({ payload }: StoredEntry) => payload.replace(/^\{/, '{"x":1,')

const TAMPERINGS: readonly (readonly [what: string, tamper: Tampering])[] = [
  [
    'changes what an entry says',
    async (forger, entry) => {
      await replace(forger, { ...entry, payload: edited(entry) })
      return [entry.seq, 'changed']
    },
  ],
  [
    'changes when it was',
    async (forger, entry) => {
      await replace(forger, { ...entry, at: entry.at + 1 })
      return [entry.seq, 'changed']
    },
  ],
  [
    'changes its body',
    async (forger, entry) => {
      await replace(forger, {
        ...entry,
        body: entry.body?.replace('"salt":"', '"salt":"x') ?? '{}',
      })
      return [entry.seq, 'changed']
    },
  ],
  [
    'takes its body away',
    async (forger, entry) => {
      await replace(forger, { ...entry, body: null })
      return [entry.seq, 'changed']
    },
  ],
  [
    'erases its body without a note of it',
    async (forger, entry) => {
      await replace(forger, { ...entry, body: null, erasedAt: 5 })
      return [entry.seq, 'changed']
    },
  ],
  [
    'changes it together with its hash',
    async (forger, entry) => {
      const changed = { ...entry, payload: edited(entry) }
      await replace(forger, { ...changed, hash: hashOf(changed) })
      return [entry.seq + 1, 'unlinked']
    },
  ],
  [
    'takes it away',
    async (forger, { seq }) => {
      await forger.remove(seq)
      return [seq, 'missing']
    },
  ],
  [
    'cuts the end off',
    async (forger, _entry, entries) => {
      const last = one(entries.at(-1))
      await forger.remove(last.seq)
      return [last.seq, 'missing']
    },
  ],
  [
    'puts one behind the last',
    async (forger, _entry, entries) => {
      const last = one(entries.at(-1))
      await forger.insert(entryAfter(last, { at: last.at, kind: 'task', payload: {} }))
      return [last.seq + 1, 'head']
    },
  ],
  [
    'lets two change places',
    async (forger, entry, entries) => {
      const other = one(entries[entry.seq])
      await replace(forger, { ...entry, seq: other.seq })
      await replace(forger, { ...other, seq: entry.seq })
      return [entry.seq, 'changed']
    },
  ],
]

/** Writes an entry anew, and all hashes from it on. */
async function rewrite(forger: Forger, from: number): Promise<void> {
  let head: AuditHead = { seq: 0, hash: NO_HASH }
  for (const entry of await forger.entries()) {
    const payload = entry.seq === from ? edited(entry) : entry.payload
    const made = { ...entry, payload, prevHash: head.hash }
    head = { ...made, hash: hashOf(made) }
    await replace(forger, { ...made, hash: head.hash })
  }
  await forger.lead(head)
}

/** What an audit finds when somebody has spoilt it. */
export const TAMPERING_TESTS: readonly AuditTest[] = [
  ...TAMPERINGS.map(([what, tamper]) =>
    auditTest(`finds out who ${what}`, async (tested) => {
      await fill(tested)
      const { audit, forger } = tested
      const entries = await forger.entries()
      const [firstBad, why] = await tamper(forger, one(entries[2]), entries)
      const { message, ...found } = { message: '', ...(await audit.verify()) }
      assert.deepEqual(found, { valid: false, firstBad, why })
      assert.notEqual(message, '')
    }),
  ),
  ...(['failCalls', 'removeCalls'] as const).map((how) =>
    auditTest(`finds out who changes the table of calls: ${how}`, async (tested) => {
      await fill(tested)
      await tested.forger[how]()
      const found = await tested.audit.verify()
      assert.equal(!found.valid && found.why, 'tool_calls')
    }),
  ),
  auditTest(
    'finds out by a head that was noted elsewhere who wrote all of it anew',
    async (tested) => {
      await fill(tested)
      const { audit, forger } = tested
      const head = await audit.head()
      await rewrite(forger, 2)
      assert.equal((await audit.verify()).valid, true)
      const found = await audit.verify({ head })
      assert.equal(!found.valid && found.why, 'head')
    },
  ),
]
