import assert from 'node:assert/strict'
import { namespaceOf, type SharedConversations } from '@assent/engine/storage'
import type { JSONValue } from 'ai'
import type { AuditLog } from '../audit/audit-log.ts'

/** Conversations to be tested, which note in an audit what pages write: nothing is in either. */
export interface TestedAuditedConversations {
  readonly conversations: SharedConversations
  /** The same as another process has them; may be the same when there is but one. */
  readonly other: SharedConversations
  readonly audit: AuditLog
  /** From now on nothing can be added to the audit. */
  breakAudit(): void | Promise<void>
}

/** What of the conversations is to be tested. */
export interface AuditedConversationsAsked {
  readonly isNotedElsewhere: (toolName: string) => boolean
}

/** One test of the conformance suite. */
export interface AuditedConversationsTest {
  /** What they do, as a sentence. */
  readonly name: string
  /**
   * Resolves when they do it; rejects with an error that says what they did instead.
   *
   * @param make conversations that nobody else uses, with these options; called once
   */
  run(
    make: (asked: AuditedConversationsAsked) => Promise<TestedAuditedConversations>,
  ): Promise<void>
}

/**
 * What `writeFor` of all `SharedConversations` must do that keep an audit, as tests for any test runner. Each rejects
 * with an `AssertionError` that says what is wrong:
 *
 * ```ts
 * for (const { name, run } of auditedConversationsConformance()) it(name, () => run(make))
 * ```
 */
export function auditedConversationsConformance(): readonly AuditedConversationsTest[] {
  return TESTS
}

function conversationsTest(
  name: string,
  test: (tested: TestedAuditedConversations) => Promise<void>,
): AuditedConversationsTest {
  const isNotedElsewhere = (toolName: string) => toolName === 'server'
  return { name, run: async (make) => test(await make({ isNotedElsewhere })) }
}

const OWNER = 'ada'
const NAMESPACE = namespaceOf('c', OWNER)
const MESSAGE = 'message/00000001'

function call(toolName: string, more: Readonly<Record<string, JSONValue>>): JSONValue {
  const input = { path: `${toolName}.txt` }
  return { type: `tool-${toolName}`, toolCallId: `call ${toolName}`, input, ...more }
}

/** A message with calls, as pages store it. */
function message(...calls: readonly JSONValue[]): Map<string, JSONValue> {
  const parts = [{ type: 'step-start' }, ...calls].map(
    (part, index) => [`${MESSAGE}/${String(index).padStart(8, '0')}`, part] as const,
  )
  return new Map<string, JSONValue>([[MESSAGE, { id: 'm', role: 'assistant' }], ...parts])
}

function decision(conversationId = 'c'): Map<string, JSONValue> {
  const at = { messageId: 'm', step: 1, toolCallId: 'call write', toolName: 'write' }
  const record = { id: 'd', conversationId, ...at, fingerprint: 'f', at: 5, outcome: 'no' }
  return new Map([['confirmation/00000001', { ...record, reason: 'not today' }]])
}

const DONE = { state: 'output-available', output: 'written' }
const ASKED = { state: 'approval-requested', approval: { id: 'a' } }

const TESTS: readonly AuditedConversationsTest[] = [
  conversationsTest('note what becomes of calls, and who decides', async (tested) => {
    const { conversations, other, audit } = tested
    await conversations.writeFor('page of ada', NAMESPACE, { put: message(call('write', ASKED)) })
    assert.deepEqual(
      (await audit.calls()).map(({ status, toolName, arguments: input }) => [
        status,
        toolName,
        input,
      ]),
      [['queued', 'write', { path: 'write.txt' }]],
    )
    await other.writeFor('page of bob', NAMESPACE, { put: decision() }, { durability: 'strict' })
    const [decided] = await audit.query({ kind: 'decision' })
    assert.deepEqual(
      [decided?.payload['who'], decided?.payload['owner'], decided?.payload['reason']],
      ['page of bob', OWNER, 'not today'],
    )
    // What is written again is noted once; of a part alone its whole message tells.
    await conversations.writeFor('page of bob', NAMESPACE, { put: decision() })
    const key = `${MESSAGE}/00000001`
    const put = new Map([[key, call('write', DONE)]])
    await other.writeFor('page of ada', NAMESPACE, { put }, { durability: 'strict' })
    await other.writeFor('page of ada', NAMESPACE, { put })
    assert.deepEqual(
      (await audit.calls()).map(({ status, output }) => [status, output]),
      [['done', 'written']],
    )
    assert.equal((await audit.query({ kind: 'decision' })).length, 1)
    assert.equal((await audit.query({ kind: 'call' })).length, 2)
    assert.equal((await audit.verify()).valid, true)
    assert.deepEqual((await other.storage.read(NAMESPACE)).get(key), call('write', DONE))
  }),

  conversationsTest('note denials only of what is noted where it runs', async (tested) => {
    const { conversations, audit } = tested
    await conversations.writeFor('ada', NAMESPACE, { put: message(call('server', DONE)) })
    assert.deepEqual(await audit.calls(), [])
    const denied = { state: 'output-denied', approval: { id: 'a', approved: false } }
    await conversations.writeFor('ada', NAMESPACE, { put: message(call('server', denied)) })
    assert.deepEqual(
      (await audit.calls()).map(({ status, outcome }) => [status, outcome]),
      [['failed', 'denied']],
    )
  }),

  conversationsTest('note no decision that is another conversation’s', async (tested) => {
    const { conversations, audit } = tested
    await conversations.writeFor('ada', NAMESPACE, { put: decision('other') })
    await conversations.writeFor('ada', 'owner/3/ada/everywhere', { put: decision() })
    assert.deepEqual(await audit.query(), [])
  }),

  conversationsTest('note nothing of what is not written', async (tested) => {
    const { conversations, other, audit } = tested
    const put = message(call('write', DONE))
    const former = await conversations.storage.fence(NAMESPACE)
    await other.storage.fence(NAMESPACE)
    const fenced = conversations.writeFor('ada', NAMESPACE, { put }, { fence: former })
    await assert.rejects(fenced, { code: 'fenced' })
    const claim = { key: 'turn', expected: undefined, id: 'one' }
    await conversations.writeFor('ada', NAMESPACE, { claim })
    const second = { ...claim, id: 'two' }
    assert.deepEqual(await other.writeFor('ada', NAMESPACE, { put, claim: second }), {
      claimed: false,
      holder: 'one',
    })
    assert.deepEqual(await audit.query(), [])
    assert.equal((await other.storage.read(NAMESPACE, { prefix: MESSAGE })).size, 0)
  }),

  conversationsTest('write nothing that cannot be noted', async (tested) => {
    const { conversations, other, breakAudit } = tested
    await breakAudit()
    const put = message(call('write', DONE))
    await assert.rejects(conversations.writeFor('ada', NAMESPACE, { put }))
    assert.equal((await other.storage.read(NAMESPACE)).size, 0)
    // What says nothing of calls need not be noted.
    const about = new Map([['about', { title: 'x' }]])
    await conversations.writeFor('ada', NAMESPACE, { put: about })
    assert.equal((await other.storage.read(NAMESPACE)).size, 1)
  }),

  conversationsTest('note all of what many write at once', async (tested) => {
    const { conversations, other, audit } = tested
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? conversations : other).writeFor('ada', namespaceOf(`c${index}`, OWNER), {
          put: message(call('write', DONE)),
        }),
      ),
    )
    assert.equal((await audit.calls({ status: 'done' })).length, 20)
    assert.equal((await audit.verify()).valid, true)
  }),
]
