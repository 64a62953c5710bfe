import { jsonSchema, zodSchema } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools } from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'

const inputSchema = z.object({ path: z.string() })
const read = { toolCallId: '1', toolName: 'read', input: { path: 'a.txt' } }

/** The result of one call as its request carried it. */
async function runOne(tools: ToolPluginOptions, call = read) {
  const { engine, sentCalls } = createToolEngine([callTools(call), answer('ok')], tools)
  await engine.sendMessage('go')
  return { part: sentCalls(2)[0] }
}

describe('the input of a call', () => {
  const echo = (given: unknown[]) => (input: unknown) => void given.push(input)
  const transformed = z.object({
    path: z.string().transform((path) => path.toUpperCase()),
    lines: z.number().default(10),
  })
  const standard = {
    '~standard': {
      version: 1 as const,
      vendor: 'test',
      validate: (value: unknown) => ({ value: { ...(value as object), isRead: true } }),
    },
  }
  const validating = jsonSchema<{ path: string }>(
    { type: 'object' },
    { validate: () => ({ success: true, value: { path: 'validated' } }) },
  )

  it.each([
    ['zod', transformed, { path: 'A.TXT', lines: 10 }],
    ['zodSchema', zodSchema(transformed), { path: 'A.TXT', lines: 10 }],
    ['a lazy schema', () => zodSchema(transformed), { path: 'A.TXT', lines: 10 }],
    ['another Standard Schema', standard, { path: 'a.txt', isRead: true }],
    ['jsonSchema with validate', validating, { path: 'validated' }],
    ['jsonSchema without validate', jsonSchema({ type: 'object' }), { path: 'a.txt' }],
  ])(
    'is what its schema makes of it, and the part keeps what was shown: %s',
    async (_name, schema, value) => {
      const given: unknown[] = []
      const { part } = await runOne({
        tools: { read: { inputSchema: schema as never, execute: echo(given) } },
      })
      expect(given).toEqual([value])
      expect(part).toMatchObject({ state: 'output-available', input: { path: 'a.txt' } })
    },
  )

  it.each([
    ['zod', inputSchema, /path: /],
    ['zodSchema', zodSchema(inputSchema), /path/],
    [
      'jsonSchema with validate',
      jsonSchema(
        {},
        { validate: () => ({ success: false, error: new Error('path must be a text') }) },
      ),
      /path must be a text/,
    ],
    [
      'a schema that throws',
      jsonSchema(
        {},
        {
          validate: () => {
            throw new Error('no validator')
          },
        },
      ),
      /no validator/,
    ],
  ])(
    'that its schema refuses is an error result, and nobody is asked: %s',
    async (_name, schema, words) => {
      const given: unknown[] = []
      const { part } = await runOne(
        {
          tools: { read: { inputSchema: schema as never, execute: echo(given) } },
          toolApproval: { read: 'user-approval' },
        },
        { ...read, input: { path: 7 } as never },
      )
      expect(part).toMatchObject({ state: 'output-error', input: { path: 7 } })
      expect(part).toHaveProperty('errorText', expect.stringMatching(words))
      expect(given).toEqual([])
    },
  )

  it('is read again when it is approved after a reload', async () => {
    const given: unknown[] = []
    const tools = {
      tools: { read: { inputSchema: transformed, execute: echo(given) } },
      toolApproval: { read: 'user-approval' as const },
    }
    const before = createToolEngine([callTools(read)], tools)
    await before.engine.sendMessage('go')
    const { messages } = before.engine.getState()
    const { resume, completed } = createToolEngine([answer('ok')], tools, { messages })
    await resume({ toolCallId: '1' })
    await completed()
    expect(given).toEqual([{ path: 'A.TXT', lines: 10 }])
  })
})
