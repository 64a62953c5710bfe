import assert from 'node:assert/strict'
import type {
  ApprovalLedger,
  LedgerKey,
  LedgerScope,
  RunOutcome,
  Runner,
  UnaskedRun,
} from '../chat/approval-ledger.ts'

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
const YEAR_MS = 365 * 86_400_000
const key: LedgerKey = { owner: 'ada', conversationId: 'one', approvalId: 'a', fingerprint: 'f' }
const runner = (holder: string): Runner => ({ holder, leaseMs: LEASE_MS })
const DENIED = { status: 'denied' }
const done: RunOutcome = { status: 'done', output: { receipt: [1, null, '\ud83d\ude00'] } }

function ledgerTest(name: string, test: (tested: TestedLedger) => Promise<void>): LedgerTest {
  return { name, run: async (make) => test(await make()) }
}

const scope: LedgerScope = { owner: 'ada', conversationId: 'one' }

/** A call of the first step of an answer. */
function unasked(answerId: string, toolCallId: string, own: LedgerScope = scope): UnaskedRun {
  const key = { ...own, approvalId: `${answerId}/1`, fingerprint: `f-${toolCallId}` }
  return { key, answerId, step: 1, toolCallId, toolName: 'send', input: { to: 'x' }, before: 0 }
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
  ledgerTest('names its store by the same name, whoever asks and when', async (tested) => {
    const { ledger, other, advance } = tested
    const identity = await ledger.identity()
    assert.ok(identity.length >= 16, `identity() answered ${JSON.stringify(identity)}`)
    await advance(5 * YEAR_MS)
    assert.equal(await other.identity(), identity)
  }),

  ledgerTest('keeps a decision, and a denial whoever comes with a yes', async (tested) => {
    const { ledger, other, now } = tested
    assert.equal(await ledger.decide(key, true, now()), true)
    assert.equal(await other.decide(key, true, now()), true)
    const denied = { ...key, approvalId: 'b' }
    assert.equal(await other.decide(denied, false, now()), false)
    assert.equal(await ledger.decide(denied, true, now()), false)
  }),

  ledgerTest('keeps who made the decision that stands', async ({ ledger, other, now }) => {
    assert.equal(await ledger.decision(key), undefined)
    await ledger.decide(key, true, now(), 'bob \ud83d')
    await other.decide(key, true, now(), 'eve')
    assert.deepEqual(await other.decision(key), { approved: true, by: 'bob \ud83d' })
    await other.decide(key, false, now(), 'eve')
    await ledger.decide(key, true, now(), 'bob')
    await ledger.decide(key, false, now(), 'bob')
    assert.deepEqual(await ledger.decision(key), { approved: false, by: 'eve' })

    const late = { ...key, approvalId: 'late' }
    await ledger.expire(late, now())
    await other.decide(late, true, now(), 'bob')
    assert.equal(await ledger.decision(late), undefined)
    await other.decide(late, false, now(), 'eve')
    assert.deepEqual(await ledger.decision(late), { approved: false, by: 'eve' })

    const run = { ...key, approvalId: 'run' }
    await ledger.decide(run, true, now())
    assert.deepEqual(await other.decision(run), { approved: true, by: undefined })
    await ledger.claim(run, runner('x'), now())
    await other.decide(run, false, now(), 'eve')
    assert.deepEqual(await ledger.decision(run), { approved: true, by: undefined })
  }),

  ledgerTest('does not let a denied call be claimed', async ({ ledger, other, now }) => {
    await ledger.decide(key, false, now())
    assert.deepEqual(await other.claim(key, runner('x'), now()), DENIED)
    assert.deepEqual(await other.look(key), DENIED)
  }),

  ledgerTest('lets a denial stop an approved call that nobody has claimed', async (tested) => {
    const { ledger, other, now } = tested
    await ledger.decide(key, true, now())
    assert.equal(await ledger.look(key), undefined)
    assert.equal(await other.decide(key, false, now()), false)
    assert.equal(await ledger.decide(key, true, now()), false)
    assert.deepEqual(await ledger.look(key), DENIED)
    assert.deepEqual(await ledger.claim(key, runner('x'), now()), DENIED)
    assert.deepEqual(await ledger.expire(key, now()), DENIED)
  }),

  ledgerTest(
    'says of a denied call that it was denied, however late it is asked',
    async (tested) => {
      const { ledger, other, advance, now } = tested
      const askedAt = now()
      await ledger.decide(key, false, now())
      await advance(10 * LEASE_MS)
      assert.deepEqual(await other.expire(key, askedAt), DENIED)
      const late = { ...key, approvalId: 'b' }
      await ledger.expire(late, askedAt)
      assert.equal(await other.decide(late, false, now()), false)
      assert.deepEqual(await ledger.claim(late, runner('x'), now()), DENIED)
    },
  ),

  ledgerTest('lets no denial change what was claimed before it', async (tested) => {
    const { ledger, other, advance, now } = tested
    await ledger.claim(key, runner('x'), now())
    assert.equal(await other.decide(key, false, now()), true)
    assert.deepEqual(await other.look(key), { status: 'running' })
    await advance(LEASE_MS)
    assert.equal(await other.decide(key, false, now()), true)
    assert.deepEqual(await other.look(key), { status: 'unknown' })
    await ledger.end(key, 'x', done)
    assert.equal(await other.decide(key, false, now()), true)
    assert.deepEqual(await other.look(key), done)
  }),

  ledgerTest('lets one of two win when one claims and the other denies', async (tested) => {
    const { ledger, other, now } = tested
    for (let round = 0; round < 20; round++) {
      const mine = { ...key, approvalId: `${round}` }
      await ledger.decide(mine, true, now())
      const claim = () => ledger.claim(mine, runner('x'), now())
      const deny = () => other.decide(mine, false, now())
      const [claimed, stands] = await inTurn(round, claim, deny)
      const isFair = claimed.status === (stands ? 'claimed' : 'denied')
      assert.ok(isFair, `claim() answered ${claimed.status}, and the denial ${String(!stands)}`)
    }
  }),

  ledgerTest('lets one of many who ask at once claim a call', async ({ ledger, other, now }) => {
    await ledger.decide(key, true, now())
    for (let round = 0; round < 10; round++) {
      const mine = { ...key, approvalId: `${round}` }
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? ledger : other).claim(mine, runner(`${index}`), now()),
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
      await ledger.decide(mine, true, now())
      const claim = () => ledger.claim(mine, runner('x'), now())
      const answers = await inTurn(round, claim, () => other.expire(mine, now()))
      const statuses = answers.map(({ status }) => status).toSorted()
      const isFair =
        String(statuses) === 'claimed,running' || String(statuses) === 'expired,expired'
      assert.ok(isFair, `claim() and expire() both won: ${String(statuses)}`)
    }
  }),

  ledgerTest('tells everybody how a run ended', async ({ ledger, other, now }) => {
    const ends: [string, RunOutcome][] = [
      ['done', done],
      ['nothing', { status: 'done', output: undefined }],
      ['failed', { status: 'failed', errorText: 'no such address' }],
      ['unknown', { status: 'unknown' }],
    ]
    for (const [approvalId, outcome] of ends) {
      const mine = { ...key, approvalId }
      await ledger.claim(mine, runner('x'), now())
      assert.deepEqual(await other.look(mine), { status: 'running' })
      await ledger.end(mine, 'x', outcome)
      for (const answer of [
        await other.look(mine),
        await other.claim(mine, runner('y'), now()),
        await ledger.expire(mine, 0),
      ]) {
        // An output that is undefined may be left out.
        assert.deepEqual({ output: undefined, ...answer }, { output: undefined, ...outcome })
      }
    }
  }),

  ledgerTest(
    'heeds the first end of a run, and only of its holder',
    async ({ ledger, other, now }) => {
      await ledger.claim(key, runner('x'), now())
      await other.end(key, 'y', { status: 'failed', errorText: 'of somebody else' })
      assert.deepEqual(await ledger.look(key), { status: 'running' })
      await ledger.end(key, 'x', done)
      await ledger.end(key, 'x', { status: 'failed', errorText: 'a second one' })
      assert.deepEqual(await other.look(key), done)
    },
  ),

  ledgerTest('gives back what its holder has claimed and not begun', async (tested) => {
    const { ledger, other, now } = tested
    await ledger.decide(key, true, now())
    await ledger.claim(key, runner('x'), now())
    await other.release(key, 'y')
    assert.deepEqual(await ledger.look(key), { status: 'running' })
    await ledger.release(key, 'x')
    assert.equal(await other.look(key), undefined)
    await ledger.end(key, 'x', done)
    assert.deepEqual(await other.claim(key, runner('z'), now()), { status: 'claimed' })
    await ledger.release(key, 'x')
    await other.end(key, 'z', done)
    await other.release(key, 'z')
    assert.deepEqual(await ledger.look(key), done)

    const denied = { ...key, approvalId: 'denied' }
    await ledger.claim(denied, runner('x'), now())
    await ledger.release(denied, 'x')
    assert.equal(await other.decide(denied, false, now()), false)

    await ledger.begin(scope, 'one')
    await ledger.claimUnasked(unasked('one', 'a'), runner('x'))
    await other.release(unasked('one', 'a').key, 'x')
    assert.deepEqual(await ledger.begin(scope, 'two'), [])
  }),

  ledgerTest('says that nobody knows when a lease has ended, for good', async (tested) => {
    const { ledger, other, advance, now } = tested
    await ledger.claim(key, runner('x'), now())
    await advance(LEASE_MS - 1)
    assert.deepEqual(await other.look(key), { status: 'running' })
    await advance(1)
    assert.deepEqual(await other.look(key), { status: 'unknown' })
    assert.deepEqual(await other.claim(key, runner('y'), now()), { status: 'unknown' })
    assert.deepEqual(await ledger.claim(key, runner('x'), now()), { status: 'unknown' })
  }),

  ledgerTest('takes a run to go on for as long as its holder says so', async (tested) => {
    const { ledger, other, advance, now } = tested
    await ledger.claim(key, runner('x'), now())
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

  ledgerTest(
    'learns of the end of a run after its lease',
    async ({ ledger, other, advance, now }) => {
      await ledger.claim(key, runner('x'), now())
      await advance(2 * LEASE_MS)
      await ledger.end(key, 'x', done)
      await ledger.renew(key, runner('x'))
      assert.deepEqual(await other.look(key), done)
    },
  ),

  ledgerTest('never lets a call run that came too late', async ({ ledger, other, now }) => {
    await ledger.decide(key, true, now())
    assert.deepEqual(await ledger.expire(key, now()), { status: 'expired' })
    assert.deepEqual(await other.claim(key, runner('x'), now()), { status: 'expired' })
    const unheard = { ...key, approvalId: 'b' }
    assert.deepEqual(await other.expire(unheard, now()), { status: 'expired' })
    assert.deepEqual(await ledger.look(unheard), { status: 'expired' })
  }),

  ledgerTest('does not say of what it may have forgotten that it did not run', async (tested) => {
    assert.deepEqual(await tested.ledger.expire(key, 0), { status: 'unknown' })
  }),

  ledgerTest('keeps users, conversations, questions and calls apart', async (tested) => {
    const { ledger, other, now } = tested
    await ledger.claim(key, runner('x'), now())
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
      assert.deepEqual(await other.claim(unlike, runner(`${index}`), now()), { status: 'claimed' })
    }
  }),

  ledgerTest('says of what it has forgotten never that it may be claimed', async (tested) => {
    const { ledger, other, advance, now } = tested
    const askedAt = now()
    await ledger.decide(key, true, askedAt)
    await ledger.claim(key, runner('x'), askedAt)
    await ledger.end(key, 'x', done)
    for (let times = 0; times < 3; times++) {
      await advance(5 * YEAR_MS)
      await other.claim({ ...key, approvalId: `later ${times}` }, runner('y'), now())
    }
    assert.equal(await other.decide(key, true, askedAt), true)
    const { status } = await other.claim(key, runner('z'), askedAt)
    assert.ok(status === 'done' || status === 'unknown', `claim() answered ${status}`)
  }),

  ledgerTest('tells each answer of the runs that are untold, in order', async (tested) => {
    const { ledger, other } = tested
    assert.deepEqual(await ledger.begin(scope, 'one'), [])
    const [first, second] = [unasked('one', 'b'), unasked('one', 'a')]
    for (const run of [first, second]) {
      assert.deepEqual(await ledger.claimUnasked(run, runner('x')), { status: 'claimed' })
      assert.deepEqual(await other.look(run.key), { status: 'running' })
      await ledger.end(run.key, 'x', done)
    }
    assert.deepEqual(await other.begin(scope, 'two'), [first, second])
    const third = unasked('two', 'c')
    await other.claimUnasked(third, runner('y'))
    await other.told([first])
    assert.deepEqual(await ledger.begin(scope, 'three'), [second, third])
    await ledger.told([first, second, third])
    assert.deepEqual(await other.begin(scope, 'four'), [])
    // What was told stays known.
    assert.deepEqual(await other.look(first.key), done)
  }),

  ledgerTest(
    'claims no call of an answer when another one has begun',
    async ({ ledger, other }) => {
      const none = { status: 'superseded' }
      assert.deepEqual(await ledger.claimUnasked(unasked('one', 'a'), runner('x')), none)
      await ledger.begin(scope, 'one')
      await other.begin(scope, 'two')
      assert.deepEqual(await ledger.claimUnasked(unasked('one', 'a'), runner('x')), none)
      assert.equal(await other.look(unasked('one', 'a').key), undefined)
      const { status } = await ledger.claimUnasked(unasked('two', 'a'), runner('x'))
      assert.equal(status, 'claimed')
      assert.deepEqual(await other.begin(scope, 'three'), [unasked('two', 'a')])
    },
  ),

  ledgerTest('claims a call that nobody is asked about once', async ({ ledger, other }) => {
    await ledger.begin(scope, 'one')
    const run = unasked('one', 'a')
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? ledger : other).claimUnasked(run, runner(`${index}`)),
      ),
    )
    const statuses = answers.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, ['claimed', ...Array.from({ length: 9 }, () => 'running')])
  }),

  ledgerTest('tells nobody of the runs of another user or conversation', async (tested) => {
    const { ledger, other } = tested
    await ledger.begin(scope, 'one')
    await ledger.claimUnasked(unasked('one', 'a'), runner('x'))
    for (const own of [
      { owner: 'eve', conversationId: 'one' },
      { owner: 'ada', conversationId: 'two' },
      { owner: '', conversationId: 'ada","one' },
    ]) {
      assert.deepEqual(await other.begin(own, 'two'), [])
      const { status } = await other.claimUnasked(unasked('two', 'a', own), runner('y'))
      assert.equal(status, 'claimed')
    }
    // None of them has taken its place.
    const { status } = await ledger.claimUnasked(unasked('one', 'b'), runner('x'))
    assert.equal(status, 'claimed')
  }),
]
