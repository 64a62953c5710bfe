import { conversationOf, namespaceOf } from '@assent/engine/storage'
import type { ApprovalLedger, LedgerKey, Runner, UnaskedRun } from '@assent/node'
import type { JSONValue } from 'ai'
import type { WorkerStores } from '../../stores.ts'

/** Stores to be tested: nothing is in them. */
export interface TestedErasure {
  readonly stores: WorkerStores
  /** The same as another process has them; may be the same when there is but one. */
  readonly other: WorkerStores
  /** Of the same backend. */
  readonly ledger: ApprovalLedger
  /** All that the backend keeps, as texts: whoever has its disk finds nothing else. */
  contents(): Promise<string>
}

/** One test of the conformance suite. */
export interface ErasureTest {
  /** What they do, as a sentence. */
  readonly name: string
  /**
   * Resolves when they do it; rejects with an error that says what they did instead.
   *
   * @param make stores that nobody else uses; called once
   */
  run(make: () => Promise<TestedErasure>): Promise<void>
}

export function erasureTest(
  name: string,
  test: (tested: TestedErasure) => Promise<void>,
): ErasureTest {
  return { name, run: async (make) => test(await make()) }
}

export const RUNNER: Runner = { holder: 'runner', leaseMs: 60_000 }

/** A call that was asked about. */
export function callKey(conversationId: string, approvalId: string, owner = ''): LedgerKey {
  return { owner, conversationId, approvalId, fingerprint: 'f' }
}

/** A call that nobody was asked about. */
export function unaskedRun(key: LedgerKey, said: string): UnaskedRun {
  const call = { toolCallId: 'k', toolName: 'send', input: { text: said } }
  return { key, answerId: 'answer', step: 1, ...call, before: 0 }
}

/** Says something wherever something of a conversation is kept. */
export async function fill(
  { stores, ledger }: TestedErasure,
  { conversationId, owner }: { conversationId: string; owner?: string },
  said: string,
): Promise<void> {
  const { inbox, replies, audit, conversations } = stores
  const namespace = namespaceOf(conversationId, owner)
  const { storage } = conversations
  // What is written again was there before as well.
  for (const text of [`first ${said}`.repeat(50), said]) {
    const put = new Map<string, JSONValue>([
      ['about', { title: text, updatedAt: 1 }],
      ['message/00000000', { id: 'm', role: 'user' }],
      ['message/00000000/000', { type: 'text', text }],
      ['draft', { text }],
    ])
    await storage.write(namespace, { put })
  }
  const [prefix = ''] = namespace.split(/conversation\/[^]*$/)
  const permission = { id: `p-${conversationId}`, conversationId, scope: { covers: said } }
  await storage.write(`${prefix}everywhere`, { put: new Map([[permission.id, permission]]) })

  const scope = owner ?? ''
  const decided = callKey(conversationId, `decided ${conversationId}`, scope)
  await ledger.decide(decided, true, Date.now(), said)
  await ledger.claim(decided, RUNNER, Date.now())
  await ledger.end(decided, RUNNER.holder, { status: 'done', output: { said } })
  const run = callKey(conversationId, `unasked ${conversationId}`, scope)
  await ledger.begin(run, 'answer')
  await ledger.claimUnasked(unaskedRun(run, said), RUNNER)

  if (audit) {
    const call = { conversationId, owner, toolCallId: 'k', toolName: 'send' }
    await audit.recordCall({ ...call, phase: 'running', input: { said } })
    await audit.interruptRunning({ conversationId })
    await audit.recordRefusal({ ...call, code: 'no', message: said, subject: said }, call)
  }
  // Tasks are in conversations of nobody.
  if (owner !== undefined) return
  const id = `task of ${conversationId}`
  await inbox.add({ id, conversationId, input: said, replyTo: { said } })
  const claim = await inbox.claim({ worker: 'w', leaseMs: 60_000 })
  if (claim?.task.id !== id) throw new Error(`${id} is not the next task.`)
  await replies.record(claim, { text: said, message: undefined })
  await inbox.park(claim, { said })
  await inbox.answer(id, { said })
  const again = await inbox.claim({ worker: 'w', leaseMs: 60_000 })
  if (!again) throw new Error('An answer did not wake its task.')
  await inbox.fail(again, { code: 'failed', message: said }, 3_600_000)
  await inbox.answer(id, { said })
}

/** Whose conversations have records. */
export async function conversationsIn({ stores }: TestedErasure): Promise<readonly unknown[]> {
  const found = await stores.conversations.storage.list('about')
  return [...found.keys()].map((name) => conversationOf(name))
}
