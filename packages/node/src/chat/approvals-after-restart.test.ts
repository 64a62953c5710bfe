import { describe, expect, onTestFinished, test } from 'vitest'
import {
  answered,
  ask,
  asked,
  callsOf,
  decided,
  errorOf,
  startAsking,
} from '../../test/asking-server.ts'
import { createScratch } from '../../test/scratch.ts'
import { openDatabase } from '../sqlite/open-database.ts'
import type { ApprovalLedger } from './approval-ledger.ts'
import { memoryLedger } from './memory-ledger.ts'

describe('an approval of a server that was restarted', () => {
  const makeFile = () => {
    const { path, remove } = createScratch()
    onTestFinished(remove)
    return `${path}/assent.db`
  }

  test('is remembered in the database: its call does not run again', async () => {
    const file = makeFile()
    const first = openDatabase(file)
    const before = await startAsking([ask, 'Sent.'], { database: first })
    const messages = decided(await asked(before), true)
    await (await before.chat.post(messages)).text()
    expect(before.effects).toEqual(['send ada'])
    first.close()

    const second = openDatabase(file)
    const after = await startAsking(['Sent before.', 'Sent before.'], { database: second })
    const again = await answered(messages, await after.chat.post(messages))
    expect(after.effects).toEqual([])
    expect(callsOf(again)).toMatchObject([{ state: 'output-available', output: 'receipt 1' }])
    const denied = structuredClone(messages)
    for (const part of callsOf(denied)) Object.assign(part.approval ?? {}, { approved: false })
    const known = await answered(denied, await after.chat.post(denied))
    expect(after.effects).toEqual([])
    expect(callsOf(known)).toMatchObject([{ state: 'output-available', output: 'receipt 1' }])
    second.close()
  })

  test('that signed with a secret of its own is refused, which says that it was restarted', async () => {
    const ownSecret = { approvalSecret: undefined }
    const before = await startAsking([ask], ownSecret)
    const messages = decided(await asked(before), true)
    const after = await startAsking([], ownSecret)
    const refused = await errorOf(await after.chat.post(messages))
    expect(refused).toMatchObject({ status: 400, code: 'bad-approval' })
    expect(refused.message).toContain('was restarted since it asked')
    expect(after.effects).toEqual([])
  })

  test('whose call was running then is not run again, as nobody knows how it ended', async () => {
    const file = makeFile()
    const first = openDatabase(file)
    const begun = Promise.withResolvers<void>()
    const before = await startAsking([ask], { database: first }, () => {
      begun.resolve()
      return new Promise(() => {})
    })
    const messages = decided(await asked(before), true)
    const response = await before.chat.post(messages)
    await begun.promise
    // Its signs of life come to nothing from here on.
    first.close()
    const second = openDatabase(file)
    const after = await startAsking(['Nobody knows.'], { database: second })
    after.clock.now += 15_001
    const again = await answered(messages, await after.chat.post(messages))
    expect(after.effects).toEqual([])
    expect(callsOf(again)).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('may have taken effect') },
    ])
    await response.body?.cancel()
    second.close()
  })

  describe('whose call runs elsewhere while the ledger cannot be read', () => {
    async function runningElsewhere() {
      const ledger = memoryLedger()
      const [begun, ends] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
      const before = await startAsking([ask], { ledger }, () => {
        begun.resolve()
        return ends.promise
      })
      const messages = decided(await asked(before), true)
      const response = await before.chat.post(messages)
      await begun.promise
      onTestFinished(async () => {
        ends.resolve('too late')
        if (!response.bodyUsed) await response.text()
      })

      /** The ledger, which nobody can read once the call was found to run. */
      let isClaimed = false
      const losing = (look: ApprovalLedger['look']): ApprovalLedger => ({
        ...ledger,
        claim: (...call) => {
          isClaimed = true
          return ledger.claim(...call)
        },
        look: (key) => (isClaimed ? look(key) : ledger.look(key)),
      })
      return { ledger, losing, messages, ends, response }
    }

    test('waits on, and has what came of it', async () => {
      const { ledger, losing, messages, ends, response } = await runningElsewhere()
      const errors: unknown[] = []
      let looks = 0
      const after = await startAsking(['Sent.'], {
        onError: (error) => errors.push(error),
        ledger: losing(async (key) => {
          if (++looks <= 2) throw new Error('The connection was lost.')
          ends.resolve('receipt 1')
          if (!response.bodyUsed) await response.text()
          return ledger.look(key)
        }),
      })
      const again = await answered(messages, await after.chat.post(messages))
      expect(after.effects).toEqual([])
      expect(callsOf(again)).toMatchObject([{ state: 'output-available', output: 'receipt 1' }])
      expect(errors).toHaveLength(1)
    })

    test('says after a lease that it may have taken effect', async () => {
      const { losing, messages } = await runningElsewhere()
      const lost = () => Promise.reject(new Error('The connection was lost.'))
      const after = await startAsking(['Nobody knows.'], {
        onError: () => {},
        runLeaseMs: 1_000,
        ledger: losing(lost),
      })
      const again = await answered(messages, await after.chat.post(messages))
      expect(after.effects).toEqual([])
      expect(callsOf(again)).toMatchObject([
        { state: 'output-error', errorText: expect.stringContaining('may have taken effect') },
      ])
    })
  })

  test('holds under the next secret as long as the old one is listed', async () => {
    const [old, next] = ['the secret of last year', 'the secret of this year']
    const ledger = memoryLedger()
    const before = await startAsking([ask], { ledger, approvalSecret: old })
    const messages = decided(await asked(before), true)
    const after = await startAsking(['Sent.', ask], { ledger, approvalSecret: [next, old] })
    await (await after.chat.post(messages)).text()
    expect(after.effects).toEqual(['send ada'])
    const renewed = decided(await asked(after), true)
    const last = await startAsking(['Sent.'], { ledger, approvalSecret: next })
    expect((await last.chat.post(messages)).status).toBe(400)
    await (await last.chat.post(renewed)).text()
    expect(last.effects).toEqual(['send ada'])
  })
})
