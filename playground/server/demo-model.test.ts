import type {
  JSONValue,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { createDemoModel } from './demo-model.ts'
import { EXAMPLE_REQUESTS } from './demo/answer.ts'
import { pacedStream } from './demo/paced-stream.ts'
import { piecesOf, speak, type SpokenPart } from './demo/speech.ts'

const TOOLS = [
  'list_notes',
  'read_note',
  'write_note',
  'archive_note',
  'delete_note',
  'search_notes',
  'export_notes',
  'send_report',
  'server_time',
  'delete_backup',
]

interface Step {
  readonly parts: readonly LanguageModelV4StreamPart[]
  readonly reasoning: string
  readonly text: string
  readonly calls: readonly { id: string; name: string; input: unknown }[]
  readonly finishReason: string | undefined
}

function ask(text: string): LanguageModelV4Prompt {
  return [
    { role: 'system', content: 'Anything' },
    { role: 'user', content: [{ type: 'text', text }] },
  ]
}

async function next(
  prompt: LanguageModelV4Prompt,
  {
    model = createDemoModel({ speed: Infinity }),
    tools = TOOLS,
    ...options
  }: Partial<Omit<LanguageModelV4CallOptions, 'tools'>> & {
    model?: LanguageModelV4
    tools?: string[]
  } = {},
): Promise<Step> {
  const { stream } = await model.doStream({
    ...options,
    prompt,
    tools: tools.map((name) => ({ type: 'function', name, inputSchema: { type: 'object' } })),
  })
  const parts = await partsOf(stream)
  const finish = parts.find((part) => part.type === 'finish')
  return {
    parts,
    reasoning: parts.map((part) => (part.type === 'reasoning-delta' ? part.delta : '')).join(''),
    text: parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join(''),
    calls: parts.flatMap((part) =>
      part.type === 'tool-call'
        ? [{ id: part.toolCallId, name: part.toolName, input: JSON.parse(part.input) as unknown }]
        : [],
    ),
    finishReason: finish?.finishReason.unified,
  }
}

async function partsOf(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

/** The prompt after a step whose calls came to these outputs, in order. */
function after(
  prompt: LanguageModelV4Prompt,
  step: Step,
  outputs: readonly (LanguageModelV4ToolResultOutput | JSONValue)[],
): LanguageModelV4Prompt {
  const assistant: LanguageModelV4Message = {
    role: 'assistant',
    content: [
      { type: 'text', text: step.text },
      ...step.calls.map(({ id, name, input }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        input,
      })),
    ],
  }
  const tool: LanguageModelV4Message = {
    role: 'tool',
    content: step.calls.map(({ id, name }, index) => ({
      type: 'tool-result' as const,
      toolCallId: id,
      toolName: name,
      output: asOutput(outputs[index]),
    })),
  }
  return [...prompt, assistant, tool]
}

function asOutput(
  value: LanguageModelV4ToolResultOutput | JSONValue | undefined,
): LanguageModelV4ToolResultOutput {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && 'type' in value) {
    return value as LanguageModelV4ToolResultOutput
  }
  return { type: 'json', value: value ?? null }
}

const names = (step: Step) => step.calls.map(({ name }) => name)
const word = () => crypto.randomUUID().slice(0, 8)

