import type { ConversationHold } from '../../storage/conversations.ts'
import {
  checkRefused,
  conversationsTest,
  fail,
  LEASE_MS,
  type ConversationsTest,
} from './conversations-test.ts'

/** Keeps a draft of a conversation as an engine does: a write of its own for each. */
interface Writer {
  readonly persistence: ReturnType<ConversationHold['storage']['open']>
  /** What it found there. */
  readonly found: unknown
  change(text: string): void
  /** Whether it was written. */
  write(text: string): Promise<boolean>
}

async function openWriter(hold: ConversationHold, id = 'c', owner?: string): Promise<Writer> {
  let text = ''
  const persistence = hold.storage.open({
    conversationId: id,
    ...(owner !== undefined && { owner }),
    getState: () => ({
      requestState: 'idle',
      processingState: undefined,
      messages: [],
      messageIds: [],
      error: undefined,
      turn: undefined,
      queue: [],
      confirmations: [],
      drafts: [{ key: 'composer', value: text }],
    }),
    getMessage: () => undefined,
    now: Date.now,
    report: () => undefined,
  })
  const restored = await persistence.restore()
  const change = (next: string) => {
    text = next
    persistence.changed(undefined, true)
  }
  return {
    persistence,
    found: restored?.drafts?.[0]?.value,
    change,
    async write(next) {
      change(next)
      return (await persistence.save()) === 'stored'
    },
  }
}

function checkFound({ found }: Writer, expected: string): void {
  if (found !== expected) fail(`the next one finds ${JSON.stringify(found)}, not "${expected}"`)
}

/** What who holds one writes. */
export const writingTests: readonly ConversationsTest[] = [
  conversationsTest('are gone on with where the one before was', async (tested, hold) => {
    const held = await hold(tested.conversations)
    const writer = await openWriter(held)
    if (!(await writer.write('half'))) fail('what the holder writes is not stored')
    // In the tick in which it lets go.
    writer.change('half a sentence')
    void writer.persistence.close()
    await held.release()
    checkFound(await openWriter(await hold(tested.other)), 'half a sentence')
  }),

  conversationsTest('are not written by who held them before', async (tested, hold) => {
    const { conversations, other, advance } = tested
    const held = await hold(conversations)
    const writer = await openWriter(held)
    await writer.write('first')
    await advance(LEASE_MS)
    const next = await hold(other)
    // Only the transaction knows.
    if (held.lost.aborted) fail('a hold was lost before anything was asked')
    if (await writer.write('late')) fail('what a former holder writes is stored')
    if (!held.lost.aborted) fail('a former holder whose write was refused is not told')
    checkFound(await openWriter(next), 'first')
  }),

  conversationsTest('are not written after they were let go', async (tested, hold) => {
    const held = await hold(tested.conversations)
    const writer = await openWriter(held)
    await writer.write('first')
    await held.release()
    await writer.write('late')
    await checkRefused('check() after release()', 'hold_lost', () => held.check())
    checkFound(await openWriter(await hold(tested.other)), 'first')
  }),

  conversationsTest('are written by their hold, and by no other', async (tested, hold) => {
    const held = await hold(tested.conversations, 'c', 'ada')
    const refused = (id: string, owner?: string) =>
      checkRefused(`an engine of ${owner ?? 'nobody'}, of ${id}`, 'invalid_argument', () =>
        openWriter(held, id, owner),
      )
    await refused('d', 'ada')
    await refused('c', 'bob')
    await refused('c')
    if (!(await (await openWriter(held, 'c', 'ada')).write('hers'))) fail('hers is not stored')
  }),

  conversationsTest('are read by everybody', async ({ conversations, other }, hold) => {
    await (await openWriter(await hold(conversations))).write('first')
    const records = await other.storage.read('conversation/c')
    if (records.size === 0) fail('what was stored is not in the storage of another process')
  }),
]
