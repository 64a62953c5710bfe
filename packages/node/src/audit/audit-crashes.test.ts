import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMessageEngine, toolPlugin } from '@assent/engine'
import { scriptedTransport, untilState } from '@assent/engine/testing'
import { asyncProperty, assert, nat, tuple } from 'fast-check'
import { expect, it } from 'vitest'
import { startNode } from '../../test/node-process.ts'
import { createScratch } from '../../test/scratch.ts'
import { openDatabase, type AssentDatabase } from '../sqlite/open-database.ts'
import { sqliteStorage } from '../sqlite/sqlite-storage.ts'
import type { AuditLog } from './audit-log.ts'
import { auditLog } from './sqlite-audit.ts'
import { auditStorage } from './audit-storage.ts'

const FIXTURE = join(import.meta.dirname, '../../test/engine-process.fixture.ts')
/** Each kills two. */
const ROUNDS = process.env['ASSENT_DEEP'] === '1' ? 30 : 1

const EFFECTED = /^queued running (?:success|interrupted)$/
/** A start that was noted and not stored did not come to be. */
const NOT_EFFECTED = /^queued(?: running(?: queued)?)? (?:interrupted|cancelled|dropped)$/

/** What was noted of every call, by its conversation and id. */
async function notedCalls(audit: AuditLog): Promise<Map<string, unknown[]>> {
  const noted = new Map<string, unknown[]>()
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const page = await audit.query({ kind: 'call', before, limit: 1_000 })
    for (const { payload } of page) {
      const call = `${payload['conversationId']}/${payload['toolCallId']}`
      noted.set(call, [payload['outcome'] ?? payload['phase'], ...(noted.get(call) ?? [])])
    }
    const last = page.at(-1)
    if (!last) return noted
    before = last.seq
  }
}

/** Opens a conversation as the next process does, and lets it come to rest. */
async function takeUp(database: AssentDatabase, id: string): Promise<void> {
  const engine = createMessageEngine({
    id,
    storage: auditStorage(sqliteStorage(database), auditLog(database)),
    transport: scriptedTransport([]),
    plugins: [
      toolPlugin({ defaultApproval: 'approved', callTool: () => 'again', onRestore: 'ask' }),
    ],
    onError: () => undefined,
  })
  await engine.ready
  await untilState(engine, ({ requestState }) => requestState !== 'processing')
  await engine.abort()
  engine.dispose()
  // What is left is stored after the tick of the end.
  await new Promise((resolve) => void setImmediate(resolve))
}

it(
  'tells every call to its end, once, whenever its process is killed',
  { timeout: 600_000 },
  async () => {
    const line = nat({ max: 40 })
    const round = asyncProperty(tuple(line, line), async (counts) => {
      const scratch = createScratch()
      const path = join(scratch.path, 'data.db')
      const effects = join(scratch.path, 'effects')
      scratch.write({ effects: '' })
      try {
        const said = await Promise.all(
          counts.map(async (count, index) => {
            const led = startNode(FIXTURE, path, effects, `writer ${index}`)
            const lines: string[] = []
            for await (const text of led.lines()) {
              lines.push(text)
              if (lines.length === count + 1) led.kill()
            }
            expect(await led.ended).toBeNull()
            return lines
          }),
        )
        const database = openDatabase(path)
        try {
          const audit = auditLog(database)
          const effected = readFileSync(effects, 'utf8').split('\n').slice(0, -1)
          // Before anybody has looked: what took effect was running.
          const before = await notedCalls(audit)
          for (const call of effected)
            expect(before.get(call)?.slice(0, 2)).toEqual(['queued', 'running'])
          const done = said.flat().filter((text) => text.startsWith('done '))
          const conversations = new Set([...before.keys()].map((call) => call.split('/')[0]!))
          for (const id of conversations) await takeUp(database, id)
          const after = await notedCalls(audit)
          for (const [call, phases] of after) {
            expect(phases.join(' ')).toMatch(effected.includes(call) ? EFFECTED : NOT_EFFECTED)
          }
          for (const text of done) {
            for (const index of [1, 2, 3]) {
              expect(after.get(`${text.slice('done '.length)}/${index}`)).toContain('success')
            }
          }
          expect(await audit.calls({ status: 'running' })).toEqual([])
          expect(await audit.calls({ status: 'queued' })).toEqual([])
          expect(await audit.verify()).toMatchObject({ valid: true })
        } finally {
          database.close()
        }
      } finally {
        scratch.remove()
      }
    })
    await assert(round, { numRuns: ROUNDS, endOnFailure: true })
  },
)