describe('the demo model understands', () => {
  test.each(EXAMPLE_REQUESTS)('%s', async (request) => {
    const step = await next(ask(request))
    expect(step.text).not.toContain('I am a demo model: I know')
  })

  test('several tools in one step, a free one among them', async () => {
    const [a, b] = [word(), word()]
    const prompt = ask(`Clean up: archive “${a}” and delete “${b}”`)
    const step = await next(prompt)
    expect(step.calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: 'list_notes', input: {} },
      { name: 'archive_note', input: { title: a } },
      { name: 'delete_note', input: { title: b } },
    ])
    expect(step.finishReason).toBe('tool-calls')
    expect(new Set(step.calls.map(({ id }) => id)).size).toBe(3)

    const last = await next(
      after(prompt, step, [
        { notes: [{ title: a }, { title: b }] },
        { type: 'execution-denied', reason: 'keep it' },
        { type: 'error-text', value: 'disk full' },
      ]),
    )
    expect(last.calls).toEqual([])
    expect(last.finishReason).toBe('stop')
    expect(last.text).toContain(`There are 2 notes: “${a}” and “${b}”.`)
    expect(last.text).toContain(
      `You did not want me to archive the note “${a}”, so it did not happen. Your reason:\n\n> keep it`,
    )
    expect(last.text).toContain(
      `I could not delete the note “${b}”. What came back is:\n\n> disk full`,
    )
  })

  test('one tool for each name in a list', async () => {
    const step = await next(ask('delete “a, b”, “c” and “d and e”'))
    expect(step.calls.map(({ input }) => input)).toEqual([
      { title: 'a, b' },
      { title: 'c' },
      { title: 'd and e' },
    ])
  })

  test('steps that use what came before', async () => {
    const [title, content, addition] = [word(), word(), word()]
    let prompt = ask(`List my notes, then add “${addition}” to the first one`)
    const list = await next(prompt)
    expect(names(list)).toEqual(['list_notes'])
    prompt = after(prompt, list, [{ notes: [{ title }, { title: 'Other' }] }])
    const read = await next(prompt)
    expect(read.calls).toMatchObject([{ name: 'read_note', input: { title } }])
    prompt = after(prompt, read, [{ title, content }])
    const write = await next(prompt)
    expect(write.calls).toMatchObject([
      { name: 'write_note', input: { title, content: `${content}\n${addition}` } },
    ])
    prompt = after(prompt, write, [
      { title, content: `${content}\n${addition}`, created: false, revision: 41 },
    ])
    const last = await next(prompt)
    expect(last.text).toContain(`The note “${title}” was changed (revision 41)`)
    expect(last.text).toContain(`> ${content}\n> ${addition}`)
  })

  test('a note by its name, wherever it is in the list', async () => {
    const prompt = ask('add “x” to the note trip')
    const list = await next(prompt)
    const outputs = [{ notes: [{ title: 'Ideas' }, { title: 'Trip to Lisbon' }] }]
    expect((await next(after(prompt, list, outputs))).calls).toMatchObject([
      { name: 'read_note', input: { title: 'Trip to Lisbon' } },
    ])
    const none = await next(after(prompt, list, [{ notes: [{ title: 'Ideas' }] }]))
    expect(none.text).toBe('I find no note “trip”. There are “Ideas”.')
    expect(none.calls).toEqual([])
  })

  test('"then" as one step after another, and stops where a step fails', async () => {
    const prompt = ask('Read the note “Launch plan”, then delete it')
    const read = await next(prompt)
    expect(read.calls).toMatchObject([{ name: 'read_note', input: { title: 'Launch plan' } }])
    const done = await next(after(prompt, read, [{ title: 'Launch plan', content: 'c' }]))
    expect(done.calls).toMatchObject([{ name: 'delete_note', input: { title: 'Launch plan' } }])
    const failed = await next(after(prompt, read, [{ type: 'error-text', value: 'locked' }]))
    expect(failed.calls).toEqual([])
    expect(failed.text).toContain('> locked')
    expect(failed.text).toContain('left the rest undone')
  })

  test('a look around before it cleans up', async () => {
    const prompt = ask('Clean up my notes')
    const list = await next(prompt)
    const outputs = [
      {
        notes: [
          { title: 'Done', words: 3, done: true, archived: false },
          { title: 'Old', words: 3, done: true, archived: true },
          { title: 'Empty', words: 0, done: false, archived: false },
          { title: 'Kept', words: 9, done: false, archived: false },
        ],
      },
    ]
    const clean = await next(after(prompt, list, outputs))
    expect(clean.calls).toMatchObject([
      { name: 'archive_note', input: { title: 'Done' } },
      { name: 'delete_note', input: { title: 'Empty' } },
    ])
  })

  test('every note at once', async () => {
    const prompt = ask('delete all my notes')
    const list = await next(prompt)
    const each = await next(after(prompt, list, [{ notes: [{ title: 'A' }, { title: 'B' }] }]))
    expect(each.calls).toMatchObject([
      { name: 'delete_note', input: { title: 'A' } },
      { name: 'delete_note', input: { title: 'B' } },
    ])
  })

  test('a summary made of what was read', async () => {
    let prompt = ask('Summarise my notes')
    const list = await next(prompt)
    prompt = after(prompt, list, [{ notes: [{ title: 'A' }, { title: 'B' }] }])
    const read = await next(prompt)
    expect(names(read)).toEqual(['read_note', 'read_note'])
    prompt = after(prompt, read, [
      { title: 'A', content: 'one two|three\nfour' },
      { title: 'B', content: '' },
    ])
    const { text } = await next(prompt)
    expect(text).toContain('| A | 3 | one two\\|three |')
    expect(text).toContain('| B | 0 | *(empty)* |')
  })

  test('a report of what the page holds', async () => {
    const title = word()
    const prompt = ask('Send a report of my notes to ada@example.org.')
    const list = await next(prompt)
    expect(names(list)).toEqual(['list_notes'])
    const send = await next(after(prompt, list, [{ notes: [{ title }] }]))
    expect(send.calls).toMatchObject([
      { name: 'send_report', input: { to: 'ada@example.org', body: `Notes: ${title}.` } },
    ])
  })

  test('reasoning, before it speaks and before it acts', async () => {
    const topic = word()
    const thought = await next(ask(`Think about ${topic}`))
    expect(thought.reasoning).toContain(`“${topic}”`)
    expect(thought.text).toContain(`“${topic}”`)
    const kinds = thought.parts.map(({ type }) => type)
    expect(kinds.indexOf('reasoning-end')).toBeLessThan(kinds.indexOf('text-start'))

    const prompt = ask(`Think first, then delete the note “${topic}”`)
    const act = await next(prompt)
    expect(act.reasoning).toContain('cannot be brought back')
    expect(act.calls).toMatchObject([{ name: 'delete_note', input: { title: topic } }])
    const last = await next(after(prompt, act, [{ deleted: topic, remaining: 2 }]))
    expect(last.reasoning).toBe('')
    expect(last.text).toContain(`The note “${topic}” is gone for good; 2 are left.`)
  })

  test('a long text, with code, list and table', async () => {
    const topic = word()
    const { text, parts } = await next(ask(`Write a long answer about “${topic}”`))
    expect(text.startsWith(`# On ${topic}\n`)).toBe(true)
    expect(text.length).toBeGreaterThan(9000)
    expect(text).toMatch(/^```ts$/m)
    expect(text).toMatch(/^1\. /m)
    expect(text).toMatch(/^\| kind +\|/m)
    expect(parts.length).toBeGreaterThan(1000)
  })

  test('nothing else, and says what it does understand', async () => {
    for (const request of ['What is the meaning of life?', 'hello', '']) {
      const { text, calls } = await next(ask(request))
      for (const example of EXAMPLE_REQUESTS) expect(text).toContain(`- ${example}`)
      expect(text).toContain('there is no AI inside')
      expect(calls).toEqual([])
    }
  })
})

describe('the demo model', () => {
  test('says which tool it lacks', async () => {
    const { text, calls } = await next(ask('delete the note A'), { tools: ['list_notes'] })
    expect(text).toContain('a tool that I was not offered: `delete_note`')
    expect(calls).toEqual([])
    const none = await next(ask('delete the note A'), { toolChoice: { type: 'none' } })
    expect(none.text).toContain('I was offered none')
  })

  test('quotes an output of a shape that it does not know', async () => {
    const prompt = ask('Archive the note A')
    const step = await next(prompt)
    const secret = word()
    expect((await next(after(prompt, step, [{ other: secret }]))).text).toContain(
      `\`archive_note\` gave back:\n\n> {"other":"${secret}"}`,
    )
    const text = await next(after(prompt, step, [{ type: 'text', value: `two\n${secret}` }]))
    expect(text.text).toContain(`> two\n> ${secret}`)
  })

  test('answers the last message only, and takes the latest of two calls with one id', async () => {
    const first = ask('Archive the note A')
    const step = await next(first)
    const asked: LanguageModelV4Prompt = [
      ...after(first, step, ['done']),
      { role: 'user', content: [{ type: 'text', text: 'What time is it?' }] },
    ]
    const time = await next(asked)
    expect(names(time)).toEqual(['server_time'])
    const sameId = {
      ...time,
      calls: time.calls.map((call) => ({ ...call, id: step.calls[0]!.id })),
    }
    const { text } = await next(after(asked, sameId, [{ iso: 'NOW', timeZone: 'UTC' }]))
    expect(text).toBe('The server’s clock says `NOW` (it is in the time zone UTC).')
  })

  test('streams the input of a call in pieces that make up its JSON', async () => {
    const { parts } = await next(ask('Write a note called “Long” saying “one two three four five”'))
    const deltas = parts.filter((part) => part.type === 'tool-input-delta')
    const call = parts.find((part) => part.type === 'tool-call')
    expect(deltas.length).toBeGreaterThan(3)
    expect(deltas.map(({ delta }) => delta).join('')).toBe(call?.input)
    expect(deltas.every(({ id }) => id === call?.toolCallId)).toBe(true)
  })

  test('splits text into pieces without losing a character', () => {
    for (const text of ['', ' ', 'a  b\n\n c ', '👩‍👩‍👧‍👦'.repeat(9), 'x'.repeat(30), '\tend\n']) {
      expect(piecesOf(text).join('')).toBe(text)
    }
  })

  test('counts what it used', async () => {
    const { parts } = await next(ask('Think about it'))
    const deltas = (type: string) => parts.filter((part) => part.type === type).length
    expect(parts.at(-1)).toMatchObject({
      type: 'finish',
      usage: {
        inputTokens: { total: expect.any(Number) },
        outputTokens: {
          text: deltas('text-delta'),
          reasoning: deltas('reasoning-delta'),
          total: deltas('text-delta') + deltas('reasoning-delta'),
        },
      },
    })
  })

  test('generates in one piece what it would stream', async () => {
    const model = createDemoModel()
    const prompt = ask('Think first, then archive the note A')
    const tools = [
      { type: 'function' as const, name: 'archive_note', inputSchema: { type: 'object' as const } },
    ]
    const { content, finishReason } = await model.doGenerate({ prompt, tools })
    const streamed = await next(prompt)
    expect(content).toMatchObject([
      { type: 'reasoning', text: streamed.reasoning },
      { type: 'text', text: streamed.text },
      { type: 'tool-call', toolName: 'archive_note', input: '{"title":"A"}' },
    ])
    expect(finishReason.unified).toBe('tool-calls')
    await expect(
      Promise.resolve(model.doGenerate({ prompt: ask('Break off please') })),
    ).rejects.toThrow('broke off')
  })

  test('warns of a response format that it cannot give', async () => {
    const { parts } = await next(ask('hello'), { responseFormat: { type: 'json' } })
    expect(parts[0]).toMatchObject({
      warnings: [{ type: 'unsupported', feature: 'responseFormat' }],
    })
  })

  test('takes a positive speed only', () => {
    for (const speed of [0, -1, NaN]) {
      expect(() => createDemoModel({ speed })).toThrow(/positive number/)
    }
  })
})

