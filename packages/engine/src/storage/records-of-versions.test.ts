import type { JSONValue } from 'ai'
import { describe, expect, it } from 'vitest'
import { createToolEngine } from '../../test/tool-engine.ts'
import {
  corpusTools,
  fromFixture,
  toFixture,
  writeCorpus,
} from '../../test/storage/record-corpus.ts'
import version1 from '../../test/storage/records-version-1.json' with { type: 'json' }
import version2 from '../../test/storage/records-version-2.json' with { type: 'json' }
import version3 from '../../test/storage/records-version-3.json' with { type: 'json' }
import { textOf } from '../message/message-input.ts'
import { answer, untilState } from '../testing/index.ts'
import { RECORDS_VERSION } from './conversation-records.ts'
import { defineStorage } from './define-storage.ts'
import { memoryStorage, type MemoryStorage } from './memory-storage.ts'
import { storedConversations } from './stored-conversations.ts'

type Fixture = Record<string, Record<string, JSONValue>>

/** What each version wrote. They are never changed: a version that is new adds its own. */
const FIXTURES: readonly (readonly [version: number, fixture: Fixture])[] = [
  [1, version1],
  [2, version2],
  [3, version3],
]

async function open(
  disk: MemoryStorage,
  id: string,
  script: Parameters<typeof createToolEngine>[0] = [],
) {
  const made = createToolEngine(script, corpusTools, { id, storage: defineStorage(disk) })
  await made.engine.ready
  return made
}

/** Which ids were made for what is nothing that a version promises. */
function withoutIds(fixture: Fixture): object {
  const text = JSON.stringify(fixture).replaceAll(/\bid-\d+/g, 'id')
  return JSON.parse(text.replaceAll(/"last-write":"[^"]+"/g, '"last-write":"id"'))
}

describe('records', () => {
  it('are written as the fixture of this version has them, or with more in them', async () => {
    const latest = FIXTURES.find(([version]) => version === RECORDS_VERSION)
    expect(withoutIds(toFixture(await writeCorpus()))).toMatchObject(withoutIds(latest?.[1] ?? {}))
    expect(latest).toBeDefined()
  })

  describe.each(FIXTURES)('of version %i', (_, fixture) => {
    const load = () => memoryStorage(fromFixture(structuredClone(fixture)))

    it('are listed', async () => {
      const listings = await storedConversations(load()).list()
      const byId = listings.toSorted((one, other) => (one.id < other.id ? -1 : 1))
      expect(byId).toMatchObject([
        { id: 'aborted', title: 'Write a', requestState: 'aborted', messageCount: 2 },
        { id: 'allowed', title: 'Write a', requestState: 'completed', messageCount: 2 },
        { id: 'failed', title: 'Hello', requestState: 'error', messageCount: 1 },
        { id: 'imported', title: 'Write a', requestState: 'idle', messageCount: 2 },
        {
          id: 'paused',
          title: 'Letters',
          isTitleGiven: true,
          requestState: 'paused',
          messageCount: 4,
          waitingCount: 2,
          unreadCount: 2,
        },
      ])
    })

    it('are a conversation that waits, and goes on', async () => {
      const { engine, errors, resume, completed, transport } = await open(load(), 'paused', [
        answer('Written.'),
        answer('d'),
        answer('The file'),
      ])
      expect(errors).toEqual([])
      const { messages, turn, queue, drafts, confirmations, requestState } = engine.getState()
      expect(requestState).toBe('paused')
      expect(messages).toMatchObject([
        { role: 'user', metadata: { from: 'corpus' } },
        { parts: [{ type: 'step-start' }, { type: 'reasoning' }, { type: 'text' }] },
        { role: 'user' },
        {
          parts: [
            { type: 'step-start' },
            { state: 'output-available', input: { path: 'edited' }, output: 'wrote edited' },
            { state: 'output-denied', approval: { approved: false, reason: 'not b' } },
            { state: 'output-error' },
            { type: 'step-start' },
            { state: 'approval-requested', toolCallId: '4' },
            { state: 'input-available', toolCallId: '5' },
          ],
        },
      ])
      expect(turn).toMatchObject({ step: 2, pauseReason: { type: 'approval' } })
      expect(queue.map(({ message }) => textOf(message))).toEqual(['And then d', 'With this file'])
      expect(drafts).toMatchObject([
        { key: 'composer', value: { text: 'Also' } },
        { key: 'deny', value: 'because', about: { toolCallId: '4' } },
      ])
      expect(confirmations).toMatchObject([
        { outcome: 'yes', editedInput: { path: 'edited' } },
        { outcome: 'no', reason: 'not b' },
        { outcome: 'yes_always', scope: { uses: 3 } },
        { event: 'call-failed' },
        { outcome: 'yes_always', scope: { where: 'everywhere' } },
      ])
      await resume({ toolCallId: '4', outcome: 'no' })
      await engine.runPluginCommand('tool', 'submitToolOutput', { toolCallId: '5', output: 'yes' })
      await untilState(engine, (state) => state.queue.length === 0)
      await completed()
      expect(transport.requests).toMatchObject([
        {},
        { body: { model: 'small' }, metadata: { n: 1 } },
        {},
      ])
      expect(engine.getState().drafts).toMatchObject([{ key: 'composer' }])
    })

    it.each(['failed', 'aborted'])('are a turn that %s, and is tried again', async (id) => {
      const { engine, errors } = await open(load(), id, [answer('Now.')])
      expect(errors).toEqual([])
      expect(engine.getState().requestState).toBe(id === 'failed' ? 'error' : 'aborted')
      expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    })

    it('are what is allowed everywhere, and what is deleted', async () => {
      const conversations = storedConversations(load())
      expect(await conversations.everywhere()).toMatchObject([{ scope: { where: 'everywhere' } }])
      expect(await conversations.isRemoved('deleted')).toBe(true)
      const imported = await conversations.export('imported')
      expect(imported.messages).toEqual((await conversations.export('allowed')).messages)
    })
  })
})
