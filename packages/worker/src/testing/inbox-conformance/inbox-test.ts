import assert from 'node:assert/strict'
import type { Claim, Inbox } from '../../inbox.ts'

/** An inbox to be tested, without any task. */
export interface TestedInbox {
  readonly inbox: Inbox
  /** Another one over the same tasks, as of another process; may be the same when there is but one. */
  readonly other: Inbox
  /** Lets its clock go on, of which nobody else moves a hand. */
  advance(ms: number): void | Promise<void>
  /** What that clock says: milliseconds since the epoch. */
  now(): number
}

/** One test of the conformance suite. */
export interface InboxTest {
  /** What the inbox does, as a sentence. */
  readonly name: string
  /**
   * Resolves when the inbox does it; rejects with an error that says what it did instead.
   *
   * @param make an inbox that nobody else uses; called once
   */
  run(make: () => Promise<TestedInbox>): Promise<void>
}

export function inboxTest(name: string, test: (tested: TestedInbox) => Promise<void>): InboxTest {
  return { name, run: async (make) => test(await make()) }
}

/** How long the leases of the tests are. */
export const LEASE_MS = 1_000

export function claimNext(
  inbox: Inbox,
  worker = 'worker',
  isIdle = true,
): Promise<Claim | undefined> {
  return inbox.claim({ worker, leaseMs: LEASE_MS, isIdle })
}

/** Claims the next task, which has to be this one. */
export async function claimTask(inbox: Inbox, id: string, worker?: string): Promise<Claim> {
  const claim = await claimNext(inbox, worker)
  assert.equal(claim?.task.id, id, `claim() gives ${claim?.task.id ?? 'nothing'}, not ${id}`)
  return claim
}

export async function assertNothingToClaim(
  inbox: Inbox,
  why: string,
  isIdle = true,
): Promise<void> {
  assert.equal((await claimNext(inbox, 'worker', isIdle))?.task.id, undefined, why)
}

/** Adds tasks to conversations: `{ a: 'one' }` is task a of conversation one. */
export async function addTasks(
  inbox: Inbox,
  tasks: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [id, conversationId] of Object.entries(tasks)) {
    await inbox.add({ id, conversationId, input: id })
  }
}
