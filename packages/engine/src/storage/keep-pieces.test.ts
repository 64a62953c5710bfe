import type { JSONValue } from 'ai'
import { describe, expect, it } from 'vitest'
import {
  counting,
  keep,
  keysOf,
  message,
  NAMESPACE,
  restored,
  text,
  type Part,
} from '../../test/storage/keep-messages.ts'
import { memoryStorage } from './memory-storage.ts'
import { readMessages } from './read-records.ts'
import { isPart } from './record-guards.ts'
import { storedConversations } from './stored-conversations.ts'

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

describe('what grows', () => {
  const call = { type: 'tool-write', toolCallId: 'c' } as const
  const input = (rawInput: string, said: unknown): Part => ({
    ...call,
    state: 'input-streaming',
    rawInput,
    input: said,
  })
  const growing: readonly (readonly [what: string, part: (words: string) => Part, end: Part])[] = [
    [
      'a text whose metadata changes',
      (words) => ({ ...text(words, 'streaming'), providerMetadata: { p: { at: words.length } } }),
      text('whole', 'done'),
    ],
    [
      'the input of a call',
      (words) => input(`{"content":"${words}`, { content: words }),
      { ...call, state: 'input-available', input: { content: 'whole' } },
    ],
    [
      'the input of a call that is plain text',
      (words) => ({ ...input(words, words), inputEncoding: 'text' }),
      { ...call, state: 'input-available', input: 'whole' },
    ],
    [
      'the input of a call whose metadata changes',
      (words) => ({
        ...input(`["${words}`, [words]),
        callProviderMetadata: { p: { at: words.length } },
      }),
      { ...call, state: 'input-available', input: ['whole'] },
    ],
    [
      'the output of a call so far',
      (words) => ({
        ...call,
        state: 'output-available',
        input: {},
        output: words,
        preliminary: true,
      }),
      { ...call, state: 'output-available', input: {}, output: 'whole' },
    ],
  ]

  it.each(growing)('is written by what came: %s', async (_, part, end) => {
    const disk = memoryStorage()
    const { storage, sizes } = counting(disk)
    const { kept, set } = keep(storage)
    await kept.restore()
    let words = ''
    for (let write = 0; write < 100; write++) {
      words += `${write} `.padEnd(500, 'word ')
      set([message('m', { type: 'step-start' }, part(words))])
      expect(await kept.save()).toBe('stored')
    }
    expect(words.length).toBe(50_000)
    expect(Math.max(...sizes)).toBeLessThan(2_500)
    const records = await disk.read(NAMESPACE)
    expect(readMessages(records)).toEqual([message('m', { type: 'step-start' }, part(words))])
    // Who does not know of the pieces has the beginning of it, as a part of its own.
    const beginning = records.get('message/00000000/1')
    expect(isPart(beginning)).toBe(true)
    expect(beginning).toEqual({
      ...part(words),
      ...part(words.slice(0, 500)),
      ...metadataOf(part(words)),
    })
    set([message('m', { type: 'step-start' }, end)])
    await kept.save()
    expect(keysOf(disk)).toEqual(['message/00000000', 'message/00000000/0', 'message/00000000/1'])
    expect(readMessages(await disk.read(NAMESPACE))).toEqual([
      message('m', { type: 'step-start' }, end),
    ])
  })
})

/** What of a part is the latest in its record, however much of its text is there. */
function metadataOf(part: Part): Partial<Part> {
  return {
    ...('providerMetadata' in part && { providerMetadata: part.providerMetadata }),
    ...('callProviderMetadata' in part && { callProviderMetadata: part.callProviderMetadata }),
  }
}

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
