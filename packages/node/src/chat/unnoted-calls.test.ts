import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { toolCallStatus } from '@assent/engine'
import {
  answered,
  ask,
  asked,
  callsOf,
  decided,
  question,
  saidIn,
  startAsking,
} from '../../test/asking-server.ts'
import { connectEngine } from '../../test/chat-client.ts'
import { fillDisk, LONG } from '../../test/full-disk.ts'
import { createScratch } from '../../test/scratch.ts'
import type { ModelStep } from '../../test/scripted-model.ts'
import { auditLog } from '../audit/sqlite-audit.ts'
import { openDatabase } from '../sqlite/open-database.ts'

const NOT_RUN =
  'The server could not keep a record of the call, so it did not run. Try again later.'

/** A database in a file, closed with its test. */
function database(name: string) {
  const scratch = createScratch()
  const opened = openDatabase(`${scratch.path}/${name}.db`)
  onTestFinished(() => {
    opened.close()
    scratch.remove()
  })
  return opened
}

function two() {
  const [ledger, records] = [database('ledger'), database('audit')]
  return { ledger, records, audit: auditLog(records) }
}

const long = [['1', 'send', { to: LONG }]] satisfies ModelStep
const FULL = { code: 'database_unwritable' }

describe('an approved call that cannot be noted', () => {
  test('does not run, is told to nobody as its end, and runs for the same yes later', async () => {
    const { ledger, records, audit } = two()
    const server = await startAsking([long, 'Sent.'], { database: ledger, audit })
    const paused = await asked(server)
    const free = fillDisk(records)
    for (const _ of [1, 2]) {
      const events = await (await server.chat.post(decided(paused, true))).text()
      expect(saidIn(events)).toEqual(['running'])
      expect(events).toContain(JSON.stringify({ type: 'error', errorText: NOT_RUN }))
    }
    expect(server.errors).toMatchObject([FULL, FULL])
    expect(server.model.doStreamCalls).toHaveLength(1)
    expect(server.effects).toEqual([])
    free()
    const answer = await answered(paused, await server.chat.post(decided(paused, true)))
    expect(callsOf(answer)).toMatchObject([{ state: 'output-available', output: 'receipt 1' }])
    expect(server.effects).toHaveLength(1)
    expect(await audit.calls()).toMatchObject([{ status: 'done', attempts: 1 }])
  })

  test('is sent again by a page with an engine, until it has run', async () => {
    const { ledger, records, audit } = two()
    const server = await startAsking([long, 'Sent.'], { database: ledger, audit })
    const page = connectEngine(server.api, {}, { id: 'chat', resend: { baseMs: 10 } })
    await page.engine.sendMessage('go')
    const free = fillDisk(records)
    await page.resume({ toolCallId: '1', outcome: 'yes' })
    await vi.waitFor(() => expect(server.errors.length).toBeGreaterThan(0))
    expect(toolCallStatus(page.calls()[0]!)).not.toBe('error')
    free()
    await page.completed()
    expect(page.calls()).toMatchObject([{ state: 'output-available' }])
    expect(server.effects).toHaveLength(1)
  })

  test('keeps its approval when it is the ledger that cannot be written', async () => {
    const kept = database('ledger')
    const server = await startAsking([ask, 'Sent.'], { database: kept })
    const paused = await asked(server)
    const claims = kept.sqlite.exec.bind(kept.sqlite)
    claims(`CREATE TRIGGER broken BEFORE UPDATE OF state ON approval_ledger WHEN new.state = 'running'
      BEGIN SELECT RAISE(ABORT, 'no claim in /srv/a.db'); END`)
    const events = await (await server.chat.post(decided(paused, true))).text()
    expect(events).toContain(NOT_RUN)
    expect(events).not.toContain('/srv/a.db')
    expect(server.errors).toMatchObject([{ code: 'ledger_failed' }])
    claims('DROP TRIGGER broken')
    const answer = await answered(paused, await server.chat.post(decided(paused, true)))
    expect(callsOf(answer)).toMatchObject([{ state: 'output-available' }])
    expect(server.effects).toEqual(['send ada'])
  })
})

test('a call that nobody is asked about says to page and model that it did not run, and names no file', async () => {
  const { ledger, records, audit } = two()
  const rules = { database: ledger, audit, toolApproval: { send: 'approved' as const } }
  const server = await startAsking([long, 'Not sent.'], rules)
  fillDisk(records)
  const answer = await answered(question, await server.chat.post(question))
  expect(callsOf(answer)).toMatchObject([{ state: 'output-error', errorText: NOT_RUN }])
  expect(server.model.doStreamCalls[1]?.prompt.at(-1)).toMatchObject({
    content: [{ output: { type: 'error-text', value: NOT_RUN } }],
  })
  expect(server.errors).toMatchObject([FULL])
  expect(server.effects).toEqual([])
})

describe('the end of a run that cannot be noted', () => {
  async function runOnFullDisk() {
    const { ledger, records, audit } = two()
    const end = Promise.withResolvers<string>()
    const begun = Promise.withResolvers<void>()
    const server = await startAsking([ask, 'Sent.'], { database: ledger, audit }, () => {
      begun.resolve()
      return end.promise
    })
    const paused = await asked(server)
    const post = server.chat.post(decided(paused, true))
    await begun.promise
    const full = [fillDisk(ledger), fillDisk(records)]
    const yes = { paused, response: await post, end: () => end.resolve(LONG) }
    return { ...yes, server, ledger, audit, free: () => full.forEach((free) => free()) }
  }

  test('is noted later, in ledger and audit, and given to who asks another server', async () => {
    const { server, paused, response, end, audit, ledger, free } = await runOnFullDisk()
    end()
    const answer = await answered(paused, response)
    expect(callsOf(answer)).toMatchObject([{ state: 'output-available', output: LONG }])
    expect(server.errors).toMatchObject([FULL, { code: 'ledger_failed', cause: FULL }])
    expect(await audit.calls()).toMatchObject([{ status: 'running' }])
    free()
    await vi.waitFor(async () => expect(await audit.calls()).toMatchObject([{ status: 'done' }]))
    const other = await startAsking(['Sent.'], { database: ledger })
    await vi.waitFor(async () => {
      const again = await answered(paused, await other.chat.post(decided(paused, true)))
      expect(callsOf(again)).toMatchObject([{ state: 'output-available', output: LONG }])
    })
    expect([...server.effects, ...other.effects]).toEqual(['send ada'])
  })

  test('is waited for by a handler that drains', async () => {
    const { server, response, end, audit, free } = await runOnFullDisk()
    end()
    await response.text()
    let isDrained = false
    const drained = server.drain().then(() => (isDrained = true))
    expect(await audit.calls()).toMatchObject([{ status: 'running' }])
    expect(isDrained).toBe(false)
    free()
    await drained
    expect(await audit.calls()).toMatchObject([{ status: 'done', output: expect.any(String) }])
  })
})
