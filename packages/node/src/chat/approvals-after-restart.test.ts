import { describe, expect, onTestFinished, test } from 'vitest'
import { answered, ask, asked, callsOf, decided, startAsking } from '../../test/asking-server.ts'
import { createScratch } from '../../test/scratch.ts'
import { openDatabase } from '../sqlite/open-database.ts'

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

  test('holds under the next secret as long as the old one is listed', async () => {
    const [old, next] = ['the secret of last year', 'the secret of this year']
    const before = await startAsking([ask], { approvalSecret: old })
    const messages = decided(await asked(before), true)
    const after = await startAsking(['Sent.', ask], { approvalSecret: [next, old] })
    await (await after.chat.post(messages)).text()
    expect(after.effects).toEqual(['send ada'])
    const renewed = decided(await asked(after), true)
    const last = await startAsking(['Sent.'], { approvalSecret: next })
    expect((await last.chat.post(messages)).status).toBe(400)
    await (await last.chat.post(renewed)).text()
    expect(last.effects).toEqual(['send ada'])
  })
})
