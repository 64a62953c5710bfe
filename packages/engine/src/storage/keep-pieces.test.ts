import type { JSONValue, UIMessage } from 'ai'
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  nat,
  oneof,
  tuple,
  type Arbitrary,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import { idleState } from '../../test/storage/idle-state.ts'
import type { EngineError } from '../errors.ts'
import { keepConversation } from './keep-conversation.ts'
import { memoryStorage, type MemoryStorage } from './memory-storage.ts'
import { readMessages } from './read-records.ts'
import type { ConversationStorage } from './storage.ts'
import { storedConversations } from './stored-conversations.ts'

const NAMESPACE = 'conversation/chat'

type Part = UIMessage['parts'][number]

/** A conversation whose messages are what the test says. */
function keep(storage: ConversationStorage) {
  const errors: EngineError[] = []
  let state = idleState()
  const kept = keepConversation(
    storage,
    {
      conversationId: 'chat',
      getState: () => state,
      getMessage: (id) => state.messages.find((message) => message.id === id),
      now: () => 0,
      report: (error) => errors.push(error),
    },
    { retryMs: 1e9, streamingMs: 1e9 },
  )
  return {
    kept,
    errors,
    messages: () => state.messages,
    set(messages: readonly UIMessage[]) {
      const before = new Map(state.messages.map((message) => [message.id, message]))
      const ids = messages.map(({ id }) => id)
      const isSame = ids.join() === state.messageIds.join()
      state = { ...state, messages, messageIds: isSame ? state.messageIds : ids }
      for (const message of messages) {
        if (before.get(message.id) !== message) kept.changed(message.id)
        before.delete(message.id)
      }
      for (const id of before.keys()) kept.changed(id)
      if (!isSame) kept.reordered()
    },
  }
}

const text = (words: string, state?: 'streaming' | 'done'): Part => ({
  type: 'text',
  text: words,
  ...(state && { state }),
})
const message = (id: string, ...parts: Part[]): UIMessage => ({ id, role: 'assistant', parts })

async function restored(disk: MemoryStorage): Promise<readonly UIMessage[] | undefined> {
  return (await keep(memoryStorage(disk.snapshot())).kept.restore())?.messages
}

const keysOf = (disk: MemoryStorage) =>
  [...(disk.snapshot().get(NAMESPACE)?.keys() ?? [])].filter((key) => key.startsWith('message/'))

/** A store that counts what is written into it, in characters. */
function counting(disk: MemoryStorage) {
  const sizes: number[] = []
  const storage: ConversationStorage = {
    ...disk,
    write(namespace, changes, options) {
      sizes.push(JSON.stringify([...(changes.put ?? [])]).length)
      return disk.write(namespace, changes, options)
    },
  }
  return { storage, sizes }
}

