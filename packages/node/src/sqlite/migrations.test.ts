import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createMessageEngine } from '@assent/engine'
import { storedConversations } from '@assent/engine/storage'
import { scriptedTransport } from '@assent/engine/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { auditLog } from '../audit/sqlite-audit.ts'
import { MIGRATIONS } from './migrations.ts'
import { openDatabase, type AssentDatabase } from './open-database.ts'
import { sqliteStorage } from './sqlite-storage.ts'

const CORPUS = join(import.meta.dirname, '../../test/corpus')

let scratch: Scratch
const opened: AssentDatabase[] = []

beforeEach(() => {
  scratch = createScratch()
})

afterEach(() => {
  for (const database of opened.splice(0)) database.close()
  scratch.remove()
})

/** A copy of a file that was written when this was the latest version. */
function open(version: number): AssentDatabase {
  const path = join(scratch.path, 'data.db')
  writeFileSync(path, gunzipSync(readFileSync(join(CORPUS, `version-${version}.db.gz`))))
  const database = openDatabase(path)
  opened.push(database)
  return database
}

describe('a file of an earlier version', () => {
  it.each([1, 3])('(%d) is brought up to date, and its conversations go on', async (version) => {
    const database = open(version)
    expect(database.sqlite.prepare('PRAGMA user_version').get()).toEqual({
      user_version: MIGRATIONS.length,
    })
    const storage = sqliteStorage(database)
    expect(await storedConversations(storage).list()).toMatchObject([
      { id: 'kept', messageCount: 2, requestState: 'completed' },
    ])
    const engine = createMessageEngine({ id: 'kept', storage, transport: scriptedTransport([]) })
    await engine.ready
    expect(engine.getState().messages).toMatchObject([
      { role: 'user', parts: [{ text: 'hello \ud83d' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'tool-write', state: 'output-available', output: 'ok' },
          { type: 'step-start' },
          { type: 'text', text: 'done' },
        ],
      },
    ])
    engine.dispose()
    expect(await storage.read('odd \ud83d\\')).toEqual(new Map([['\0', { '\udc69': 1 }]]))
  })

  it('(3) has an audit that is still valid, and says the same', async () => {
    const audit = auditLog(open(3))
    const head = {
      seq: 8,
      hash: '4bbe1e92f5aef5f6a2a860b49622170ae63241bda595b1c2b87699dff3ed5752',
    }
    expect(await audit.verify({ head })).toEqual({ valid: true, entries: 8, head })
    let lines = ''
    for await (const line of audit.exportJsonl()) lines += `${line}\n`
    expect(lines).toBe(readFileSync(join(CORPUS, 'version-3.jsonl'), 'utf8'))
    expect(await audit.calls()).toMatchObject([
      { conversationId: 'kept', taskId: 't', status: 'done', attempts: 2, output: '{"written":3}' },
    ])
    await audit.recordTask({ taskId: 't', phase: 'ingress', message: 'More.' })
    expect(await audit.verify({ head })).toMatchObject({ valid: true, entries: 9 })
  })
})
