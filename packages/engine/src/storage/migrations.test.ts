import type { JSONValue } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { scriptedTransport, answer } from '../testing/index.ts'
import { createMessageEngine } from '../engine.ts'
import type { EngineError } from '../errors.ts'
import { isRecord } from '../message/tool-part.ts'
import { textOf } from '../message/message-input.ts'
import type { EngineStorage } from '../persistence.ts'
import { defineStorage } from './define-storage.ts'
import { keepConversation } from './keep-conversation.ts'
import { memoryStorage, type MemoryStorage } from './memory-storage.ts'
import { RECORDS_VERSION } from './conversation-records.ts'
import type { Migration, RecordsSchema } from './migrations.ts'
import type { Records } from './read-records.ts'
import { conversationsOf } from './stored-conversations.ts'

const NAMESPACE = 'conversation/chat'

/** Version 1 said it in another way: texts are shouted since version 3, titles since version 2. */
const shoutTitles: Migration = (records) => mapped(records, 'about', 'title')
const shoutTexts: Migration = (records) => mapped(records, 'message/', 'text')

/** A key that version 3 has no more. */
const dropUnread: Migration = (records) =>
  new Map([...shoutTexts(records)].filter(([key]) => key !== 'unread'))

function mapped(records: ReadonlyMap<string, JSONValue>, prefix: string, field: string) {
  return new Map(
    [...records].map(([key, value]): [string, JSONValue] => {
      const text = key.startsWith(prefix) && isRecord(value) ? value[field] : undefined
      if (typeof text !== 'string' || !isRecord(value)) return [key, value]
      return [key, { ...(value as object), [field]: text.toUpperCase() }]
    }),
  )
}

const VERSION_1: RecordsSchema = { version: 1, migrations: new Map() }
const VERSION_3: RecordsSchema = {
  version: 3,
  migrations: new Map([
    [1, shoutTitles],
    [2, dropUnread],
  ]),
}

function open(disk: MemoryStorage, schema?: RecordsSchema) {
  const errors: EngineError[] = []
  const storage: EngineStorage = schema
    ? { open: (host) => keepConversation(disk, host, {}, schema) }
    : defineStorage(disk)
  const engine = createMessageEngine({
    id: 'chat',
    storage,
    transport: scriptedTransport([answer('one')]),
    onError: (error) => errors.push(error),
  })
  return { engine, errors }
}

/** A disk with a conversation as version 1 writes it. */
async function diskOfVersion1(): Promise<MemoryStorage> {
  const disk = memoryStorage()
  const { engine } = open(disk, VERSION_1)
  await engine.sendMessage('hello')
  engine.dispose()
  await open(disk, VERSION_1).engine.ready
  await disk.write(NAMESPACE, { put: new Map([['unread', 2]]) })
  return memoryStorage(disk.snapshot())
}

const texts = ({
  getState,
}: {
  getState(): { messages: readonly Parameters<typeof textOf>[0][] }
}) => getState().messages.map(textOf)
const recordsOf = (disk: MemoryStorage) => disk.snapshot().get(NAMESPACE) ?? new Map()
const soon = () => new Promise((resolve) => void setTimeout(resolve))

describe('records of an older version', () => {
  it('are brought to this one, step by step, and stored so in one write', async () => {
    const disk = await diskOfVersion1()
    const write = vi.spyOn(disk, 'write')
    const { engine, errors } = open(disk, VERSION_3)
    await engine.ready
    expect(texts(engine)).toEqual(['HELLO', 'ONE'])
    await soon()
    expect(write).toHaveBeenCalledTimes(1)
    expect(recordsOf(disk).get('about')).toMatchObject({ version: 3, title: 'HELLO' })
    expect(recordsOf(disk).get('message/00000000/0')).toMatchObject({ text: 'HELLO' })
    expect(recordsOf(disk).has('unread')).toBe(false)
    expect(errors).toEqual([])
    engine.dispose()
    const again = open(disk, VERSION_3)
    await again.engine.ready
    expect(texts(again.engine)).toEqual(['HELLO', 'ONE'])
  })

  it('are stored whole with what comes meanwhile, also when a write fails', async () => {
    const disk = await diskOfVersion1()
    const write = vi.spyOn(disk, 'write').mockRejectedValueOnce(new Error('full'))
    const { engine } = open(disk, VERSION_3)
    await engine.ready
    await engine.regenerate()
    expect(write.mock.calls.length).toBeGreaterThan(1)
    expect(recordsOf(disk).get('about')).toMatchObject({ version: 3 })
    expect(recordsOf(disk).get('message/00000000/0')).toMatchObject({ text: 'HELLO' })
    const again = open(disk, VERSION_3)
    await again.engine.ready
    expect(texts(again.engine)).toEqual(['HELLO', 'one'])
  })

  it('are listed as this version has them', async () => {
    const disk = await diskOfVersion1()
    const conversations = conversationsOf(disk, {}, VERSION_3)
    expect(await conversations.list()).toMatchObject([
      { id: 'chat', title: 'HELLO', unreadCount: 0 },
    ])
    expect((await conversations.export('chat')).messages.map(textOf)).toEqual(['HELLO', 'ONE'])
    expect(await conversations.search('ONE')).toHaveLength(1)
  })

  it.each<[string, RecordsSchema]>([
    [
      'throws',
      {
        version: 2,
        migrations: new Map([
          [
            1,
            () => {
              throw new Error('no way')
            },
          ],
        ]),
      },
    ],
    ['misses', { version: 3, migrations: new Map([[1, shoutTitles]]) }],
  ])('stay as they are when a migration %s, which is told', async (_, schema) => {
    const disk = await diskOfVersion1()
    const before = disk.snapshot()
    const { engine, errors } = open(disk, schema)
    await engine.ready
    expect(errors).toMatchObject([
      { code: 'storage_failed', details: { version: expect.any(Number) } },
    ])
    await engine.sendMessage('and now')
    engine.dispose()
    await soon()
    expect(disk.snapshot()).toEqual(before)
    const told: EngineError[] = []
    const conversations = conversationsOf(disk, { onError: (error) => told.push(error) }, schema)
    expect(await conversations.list()).toMatchObject([{ id: 'chat', title: 'hello' }])
    expect(told).toMatchObject([{ code: 'storage_failed' }])
  })
})

describe('records of a newer version', () => {
  it('are left alone, which is told', async () => {
    const disk = await diskOfVersion1()
    const version = RECORDS_VERSION + 1
    const same = Array.from(
      { length: RECORDS_VERSION },
      (_, before) => [before + 1, (records: Records) => records] as const,
    )
    await open(disk, { version, migrations: new Map(same) }).engine.ready
    await soon()
    const before = disk.snapshot()
    const { engine, errors } = open(disk)
    await engine.ready
    expect(errors).toMatchObject([{ code: 'storage_newer', details: { version } }])
    await engine.sendMessage('and now')
    engine.setDraft('composer', 'begun')
    engine.dispose()
    await soon()
    expect(disk.snapshot()).toEqual(before)
  })
})
