import type { JSONValue } from 'ai'
import { z } from 'zod'
import { toolPlugin } from '../../src/plugins/tools/tool-plugin.ts'
import { createMessageEngine } from '../../src/engine.ts'
import type { MessageEngine } from '../../src/message-engine.ts'
import { defineStorage } from '../../src/storage/define-storage.ts'
import {
  memoryStorage,
  type MemoryStorage,
  type StorageContent,
} from '../../src/storage/memory-storage.ts'
import { storedConversations } from '../../src/storage/stored-conversations.ts'
import {
  answer,
  callTools,
  reasoningChunks,
  responseChunks,
  scriptedTransport,
  stepChunks,
  textChunks,
  untilState,
} from '../../src/testing/index.ts'

type Script = NonNullable<Parameters<typeof scriptedTransport>[0]>

const START = Date.UTC(2026, 0, 1)

const write = (toolCallId: string, path: string) => ({
  toolCallId,
  toolName: 'write',
  input: { path },
})

/** Makes one conversation after the other, on one disk, with ids and times that are always the same. */
function world() {
  const disk = memoryStorage()
  let ids = 0
  let minutes = 0
  const generateId = () => `id-${++ids}`
  const now = () => START + minutes * 60_000
  const open = (id: string, script: Script) => {
    // Between conversations alone: how many writes there are is no fact.
    minutes++
    const engine = createMessageEngine({
      id,
      transport: scriptedTransport(script),
      plugins: [toolPlugin(corpusTools)],
      storage: defineStorage(disk),
      generateId,
      now,
      onError: () => undefined,
    })
    const resume = (payload: object) =>
      engine.runPluginCommand('tool', 'resumeToolCall', payload as { toolCallId: string })
    return { engine, resume }
  }
  return { disk, open, generateId, now }
}

/** What the conversations of the corpus are made with, and go on with. */
export const corpusTools = {
  tools: {
    write: {
      inputSchema: z.object({ path: z.string() }),
      execute: ({ path }: { path: string }) => {
        if (path === 'locked') throw new Error('It is locked.')
        return `wrote ${path}`
      },
    },
    ask: { inputSchema: z.object({ question: z.string() }) },
  },
  toolApproval: { write: 'user-approval' },
} as const

/** Resolves when what is left of a conversation is stored. */
async function closed(engine: MessageEngine, disk: MemoryStorage): Promise<void> {
  engine.dispose()
  const again = defineStorage(disk).open({
    conversationId: engine.id,
    getState: engine.getState,
    getMessage: engine.getMessage,
    now: () => 0,
    report: () => undefined,
  })
  await again.restore()
}

/** Everything that is stored of conversations in all the states in which one can be left. */
export async function writeCorpus(): Promise<StorageContent> {
  const { disk, open, generateId, now } = world()
  const conversations = storedConversations(disk, { generateId, now })

  const paused = open('paused', [
    responseChunks(
      {},
      stepChunks(reasoningChunks('r', 'I look first.'), textChunks('t', 'Here it is.')),
    ),
    callTools([write('1', 'a'), write('2', 'b'), write('3', 'locked')]),
    callTools([write('4', 'c'), { toolCallId: '5', toolName: 'ask', input: { question: '?' } }]),
  ])
  await paused.engine.sendMessage({ text: 'What is there?', metadata: { from: 'corpus' } })
  await paused.engine.sendMessage('Write a and b')
  await paused.resume({ toolCallId: '1', input: { path: 'edited' } })
  await paused.resume({ toolCallId: '2', outcome: 'no', reason: 'not b' })
  await paused.resume({
    toolCallId: '3',
    outcome: 'yes_always',
    scope: { covers: { '/path': { prefix: 'locked' } }, until: START * 2, uses: 3 },
  })
  await untilState(paused.engine, ({ turn }) => turn?.step === 2 && turn.pauseReason !== undefined)
  void paused.engine.sendMessage('And then d', { body: { model: 'small' }, metadata: { n: 1 } })
  void paused.engine.sendMessage({
    text: 'With this file',
    files: [{ type: 'file', mediaType: 'text/plain', url: 'data:text/plain,hi' }],
  })
  const messageId = paused.engine.getState().messageIds.at(-1) ?? ''
  paused.engine.setDraft('deny', 'because', { messageId, toolCallId: '4' })
  paused.engine.setDraft('composer', { text: 'Also' })
  await closed(paused.engine, disk)
  await conversations.rename('paused', 'Letters')
  await conversations.markUnread('paused', 2)

  const failed = open('failed', [new Error('The network is gone.')])
  await failed.engine.sendMessage('Hello')
  await closed(failed.engine, disk)

  const aborted = open('aborted', [callTools([write('1', 'a')])])
  await aborted.engine.sendMessage('Write a')
  await aborted.engine.abort()
  await closed(aborted.engine, disk)

  const allowed = open('allowed', [callTools([write('1', 'a')]), answer('Done.')])
  await allowed.engine.sendMessage('Write a')
  await allowed.resume({
    toolCallId: '1',
    outcome: 'yes_always',
    scope: { covers: 'input', where: 'everywhere' },
  })
  await untilState(allowed.engine, ({ requestState }) => requestState === 'completed')
  await closed(allowed.engine, disk)

  await conversations.import({ ...(await conversations.export('allowed')), id: 'imported' })
  const deleted = open('deleted', [answer('Bye.')])
  await deleted.engine.sendMessage('Hello')
  await closed(deleted.engine, disk)
  await conversations.remove('deleted')
  return disk.snapshot()
}

/** Stored content as JSON, in an order of its own. */
export function toFixture(content: StorageContent): Record<string, Record<string, JSONValue>> {
  const byName = <VALUE>([one]: [string, VALUE], [other]: [string, VALUE]) => (one < other ? -1 : 1)
  return Object.fromEntries(
    [...content]
      .toSorted(byName)
      .map(([namespace, records]) => [
        namespace,
        Object.fromEntries([...records].toSorted(byName)),
      ]),
  )
}

/** The content that a fixture was made of. */
export function fromFixture(fixture: Record<string, Record<string, JSONValue>>): StorageContent {
  return new Map(
    Object.entries(fixture).map(([namespace, records]) => [
      namespace,
      new Map(Object.entries(records)),
    ]),
  )
}
