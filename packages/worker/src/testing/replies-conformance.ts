import assert from 'node:assert/strict'
import type { RecordedReply, Replies, ReplyClaim } from '../replies.ts'

/** Replies to be tested: none is recorded. */
export interface TestedReplies {
  readonly replies: Replies
  /** The same as another process has them; may be the same when there is but one. */
  readonly other: Replies
  /** Lets their clock go on, of which nobody else moves a hand. */
  advance(ms: number): void | Promise<void>
}

/** One test of the conformance suite. */
export interface RepliesTest {
  /** What they do, as a sentence. */
  readonly name: string
  /**
   * Resolves when they do it; rejects with an error that says what they did instead.
   *
   * @param make replies that nobody else uses; called once
   */
  run(make: () => Promise<TestedReplies>): Promise<void>
}

function repliesTest(name: string, test: (tested: TestedReplies) => Promise<void>): RepliesTest {
  return { name, run: async (make) => test(await make()) }
}

function claim(epoch: number, id = 'task', conversationId = 'chat'): ReplyClaim {
  return { task: { id, conversationId }, epoch }
}

const LEASE_MS = 1_000
const FAILED = { error: { code: 'unreachable', message: 'No network \0.' }, isUnsent: true }

/** Records replies of one conversation, of which the first fails for so long. */
async function wait(replies: Replies, delayMs: number | undefined, ...ids: string[]) {
  for (const [at, id] of ids.entries()) {
    await replies.record(claim(1, id), { text: id, message: undefined })
    const begun = await replies.begin(claim(1, id))
    assert.equal(begun, at === 0 ? 'first' : 'later')
    if (at === 0) assert.equal(await replies.fail(claim(1, id), FAILED, delayMs), true)
  }
}

/** All that a reply can hold, with what databases and JSON stumble over. */
const WHOLE: RecordedReply = {
  text: '👍, zero \0, quote " and \\u0000',
  message: {
    id: 'm',
    role: 'assistant',
    metadata: { z: 1, a: [null, '\0', '\udc00'], __proto__: undefined },
    parts: [{ type: 'text', text: 'said', state: 'done' }],
  },
  notice: 'max-steps',
}
const OTHER: RecordedReply = { text: 'another', message: undefined, notice: undefined }

