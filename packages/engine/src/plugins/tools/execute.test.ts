import type { ModelMessage, Tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools } from '../../testing/index.ts'
import type { CallToolContext, ToolCall, ToolPluginOptions } from './options.ts'

const inputSchema = z.object({ path: z.string() })
const read = { toolCallId: '1', toolName: 'read', input: { path: 'a.txt' } }

/** The result of one call and what its request carried. */
async function runOne(tools: ToolPluginOptions, call = read) {
  const made = createToolEngine([callTools(call), answer('ok')], tools)
  await made.engine.sendMessage('go')
  const [part] = made.sentCalls(2)
  return { ...made, part }
}

describe('a tool with execute', () => {
  it('runs here, and is preferred over callTool', async () => {
    const { part } = await runOne({
      tools: { read: { inputSchema, execute: ({ path }: { path: string }) => `read ${path}` } },
      callTool: () => 'called',
    })
    expect(part).toMatchObject({ state: 'output-available', output: 'read a.txt' })
  })

  it('keeps its own object as `this`, as in the AI SDK', async () => {
    class Reader {
      inputSchema = inputSchema
      #root = '/root/'
      execute({ path }: { path: string }) {
        return this.#root + path
      }
    }
    const { part } = await runOne({ tools: { read: new Reader() } })
    expect(part).toMatchObject({ output: '/root/a.txt' })
  })

  it('is given its call id, its signal, its context and the messages', async () => {
    const messages: ModelMessage[] = [{ role: 'user', content: 'go' }]
    const given: Record<string, unknown>[] = []
    const tool: Tool = {
      inputSchema,
      execute: (_input: unknown, details: object) => void given.push({ ...details }),
    }
    await runOne({
      tools: { read: tool },
      toolsContext: { read: { user: 'ada' }, write: { user: 'bob' } },
      toModelMessages: (ui) => (ui.at(-1)?.role === 'assistant' ? messages : []),
    })
    expect(given).toEqual([
      {
        toolCallId: '1',
        messages,
        context: { user: 'ada' },
        abortSignal: expect.any(AbortSignal),
      },
    ])
  })

  it('is given no messages and no context where none are configured', async () => {
    const given: object[] = []
    const tool: Tool = {
      inputSchema,
      execute: (_input: unknown, details: object) => void given.push(details),
    }
    await runOne({ tools: { constructor: tool } }, { ...read, toolName: 'constructor' })
    expect(given).toMatchObject([{ messages: [], context: undefined }])
  })

  it('fails when the messages for it cannot be made', async () => {
    const { part } = await runOne({
      tools: { read: { inputSchema, execute: () => 'read' } },
      toModelMessages: () => Promise.reject(new Error('cannot convert')),
    })
    expect(part).toMatchObject({ state: 'output-error', errorText: 'cannot convert' })
  })

  it.each([
    ['an error', new Error('disk full'), 'disk full'],
    ['an error without words', new TypeError(), 'TypeError'],
    ['a text', 'no disk', 'no disk'],
    ['an object', { code: 7 }, '{"code":7}'],
    ['nothing', undefined, 'undefined'],
  ])('has an error result when it throws %s', async (_name, thrown, errorText) => {
    const { part } = await runOne({
      tools: { read: { inputSchema, execute: () => Promise.reject(thrown) } },
    })
    expect(part).toMatchObject({ state: 'output-error', errorText })
  })

  it('has an error result when JSON cannot express its output', async () => {
    const { part } = await runOne({ tools: { read: { inputSchema, execute: () => 1n } } })
    expect(part).toMatchObject({
      state: 'output-error',
      errorText: expect.stringContaining('JSON cannot express'),
    })
  })

  it('has its output and its error cut at the bounds', async () => {
    const long = ['a', 'b', 'c'].join('\n')
    const bounds = { maxOutputLines: 1, toolOptions: { read: { keep: 'tail' as const } } }
    const output = await runOne({
      tools: { read: { inputSchema, execute: () => long } },
      ...bounds,
    })
    expect(output.part).toMatchObject({
      output: expect.stringMatching(/\nc$/),
      toolMetadata: { assent: { cut: { shownLines: 1, totalLines: 3 } } },
    })
    const failure = await runOne({
      tools: { read: { inputSchema, execute: () => Promise.reject(new Error(long)) } },
      ...bounds,
    })
    expect(failure.part).toMatchObject({ errorText: expect.stringMatching(/\nc$/) })
  })
})

describe('callTool', () => {
  const declared: Tool = { inputSchema }

  it.each([
    ['a value', () => 'called'],
    ['a promise', () => Promise.resolve('called')],
    [
      'an async iterable',
      async function* () {
        yield 'cal'
        yield 'called'
      },
    ],
  ])('runs the call of a tool without execute and answers with %s', async (_name, callTool) => {
    const { part } = await runOne({ tools: { read: declared }, callTool })
    expect(part).toMatchObject({ state: 'output-available', output: 'called' })
    expect(part).not.toHaveProperty('preliminary')
  })

  it('is given the call, its signal and the custom context', async () => {
    const given: [ToolCall, CallToolContext][] = []
    const { engine } = createToolEngine(
      [callTools(read), answer('ok')],
      { callTool: (...args) => void given.push(args) },
      { plugins: [{ onTurnStart: (context) => context.setCustomContext({ who: 'ada' }) }] },
    )
    await engine.sendMessage('go')
    expect(given).toMatchObject([
      [
        { ...read, messageId: engine.getState().messages[1]?.id, step: 1 },
        { customContext: { who: 'ada' }, abortSignal: expect.any(AbortSignal) },
      ],
    ])
  })

  it('runs tools that were never declared, but not with an input that a schema refuses', async () => {
    const callTool = () => 'called'
    expect((await runOne({ callTool })).part).toMatchObject({ output: 'called' })
    const bad = { ...read, input: { path: 7 } as never }
    const { part } = await runOne({ tools: { read: declared }, callTool }, bad)
    expect(part).toMatchObject({
      state: 'output-error',
      errorText: expect.stringMatching(/^Invalid input for tool "read": path: /),
    })
  })
})

describe('a call that nothing can run', () => {
  it.each([
    ['a tool of an unknown name', {}, 'Unknown tool "read". Known tools: none.'],
    [
      'a tool of an unknown name beside known ones',
      { tools: { write: { inputSchema, execute: () => 'w' } } },
      'Unknown tool "read". Known tools: write.',
    ],
  ])('has a result that says so: %s', async (_name, tools, errorText) => {
    const { part, engine } = await runOne(tools)
    expect(part).toMatchObject({ state: 'output-error', errorText })
    expect(engine.getState().requestState).toBe('completed')
  })
})
