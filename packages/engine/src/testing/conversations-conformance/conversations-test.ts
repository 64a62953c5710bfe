import type { ConversationHold, Conversations } from '../../storage/conversations.ts'

/** Conversations to be tested: nothing is stored, and nobody holds any. */
export interface TestedConversations {
  readonly conversations: Conversations
  /** The same as another process has them; may be the same when there is but one. */
  readonly other: Conversations
  /** Lets the clock of the leases go on, of which nobody else moves a hand. */
  advance(ms: number): void | Promise<void>
}

/** One test of the conformance suite. */
export interface ConversationsTest {
  /** What they do, as a sentence. */
  readonly name: string
  /**
   * Resolves when they do it; rejects with an `Error` that says what they did instead.
   *
   * @param make conversations that nobody else uses; called once
   */
  run(make: () => Promise<TestedConversations>): Promise<void>
}

/** How long the leases of the tests are: no timer of theirs runs before a test is over. */
export const LEASE_MS = 60_000

export interface Held {
  readonly tested: TestedConversations
  /** Holds a conversation, `c` by default, and lets it go when the test is over. */
  hold(by: Conversations, id?: string, conversationOwner?: string): Promise<ConversationHold>
}

export function conversationsTest(
  name: string,
  test: (tested: TestedConversations, hold: Held['hold']) => Promise<void>,
): ConversationsTest {
  return {
    name,
    async run(make) {
      const holds: ConversationHold[] = []
      const hold: Held['hold'] = async (by, id = 'c', conversationOwner) => {
        const given = await by.hold(id, {
          leaseMs: LEASE_MS,
          ...(conversationOwner !== undefined && { conversationOwner }),
        })
        if (!given) return fail(`hold(${JSON.stringify(id)}) gives nothing; it should be free`)
        holds.push(given)
        return given
      }
      try {
        await test(await make(), hold)
      } finally {
        await Promise.all(holds.map((one) => one.release()))
      }
    },
  }
}

/** Throws unless a conversation is held by somebody else. */
export async function checkHeld(by: Conversations, what: string, id = 'c'): Promise<void> {
  const given = await by.hold(id, { leaseMs: LEASE_MS })
  if (given) fail(`hold(${JSON.stringify(id)}) gives it ${what}`)
}

/** Throws unless these are as they should be. */
export function checkHold(hold: ConversationHold, epoch: number, isTakenOver: boolean): void {
  if (hold.epoch !== epoch) fail(`the epoch of a hold is ${hold.epoch}, not ${epoch}`)
  if (hold.isTakenOver !== isTakenOver) {
    fail(`isTakenOver of a hold is ${hold.isTakenOver}, not ${isTakenOver}`)
  }
}

/** Throws unless what was tried is refused with a code. */
export async function checkRefused(what: string, code: string, act: () => unknown): Promise<void> {
  let thrown: unknown
  try {
    await act()
  } catch (error) {
    thrown = error
  }
  if (thrown instanceof Error && 'code' in thrown && thrown.code === code) return
  fail(`${what} ${thrown === undefined ? 'is taken' : `fails with ${String(thrown)}`}, not ${code}`)
}

export function fail(message: string): never {
  throw new Error(`The conversations do not keep the contract: ${message}.`)
}
