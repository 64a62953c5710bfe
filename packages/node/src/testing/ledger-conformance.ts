import assert from 'node:assert/strict'
import type { ApprovalLedger, LedgerKey, RunOutcome, Runner } from '../chat/approval-ledger.ts'

/** A ledger to be tested, in which nothing is noted. */
export interface TestedLedger {
  readonly ledger: ApprovalLedger
  /** Another one over the same entries, as of another process; may be the same when there is but one. */
  readonly other: ApprovalLedger
  /** Lets its clock go on, of which nobody else moves a hand. */
  advance(ms: number): void | Promise<void>
  /** What that clock says: milliseconds since the epoch. */
  now(): number
}

/** One test of the conformance suite. */
export interface LedgerTest {
  /** What the ledger does, as a sentence. */
  readonly name: string
  /**
   * Resolves when the ledger does it; rejects with an error that says what it did instead.
   *
   * @param make a ledger that nobody else uses; called once
   */
  run(make: () => Promise<TestedLedger>): Promise<void>
}

/**
 * What every `ApprovalLedger` must do, as tests for any test runner. Each begins with a ledger of its own
 * and rejects with an `AssertionError` that says what is wrong:
 *
 * ```ts
 * for (const { name, run } of ledgerConformance()) it(name, () => run(makeLedger))
 * ```
 */
export function ledgerConformance(): readonly LedgerTest[] {
  return TESTS
}

const LEASE_MS = 1_000
const key: LedgerKey = { owner: 'ada', conversationId: 'one', approvalId: 'a', fingerprint: 'f' }
const runner = (holder: string): Runner => ({ holder, leaseMs: LEASE_MS })
const DENIED = { status: 'denied' }
const done: RunOutcome = { status: 'done', output: { receipt: [1, null, '\ud83d\ude00'] } }

function ledgerTest(name: string, test: (tested: TestedLedger) => Promise<void>): LedgerTest {
  return { name, run: async (make) => test(await make()) }
}

/** Does two things at once; in every other round the second is begun first. */
async function inTurn<A, B>(
  round: number,
  one: () => Promise<A>,
  two: () => Promise<B>,
): Promise<[A, B]> {
  if (round % 2 === 0) return Promise.all([one(), two()])
  const second = two()
  return Promise.all([one(), second])
}

