import { join } from 'node:path'
import { asyncProperty, assert, nat, tuple } from 'fast-check'
import { expect, it } from 'vitest'
import { startNode, type NodeProcess } from '../../test/node-process.ts'
import { createScratch } from '../../test/scratch.ts'
import { openDatabase } from '../sqlite/open-database.ts'
import { sqliteStorage } from '../sqlite/sqlite-storage.ts'
import { auditLog } from './sqlite-audit.ts'
import { verifyJsonl } from './export-audit.ts'

const FIXTURE = join(import.meta.dirname, '../../test/audit-process.fixture.ts')
/** Each kills two. */
const ROUNDS = process.env['ASSENT_DEEP'] === '1' ? 35 : 2

/** Reads so many lines, kills the process, and reads what it had said by then. */
async function killAfter(writer: NodeProcess, count: number): Promise<string[]> {
  const said: string[] = []
  for await (const line of writer.lines()) {
    said.push(line)
    if (said.length === count) writer.kill()
  }
  expect(await writer.ended).toBeNull()
  return said
}

it(
  'keeps one chain and all that it acknowledged when its processes are killed',
  { timeout: 600_000 },
  async () => {
    const scratch = createScratch()
    const path = join(scratch.path, 'data.db')
    let started = 0
    const line = nat({ max: 60 })
    const round = asyncProperty(tuple(line, line), async (counts) => {
      const writers = counts.map((count) => {
        const name = `writer ${started++}`
        return { name, count: count + 1, process: startNode(FIXTURE, path, name) }
      })
      const said = await Promise.all(
        writers.map(async (one) => ({ ...one, lines: await killAfter(one.process, one.count) })),
      )
      const database = openDatabase(path)
      try {
        const audit = auditLog(database)
        const verification = await audit.verify()
        expect(verification).toEqual({
          valid: true,
          entries: (await audit.head()).seq,
          head: await audit.head(),
        })
        for (const { name, lines } of said) {
          const entries = await audit.query({ conversationId: name, limit: 1_000 })
          const noted = entries.map(
            ({ payload }) => `call ${payload['toolCallId']} ${payload['phase']}`,
          )
          const tasks = (await audit.query({ kind: 'task', limit: 1_000 })).map(
            ({ payload }) => payload['taskId'],
          )
          const acknowledged = lines.filter((text) => text.startsWith('call '))
          expect(noted.toReversed().slice(0, acknowledged.length)).toEqual(acknowledged)
          // At most one was written that nobody was told of.
          expect(noted.length - acknowledged.length).toBeLessThanOrEqual(1)
          for (const text of lines.filter((one) => one.startsWith('task '))) {
            expect(tasks).toContain(`${name} ${text.split(' ')[1]}`)
          }
          const written = lines.filter((text) => text.startsWith('write ')).length
          const records = await sqliteStorage(database).read(name)
          expect(records.get('one')).toBe(records.get('other'))
          expect(Number(records.get('one') ?? -1) + 1).toBeGreaterThanOrEqual(written)
        }
        expect(await verifyJsonl(audit.exportJsonl(), { head: await audit.head() })).toEqual(
          verification,
        )
      } finally {
        database.close()
      }
    })
    try {
      await assert(round, { numRuns: ROUNDS, endOnFailure: true })
    } finally {
      scratch.remove()
    }
  },
)