const TESTS: readonly RepliesTest[] = [
  repliesTest('find what was recorded, as it was', async ({ replies, other }) => {
    assert.equal(await replies.find('task'), undefined)
    const stands = await replies.record(claim(1), WHOLE)
    const asJson: unknown = JSON.parse(JSON.stringify(WHOLE))
    assert.deepEqual(JSON.parse(JSON.stringify(stands)), asJson)
    assert.deepEqual(JSON.parse(JSON.stringify(await other.find('task'))), asJson)
    assert.equal(await other.find('another'), undefined)
    await replies.record(claim(1, 'empty'), { text: '', message: undefined })
    const empty = await other.find('empty')
    assert.deepEqual(empty, { text: '', message: undefined, notice: undefined })
  }),

  repliesTest('keep the first one, and say so', async ({ replies, other }) => {
    await replies.record(claim(1), OTHER)
    for (const [by, epoch] of [
      [replies, 1],
      [other, 2],
    ] as const) {
      assert.deepEqual(await by.record(claim(epoch), WHOLE), OTHER)
    }
    assert.deepEqual(await replies.find('task'), OTHER)
  }),

  repliesTest('keep one of many that are recorded at once', async ({ replies, other }) => {
    const stood = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        (at % 2 ? replies : other).record(claim(1), { text: `${at}`, message: undefined }),
      ),
    )
    const texts = new Set(stood.map((one) => (typeof one === 'object' ? one.text : one)))
    assert.equal(texts.size, 1, `${texts.size} replies of one task stand`)
  }),

  repliesTest('know which may have gone out before', async ({ replies, other }) => {
    assert.equal(await replies.begin(claim(1)), undefined, 'nothing was recorded')
    await replies.record(claim(1), OTHER)
    assert.equal(await replies.begin(claim(1)), 'first')
    // That process died, and another one goes on.
    assert.equal(await other.begin(claim(2)), 'again')
    assert.deepEqual(await other.find('task'), OTHER)
    assert.equal(await other.begin(claim(3)), 'again')
  }),

  repliesTest('do not count one that surely did not go out', async ({ replies, other }) => {
    await replies.record(claim(1), OTHER)
    assert.equal(await replies.undo(claim(1)), false, 'it was not going out')
    await replies.begin(claim(1))
    assert.equal(await replies.undo(claim(1)), true)
    assert.equal(await other.begin(claim(2)), 'first')
  }),

  repliesTest('never send again what was sent', async ({ replies, other }) => {
    await replies.record(claim(1), OTHER)
    await replies.begin(claim(1))
    assert.equal(await replies.sent(claim(1)), true)
    assert.equal(await other.find('task'), 'sent')
    assert.equal(await other.begin(claim(2)), undefined)
    assert.equal(await other.record(claim(2), WHOLE), 'sent')
    assert.equal(await other.undo(claim(2)), false)
    assert.equal(await replies.find('task'), 'sent')
  }),

  repliesTest('take one as sent that nobody sends', async ({ replies, other }) => {
    await replies.record(claim(1), OTHER)
    assert.equal(await replies.sent(claim(1)), true)
    assert.equal(await other.find('task'), 'sent')
    assert.equal(await other.sent(claim(2, 'another')), false, 'nothing was recorded')
  }),

  repliesTest('refuse what an older claim changes', async ({ replies, other }) => {
    await replies.record(claim(1), OTHER)
    await replies.begin(claim(1))
    assert.equal(await other.begin(claim(2)), 'again')
    // The first one has only stood still.
    assert.equal(await replies.record(claim(1), WHOLE), undefined)
    assert.equal(await replies.begin(claim(1)), undefined)
    assert.equal(await replies.undo(claim(1)), false)
    assert.equal(await replies.sent(claim(1)), false)
    assert.equal(await other.begin(claim(2)), 'again', 'an older claim took the mark away')
    assert.equal(await other.sent(claim(2)), true)
  }),

  repliesTest('let one of two claims begin', async ({ replies, other }) => {
    await replies.record(claim(1), OTHER)
    await Promise.all([replies.begin(claim(1)), other.begin(claim(2))])
    assert.equal(await replies.sent(claim(1)), false, 'an older claim goes on')
    assert.equal(await other.sent(claim(2)), true)
  }),

  repliesTest('tell tasks apart', async ({ replies }) => {
    for (const id of ['a', 'A', 'a ', 'é', 'e\u0301', '%', "'"]) {
      assert.equal(await replies.find(id), undefined)
      await replies.record(claim(1, id), { text: id, message: undefined })
    }
    await replies.sent(claim(1, 'a'))
    assert.deepEqual(await replies.find('A'), { text: 'A', message: undefined, notice: undefined })
  }),

  repliesTest('hand out what waits once it is due, to one at a time', async (tested) => {
    const { replies, other, advance } = tested
    assert.equal(await replies.next(LEASE_MS), undefined)
    await wait(replies, 500, 'a')
    assert.equal(await other.find('a'), 'waiting')
    assert.equal(await replies.record(claim(1, 'a'), WHOLE), 'waiting')
    assert.equal(await replies.begin(claim(1, 'a')), 'later')
    assert.equal(await other.next(LEASE_MS), undefined, 'it is not due')
    await advance(500)
    const handed = await Promise.all([replies.next(LEASE_MS), other.next(LEASE_MS)])
    const [delivery, ...others] = handed.filter((one) => one !== undefined)
    assert.equal(others.length, 0, 'two have it')
    assert.ok(delivery)
    const { epoch, ...rest } = delivery
    assert.ok(epoch > 1)
    assert.deepEqual(rest, {
      task: { id: 'a', conversationId: 'chat' },
      reply: { text: 'a', message: undefined, notice: undefined },
      mayBeRepeated: false,
      failures: 1,
      waitedMs: 500,
    })
    assert.equal(await replies.sent(delivery), true)
    assert.equal(await other.find('a'), 'sent')
    await advance(LEASE_MS)
    assert.equal(await other.next(LEASE_MS), undefined)
    assert.deepEqual(await other.undelivered(), [])
  }),

  repliesTest('hand out the replies of a conversation in order', async (tested) => {
    const { replies, other, advance } = tested
    await wait(replies, 500, 'a', 'b')
    await replies.record(claim(1, 'else', 'other'), OTHER)
    assert.equal(await replies.begin(claim(1, 'else', 'other')), 'first')
    assert.equal(await replies.next(LEASE_MS), undefined, 'the second one passed the first one')
    await advance(500)
    const a = await other.next(LEASE_MS)
    assert.equal(a?.task.id, 'a')
    assert.equal(await replies.next(LEASE_MS), undefined, 'the second one passed the first one')
    await other.sent(a)
    const b = await replies.next(LEASE_MS)
    assert.deepEqual([b?.task.id, b?.failures, b?.waitedMs], ['b', 0, 500])
  }),

  repliesTest('know of what waits which may have gone out before', async (tested) => {
    const { replies, other, advance } = tested
    await wait(replies, 0, 'a')
    const first = await replies.next(LEASE_MS)
    assert.equal(first?.mayBeRepeated, false)
    await advance(LEASE_MS)
    // Whoever had it said nothing of it.
    const second = await other.next(LEASE_MS)
    assert.equal(second?.mayBeRepeated, true)
    assert.equal(await replies.sent(first), false, 'it was not refused')
    assert.equal(await replies.fail(first, FAILED, 0), false, 'it was not refused')
    assert.equal(await other.fail(second, FAILED, 0), true)
    const third = await replies.next(LEASE_MS)
    assert.equal(third?.mayBeRepeated, false)
    assert.equal(await replies.fail(third, { ...FAILED, isUnsent: false }, 0), true)
    assert.equal((await other.next(LEASE_MS))?.mayBeRepeated, true)
  }),

  repliesTest('leave one with whoever extends its lease, and with nobody else', async (tested) => {
    const { replies, other, advance } = tested
    await wait(replies, 0, 'a')
    const first = await replies.next(LEASE_MS)
    assert.ok(first)
    await advance(LEASE_MS - 1)
    assert.equal(await replies.extend(first, LEASE_MS), true)
    await advance(LEASE_MS - 1)
    assert.equal(await other.next(LEASE_MS), undefined, 'two have it')
    await advance(1)
    const second = await other.next(LEASE_MS)
    assert.equal(second?.mayBeRepeated, true)
    assert.equal(await replies.extend(first, LEASE_MS), false, 'it was not refused')
    await other.sent(second)
    assert.equal(await other.extend(second, LEASE_MS), false, 'it is over')
    assert.equal(await other.extend(claim(9, 'never'), LEASE_MS), false)
  }),

  repliesTest('keep one that was given up, and let those behind it go on', async (tested) => {
    const { replies, other, advance } = tested
    await wait(replies, undefined, 'a')
    await advance(1)
    await replies.record(claim(1, 'b'), OTHER)
    assert.equal(await replies.begin(claim(1, 'b')), 'first')
    assert.equal(await replies.fail(claim(1, 'b'), FAILED, 70_000), true)
    await advance(60_000)
    assert.equal(await other.next(LEASE_MS), undefined)
    assert.equal(await other.find('a'), 'waiting')
    const [a, b] = await other.undelivered()
    assert.equal(a?.dueAt, undefined)
    assert.equal(a?.failures, 1)
    assert.equal(a.error?.code, 'unreachable')
    assert.equal(b?.taskId, 'b')
    assert.ok(b.dueAt !== undefined && b.dueAt - b.waitingSince === 70_000)
    assert.equal((await other.undelivered(1)).length, 1)
  }),

  repliesTest('let no reply wait that was sent, or never recorded', async ({ replies }) => {
    assert.equal(await replies.fail(claim(1), FAILED, 0), false)
    await replies.record(claim(1), OTHER)
    await replies.begin(claim(1))
    await replies.sent(claim(1))
    assert.equal(await replies.fail(claim(1), FAILED, 0), false)
    assert.equal(await replies.next(LEASE_MS), undefined)
  }),
]

/**
 * What every `Replies` must do, as tests for any test runner. Each begins with replies of its own and
 * rejects with an `AssertionError` that says what is wrong:
 *
 * ```ts
 * for (const { name, run } of repliesConformance()) it(name, () => run(makeReplies))
 * ```
 */
export function repliesConformance(): readonly RepliesTest[] {
  return TESTS
}