describe('a text that streams', () => {
  it('is written by what came, whatever came before, and is one record when it is whole', async () => {
    const disk = memoryStorage()
    const { storage, sizes } = counting(disk)
    const { kept, set } = keep(storage)
    await kept.restore()
    let words = ''
    for (let write = 0; write < 200; write++) {
      words += `${write} `.padEnd(500, 'word ')
      set([message('m', { type: 'step-start' }, text(words, 'streaming'))])
      expect(await kept.save()).toBe('stored')
    }
    expect(words.length).toBe(100_000)
    expect(Math.max(...sizes)).toBeLessThan(1_500)
    expect(await restored(disk)).toMatchObject([{ parts: [{}, { text: words }] }])
    sizes.length = 0
    set([message('m', { type: 'step-start' }, text(words, 'done'))])
    await kept.save()
    expect(sizes).toHaveLength(1)
    expect(keysOf(disk)).toEqual(['message/00000000', 'message/00000000/0', 'message/00000000/1'])
    expect(await restored(disk)).toMatchObject([{ parts: [{}, { text: words, state: 'done' }] }])
  })

  it('takes all of its pieces along when its message is dropped', async () => {
    const disk = memoryStorage()
    const { kept, set } = keep(disk)
    await kept.restore()
    set([message('a', text('one')), message('b', text('t', 'streaming'))])
    await kept.save()
    set([message('a', text('one')), message('b', text('two', 'streaming'))])
    await kept.save()
    expect(keysOf(disk)).toContain('message/00000001/0/00000000')
    set([message('a', text('one'))])
    await kept.save()
    expect(keysOf(disk)).toEqual(['message/00000000', 'message/00000000/0'])
  })

  it('is read as these records say it, for ever', async () => {
    const disk = memoryStorage(
      new Map([
        [
          NAMESPACE,
          new Map<string, JSONValue>([
            ['message/00000000', { id: 'm', role: 'assistant', partCount: 2, parent: null }],
            ['message/00000000/0', { type: 'reasoning', text: 'I ', state: 'streaming' }],
            ['message/00000000/0/00000000', 'look'],
            ['message/00000000/0/00000001', ' first.'],
            ['message/00000000/1', { type: 'text', text: '', state: 'streaming' }],
            ['message/00000000/1/00000000', 'Here'],
            ['leaf', 'm'],
          ]),
        ],
      ]),
    )
    expect(await restored(disk)).toMatchObject([
      { parts: [{ text: 'I look first.' }, { text: 'Here' }] },
    ])
    expect(await storedConversations(disk).search('here')).toEqual([])
  })

  it('is read up to a piece that is missing, which is reported, and is written anew', async () => {
    const disk = memoryStorage()
    const first = keep(disk)
    await first.kept.restore()
    for (const words of ['a', 'ab', 'abc', 'abcd']) {
      first.set([message('m', text(words, 'streaming'))])
      await first.kept.save()
    }
    await disk.write(NAMESPACE, { remove: ['message/00000000/0/00000001'] })
    const { kept, errors, set } = keep(disk)
    expect(await kept.restore()).toMatchObject({ messages: [{ parts: [{ text: 'ab' }] }] })
    expect(errors).toMatchObject([
      { code: 'storage_malformed', details: { keys: ['message/00000000/0/00000001'] } },
    ])
    set([message('m', text('ab and more', 'streaming'))])
    await kept.save()
    expect(await restored(disk)).toMatchObject([{ parts: [{ text: 'ab and more' }] }])
    expect(keysOf(disk)).toEqual(['message/00000000', 'message/00000000/0'])
  })
})

type Move =
  | readonly ['grow' | 'finish' | 'part' | 'drop' | 'other', number]
  | readonly ['add' | 'first' | 'swap' | 'save' | 'fail' | 'half' | 'reload']

const changes = constantFrom('grow', 'grow', 'grow', 'finish', 'part', 'drop', 'other')
const steps = constantFrom('add', 'add', 'first', 'swap', 'save', 'save', 'fail', 'half', 'reload')
const moves: Arbitrary<Move> = oneof(tuple(changes, nat(4)), tuple(steps))

