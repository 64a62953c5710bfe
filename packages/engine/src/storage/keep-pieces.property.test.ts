import type { UIMessage } from 'ai'
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
import { expect, it } from 'vitest'
import {
  keep,
  keysOf,
  message,
  NAMESPACE,
  text,
  type Part,
} from '../../test/storage/keep-messages.ts'
import { createPartialJson } from '../message/partial-json.ts'
import { isToolCallPart } from '../message/tool-part.ts'
import { memoryStorage } from './memory-storage.ts'
import { readMessages } from './read-records.ts'
import type { ConversationStorage } from './storage.ts'

type Move =
  | readonly ['grow' | 'mark' | 'finish' | 'part' | 'call' | 'output' | 'drop' | 'other', number]
  | readonly ['add' | 'first' | 'swap' | 'save' | 'fail' | 'half' | 'reload' | 'return']

const growing = constantFrom('grow' as const, 'mark' as const, 'finish' as const)
const changes = constantFrom('grow', 'part', 'call', 'output', 'drop', 'other')
const steps = constantFrom('add', 'first', 'swap', 'save', 'fail', 'half', 'reload', 'return')
const moves: Arbitrary<Move> = oneof(
  tuple(growing, nat(4)),
  tuple(changes, nat(4)),
  tuple(steps),
  tuple(constantFrom('save' as const)),
)

/** An input that streams, as the engine has it. */
function call(rawInput: string, isText: boolean): Part {
  const json = createPartialJson()
  json.feed(rawInput)
  return {
    type: 'tool-write',
    toolCallId: 'c',
    state: 'input-streaming',
    rawInput,
    input: isText ? rawInput : json.value(),
    ...(isText && { inputEncoding: 'text' }),
  }
}

function output(text: string, isDone = false): Part {
  const kind = { type: 'tool-write', toolCallId: 'c', input: {} } as const
  return { ...kind, state: 'output-available', output: text, ...(!isDone && { preliminary: true }) }
}

/** A part to which more has come, marked or not, or the last of it. */
function grown(part: Part, more: string, kind: 'grow' | 'mark' | 'finish'): Part {
  const mark = { test: { more } }
  if (part.type === 'text' || part.type === 'reasoning') {
    const state = kind === 'finish' ? 'done' : 'streaming'
    const marked = kind === 'mark' && { providerMetadata: mark }
    return { ...part, text: `${part.text}${more}`, state, ...marked }
  }
  if (!isToolCallPart(part)) return part
  const marked = kind === 'mark' && { callProviderMetadata: mark }
  if (part.state === 'output-available') {
    return { ...output(`${String(part.output)}${more}`, kind === 'finish'), ...marked }
  }
  if (part.state !== 'input-streaming') return part
  const next = call(`${String(part.rawInput)}${more}`, part.inputEncoding === 'text')
  if (kind !== 'finish' || !('input' in next)) return { ...next, ...marked }
  return { type: 'tool-write', toolCallId: 'c', state: 'input-available', input: next.input }
}

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
      } else if (kind === 'call') {
        change(at, (one) => ({ ...one, parts: [...one.parts, call('["a', at % 2 === 0)] }))
      } else if (kind === 'output') {
        change(at, (one) => ({ ...one, parts: [...one.parts, output('o')] }))
      } else if (kind === 'grow' || kind === 'mark' || kind === 'finish') {
        change(at, (one) => last(one, (part) => grown(part, `${ids++} `, kind)))
      } else if (kind === 'other') change(at, (one) => last(one, () => text('other', 'streaming')))
      else if (kind === 'save') await kept.save()
      else if (kind === 'reload' || kind === 'return') {
        const isSaved = (await kept.save()) === 'stored'
        const stored = readMessages(await disk.read(NAMESPACE))
        const again = keep(storage)
        if (isSaved) seen.push([stored, messages()])
        const found = (await again.kept.restore())?.messages ?? []
        // What is cut is closed, unless its stream is found again and goes on.
        const more = (one: UIMessage) => last(one, (part) => grown(part, `${ids++} `, 'mark'))
        const next = isSaved && kind === 'return' ? messages().map(more) : found
        ;({ kept, messages, set } = again)
        set(next)
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