const TESTS: readonly LedgerTest[] = [
  ledgerTest('keeps a decision, and a denial whoever comes with a yes', async (tested) => {
    const { ledger, other } = tested
    assert.equal(await ledger.decide(key, true), true)
    assert.equal(await other.decide(key, true), true)
    const denied = { ...key, approvalId: 'b' }
    assert.equal(await other.decide(denied, false), false)
    assert.equal(await ledger.decide(denied, true), false)
  }),

  ledgerTest('does not let a denied call be claimed', async ({ ledger, other }) => {
    await ledger.decide(key, false)
    assert.deepEqual(await other.claim(key, runner('x')), DENIED)
    assert.deepEqual(await other.look(key), DENIED)
  }),

  ledgerTest('lets a denial stop an approved call that nobody has claimed', async (tested) => {
    const { ledger, other, now } = tested
    await ledger.decide(key, true)
    assert.equal(await ledger.look(key), undefined)
    assert.equal(await other.decide(key, false), false)
    assert.equal(await ledger.decide(key, true), false)
    assert.deepEqual(await ledger.look(key), DENIED)
    assert.deepEqual(await ledger.claim(key, runner('x')), DENIED)
    assert.deepEqual(await ledger.expire(key, now()), DENIED)
  }),

  ledgerTest(
    'says of a denied call that it was denied, however late it is asked',
    async (tested) => {
      const { ledger, other, advance, now } = tested
      const askedAt = now()
      await ledger.decide(key, false)
      await advance(10 * LEASE_MS)
      assert.deepEqual(await other.expire(key, askedAt), DENIED)
      const late = { ...key, approvalId: 'b' }
      await ledger.expire(late, askedAt)
      assert.equal(await other.decide(late, false), false)
      assert.deepEqual(await ledger.claim(late, runner('x')), DENIED)
    },
  ),

  ledgerTest('lets no denial change what was claimed before it', async (tested) => {
    const { ledger, other, advance } = tested
    await ledger.claim(key, runner('x'))
    assert.equal(await other.decide(key, false), true)
    assert.deepEqual(await other.look(key), { status: 'running' })
    await advance(LEASE_MS)
    assert.equal(await other.decide(key, false), true)
    assert.deepEqual(await other.look(key), { status: 'unknown' })
    await ledger.end(key, 'x', done)
    assert.equal(await other.decide(key, false), true)
    assert.deepEqual(await other.look(key), done)
  }),

  ledgerTest('lets one of two win when one claims and the other denies', async (tested) => {
    const { ledger, other } = tested
    for (let round = 0; round < 20; round++) {
      const mine = { ...key, approvalId: `${round}` }
      await ledger.decide(mine, true)
      const claim = () => ledger.claim(mine, runner('x'))
      const deny = () => other.decide(mine, false)
      const [claimed, stands] = await inTurn(round, claim, deny)
      const isFair = claimed.status === (stands ? 'claimed' : 'denied')
      assert.ok(isFair, `claim() answered ${claimed.status}, and the denial ${String(!stands)}`)
    }
  }),

  ledgerTest('lets one of many who ask at once claim a call', async ({ ledger, other }) => {
    await ledger.decide(key, true)
    for (let round = 0; round < 10; round++) {
      const mine = { ...key, approvalId: `${round}` }
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? ledger : other).claim(mine, runner(`${index}`)),
        ),
      )
      const statuses = answers.map(({ status }) => status).toSorted()
      assert.deepEqual(statuses, ['claimed', ...Array.from({ length: 19 }, () => 'running')])
    }
  }),

  ledgerTest('lets one of two win when one claims and the other comes too late', async (tested) => {
    const { ledger, other, now } = tested
    for (let round = 0; round < 20; round++) {
      const mine = { ...key, approvalId: `${round}` }
      await ledger.decide(mine, true)
      const claim = () => ledger.claim(mine, runner('x'))
      const answers = await inTurn(round, claim, () => other.expire(mine, now()))
      const statuses = answers.map(({ status }) => status).toSorted()
      const isFair =
        String(statuses) === 'claimed,running' || String(statuses) === 'expired,expired'
      assert.ok(isFair, `claim() and expire() both won: ${String(statuses)}`)
    }
  }),

  ledgerTest('tells everybody how a run ended', async ({ ledger, other }) => {
    const ends: [string, RunOutcome][] = [
      ['done', done],
      ['nothing', { status: 'done', output: undefined }],
      ['failed', { status: 'failed', errorText: 'no such address' }],
      ['unknown', { status: 'unknown' }],
    ]
    for (const [approvalId, outcome] of ends) {
      const mine = { ...key, approvalId }
      await ledger.claim(mine, runner('x'))
      assert.deepEqual(await other.look(mine), { status: 'running' })
      await ledger.end(mine, 'x', outcome)
      for (const answer of [
        await other.look(mine),
        await other.claim(mine, runner('y')),
        await ledger.expire(mine, 0),
      ]) {
        // An output that is undefined may be left out.
        assert.deepEqual({ output: undefined, ...answer }, { output: undefined, ...outcome })
      }
    }
  }),

  ledgerTest('heeds the first end of a run, and only of its holder', async ({ ledger, other }) => {
    await ledger.claim(key, runner('x'))
    await other.end(key, 'y', { status: 'failed', errorText: 'of somebody else' })
    assert.deepEqual(await ledger.look(key), { status: 'running' })
    await ledger.end(key, 'x', done)
    await ledger.end(key, 'x', { status: 'failed', errorText: 'a second one' })
    assert.deepEqual(await other.look(key), done)
  }),

  ledgerTest('says that nobody knows when a lease has ended, for good', async (tested) => {
    const { ledger, other, advance } = tested
    await ledger.claim(key, runner('x'))
    await advance(LEASE_MS - 1)
    assert.deepEqual(await other.look(key), { status: 'running' })
    await advance(1)
    assert.deepEqual(await other.look(key), { status: 'unknown' })
    assert.deepEqual(await other.claim(key, runner('y')), { status: 'unknown' })
    assert.deepEqual(await ledger.claim(key, runner('x')), { status: 'unknown' })
  }),

  ledgerTest('takes a run to go on for as long as its holder says so', async (tested) => {
    const { ledger, other, advance } = tested
    await ledger.claim(key, runner('x'))
    for (let times = 0; times < 5; times++) {
      await advance(LEASE_MS - 1)
      await ledger.renew(key, runner('x'))
    }
    assert.deepEqual(await other.look(key), { status: 'running' })
    await advance(LEASE_MS - 1)
    await other.renew(key, runner('y'))
    await advance(1)
    assert.deepEqual(await other.look(key), { status: 'unknown' })
  }),

  ledgerTest('learns of the end of a run after its lease', async ({ ledger, other, advance }) => {
    await ledger.claim(key, runner('x'))
    await advance(2 * LEASE_MS)
    await ledger.end(key, 'x', done)
    await ledger.renew(key, runner('x'))
    assert.deepEqual(await other.look(key), done)
  }),

  ledgerTest('never lets a call run that came too late', async ({ ledger, other, now }) => {
    await ledger.decide(key, true)
    assert.deepEqual(await ledger.expire(key, now()), { status: 'expired' })
    assert.deepEqual(await other.claim(key, runner('x')), { status: 'expired' })
    const unheard = { ...key, approvalId: 'b' }
    assert.deepEqual(await other.expire(unheard, now()), { status: 'expired' })
    assert.deepEqual(await ledger.look(unheard), { status: 'expired' })
  }),

  ledgerTest('does not say of what it may have forgotten that it did not run', async (tested) => {
    assert.deepEqual(await tested.ledger.expire(key, 0), { status: 'unknown' })
  }),

  ledgerTest('keeps users, conversations, questions and calls apart', async (tested) => {
    const { ledger, other } = tested
    await ledger.claim(key, runner('x'))
    const others: LedgerKey[] = [
      { ...key, owner: 'eve' },
      { ...key, conversationId: 'two' },
      { ...key, approvalId: 'A' },
      { ...key, fingerprint: 'F' },
      { ...key, owner: '', conversationId: 'ada","one' },
      { ...key, approvalId: 'a\0' },
      { ...key, owner: 'ada\ud83d' },
    ]
    for (const [index, unlike] of others.entries()) {
      assert.deepEqual(await other.claim(unlike, runner(`${index}`)), { status: 'claimed' })
    }
  }),
]