it('is read as it was when it was stored, whatever changed in whatever order and failed', async () => {
  const play = async (played: readonly Move[]): Promise<void> => {
    const disk = memoryStorage()
    let failing: 'fail' | 'half' | undefined
    const storage: ConversationStorage = {
      ...disk,
      async write(...call) {
        const how = failing
        failing = undefined
        const result = how === 'fail' ? {} : await disk.write(...call)
        if (how) throw new Error('The disk does not answer.')
        return result
      },
    }
    let { kept, messages, set } = keep(storage)
    await kept.restore()
    let ids = 0
    /** What was read back, and what it was when it was stored. */
    const seen: (readonly [readonly UIMessage[], readonly UIMessage[]])[] = []
    const change = (at: number, to: (one: UIMessage) => UIMessage | undefined): void => {
      const index = at % Math.max(messages().length, 1)
      set(messages().flatMap((one, place) => (place === index ? (to(one) ?? []) : [one])))
    }
    const last = (one: UIMessage, to: (part: Part) => Part): UIMessage => ({
      ...one,
      parts: one.parts.map((part, index) => (index === one.parts.length - 1 ? to(part) : part)),
    })
    for (const [kind, at = 0] of played) {
      if (kind === 'add') set([...messages(), message(`m${ids++}`, text('', 'streaming'))])
      else if (kind === 'first') set([message(`m${ids++}`, text('first')), ...messages()])
      else if (kind === 'swap') set([...messages().slice(1), ...messages().slice(0, 1)])
      else if (kind === 'drop') change(at, () => undefined)
      else if (kind === 'part') {
        change(at, (one) => ({ ...one, parts: [...one.parts, text('p', 'streaming')] }))
      } else if (kind === 'grow' || kind === 'finish') {
        const state = kind === 'grow' ? 'streaming' : 'done'
        change(at, (one) =>
          last(one, (part) => ('text' in part ? text(`${part.text}${ids++} `, state) : part)),
        )
      } else if (kind === 'other') change(at, (one) => last(one, () => text('other', 'streaming')))
      else if (kind === 'save') await kept.save()
      else if (kind === 'reload') {
        const isSaved = await kept.save()
        const stored = readMessages(await disk.read(NAMESPACE))
        const again = keep(storage)
        if (isSaved === 'stored') seen.push([stored, messages()])
        const found = (await again.kept.restore())?.messages ?? []
        ;({ kept, messages, set } = again)
        set(found)
      } else {
        failing = kind
        await kept.save()
      }
    }
    failing = undefined
    expect(await kept.save()).toBe('stored')
    seen.push([readMessages(await disk.read(NAMESPACE)), messages()])
    expect(seen.map(([stored]) => stored)).toEqual(seen.map(([, expected]) => expected))
    const pieces = keysOf(disk).filter((key) => key.split('/').length === 4).length
    expect(pieces).toBeLessThanOrEqual(played.length)
  }
  await assert(asyncProperty(array(moves, { minLength: 6, maxLength: 30, size: 'max' }), play), {
    numRuns: 400,
  })
})

describe('messages that have versions', () => {
  const head = (id: string, parent: string | null): JSONValue => ({
    id,
    role: 'user',
    partCount: 0,
    parent,
  })
  const idsOf = async (records: readonly (readonly [string, JSONValue])[]) => {
    const disk = memoryStorage(new Map([[NAMESPACE, new Map(records)]]))
    return (await restored(disk))?.map(({ id }) => id)
  }
  const versions = [
    ['message/00000000', head('a', null)],
    ['message/00000001', head('b', 'a')],
    ['message/00000002', head('b2', 'a')],
    ['message/00000003', head('c', 'b')],
  ] as const

  it('are those on the way to the leaf', async () => {
    expect(await idsOf([...versions, ['leaf', 'c']])).toEqual(['a', 'b', 'c'])
    expect(await idsOf([...versions, ['leaf', 'b2']])).toEqual(['a', 'b2'])
    expect(await idsOf([...versions, ['leaf', 'a']])).toEqual(['a'])
  })

  it('keep those that are not shown, when what is shown changes', async () => {
    const disk = memoryStorage(
      new Map([[NAMESPACE, new Map<string, JSONValue>([...versions, ['leaf', 'b2']])]]),
    )
    const { kept, set } = keep(disk)
    const { messages = [] } = (await kept.restore()) ?? {}
    set([...messages, message('d', text('new'))])
    await kept.save()
    expect((await restored(disk))?.map(({ id }) => id)).toEqual(['a', 'b2', 'd'])
    expect(await disk.read(NAMESPACE)).toEqual(
      new Map([
        ...(await disk.read(NAMESPACE)),
        ...versions,
        ['leaf', 'd'],
        ['message/00000004', expect.objectContaining({ id: 'd', parent: 'b2' })],
      ]),
    )
  })

  it('are shown as far as they can be read, whatever is wrong with parents or leaf', async () => {
    expect(await idsOf(versions)).toEqual(['a', 'b', 'c'])
    expect(await idsOf([...versions, ['leaf', 7]])).toEqual(['a', 'b', 'c'])
    expect(await idsOf([...versions, ['leaf', 'gone']])).toEqual(['a', 'b', 'c'])
    const loop = [
      ['message/00000000', head('a', 'b')],
      ['message/00000001', head('b', 'a')],
    ] as const
    expect(await idsOf([...loop, ['leaf', 'b']])).toEqual(['a', 'b'])
    const orphan = [versions[0], ['message/00000001', head('z', 'gone')]] as const
    expect(await idsOf([...orphan, ['leaf', 'z']])).toEqual(['a', 'z'])
  })
})