describe('the pace', () => {
  const prompt = ask('Write a long answer')

  test('is that of a human reader: 25 to 45 pieces a second', () => {
    const text = 'The quick brown fox jumps over the lazy dog, again and again. '.repeat(20)
    const spoken = [...speak({ text, reasoning: text }, prompt, [])]
    const pieces = spoken.filter(({ part }) => part.type.endsWith('-delta'))
    const seconds = pieces.reduce((sum, { delayMs }) => sum + delayMs, 0) / 1000
    expect(pieces.length / seconds).toBeGreaterThan(25)
    expect(pieces.length / seconds).toBeLessThan(45)
  })

  test('is divided by the speed', async () => {
    const speed = 40
    const spoken = [...speak({ text: 'word '.repeat(80) }, prompt, [])]
    const planned = spoken.reduce((sum, { delayMs }) => sum + delayMs, 0) / speed
    const before = performance.now()
    const parts = await partsOf(pacedStream(spoken.values(), speed, undefined))
    // A timer may fire up to a millisecond early.
    expect(performance.now() - before).toBeGreaterThan(planned - spoken.length)
    expect(parts).toEqual(spoken.map(({ part }) => part))
  })

  test('ends at once when it is aborted, with the reason of the signal', async () => {
    const model = createDemoModel({ speed: 0.0001 })
    const abort = new AbortController()
    const { stream } = await model.doStream({ prompt, abortSignal: abort.signal })
    const reader = stream.getReader()
    expect((await reader.read()).value).toMatchObject({ type: 'stream-start' })
    expect((await reader.read()).value).toMatchObject({ type: 'text-start' })
    const waiting = reader.read()
    const reason = new Error('enough')
    abort.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await expect(
      Promise.resolve(model.doStream({ prompt, abortSignal: abort.signal })),
    ).rejects.toBe(reason)
  })

  test('ends when the stream is cancelled', async () => {
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    function* parts(): Generator<SpokenPart> {
      try {
        yield { part: { type: 'ping' }, delayMs: 0 }
        yield { part: { type: 'ping' }, delayMs: 1e8 }
      } finally {
        resolve()
      }
    }
    const reader = pacedStream(parts(), 1, undefined).getReader()
    await reader.read()
    const waiting = reader.read()
    await reader.cancel()
    expect(await waiting).toEqual({ done: true, value: undefined })
    await ended
  })
})
