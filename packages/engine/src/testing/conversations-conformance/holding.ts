import {
  checkHeld,
  checkHold,
  checkRefused,
  conversationsTest,
  fail,
  LEASE_MS,
  type ConversationsTest,
} from './conversations-test.ts'

/** Who holds what. */
export const holdingTests: readonly ConversationsTest[] = [
  conversationsTest('are held by one at a time', async ({ conversations, other }, hold) => {
    const held = await hold(conversations)
    checkHold(held, 1, false)
    await checkHeld(other, 'although another process holds it')
    await checkHeld(conversations, 'although this process holds it')
    checkHold(await hold(other, 'another'), 1, false)
    await held.release()
    checkHold(await hold(other), 2, false)
    if (held.lost.aborted) fail('a hold that was released counts as lost')
  }),

  conversationsTest(
    'are given to one of many who ask at once',
    async ({ conversations, other }) => {
      const asked = Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? conversations : other).hold('c', { leaseMs: LEASE_MS }),
      )
      const given = (await Promise.all(asked)).flatMap((one) => one ?? [])
      await Promise.all(given.map((one) => one.release()))
      if (given.length !== 1) fail(`${given.length} of 20 hold it`)
    },
  ),

  conversationsTest('are taken over from who stands still', async (tested, hold) => {
    const { conversations, other, advance } = tested
    const held = await hold(conversations)
    await advance(LEASE_MS - 1)
    await checkHeld(other, 'before the lease has ended')
    await held.check()
    await advance(1)
    checkHold(await hold(other), 2, true)
    await checkRefused('check() of who held it before', 'hold_lost', () => held.check())
    if (!held.lost.aborted) fail('who held it before is not told')
    await checkRefused('what `lost` says', 'hold_lost', () => held.lost.throwIfAborted())
  }),

  conversationsTest('stay with who stood still while nobody wanted it', async (tested, hold) => {
    const held = await hold(tested.conversations)
    await tested.advance(5 * LEASE_MS)
    await held.check()
    if (held.lost.aborted) fail('a hold is lost that nobody has taken over')
  }),

  conversationsTest('are not let go by a release that comes late', async (tested, hold) => {
    const { conversations, other, advance } = tested
    const held = await hold(conversations)
    await advance(LEASE_MS)
    const theirs = await hold(other)
    await held.release()
    await theirs.check()
    await checkHeld(conversations, 'although another process has taken it over')
  }),

  conversationsTest('are never named like another', async ({ conversations }, hold) => {
    const names = ['\ud83d', '\udc69', '\ufffd', '__proto__', '', "'", 'a\0b', 'a']
    for (const name of names) checkHold(await hold(conversations, name), 1, false)
    // One of the same id that belongs to somebody is another one.
    checkHold(await hold(conversations, 'a', 'ada'), 1, false)
  }),

  conversationsTest('are not held for no time', async ({ conversations }) => {
    for (const leaseMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await checkRefused(`a lease of ${leaseMs} ms`, 'invalid_argument', () =>
        conversations.hold('c', { leaseMs }),
      )
    }
  }),
]
