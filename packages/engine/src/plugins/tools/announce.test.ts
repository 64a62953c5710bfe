import { jsonSchema, zodSchema, type Tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools } from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'

const zod = z.object({ path: z.string().describe('where'), lines: z.number().default(10) })
const path = { path: { type: 'string', description: 'where' } }
const execute = () => 'done'

/** What a request says about the tools. */
async function announced(options: ToolPluginOptions): Promise<unknown> {
  const { engine, transport } = createToolEngine([answer('ok')], options)
  await engine.sendMessage('go')
  return transport.requests[0]?.body['tools']
}

describe('the announcement of tools', () => {
  it('is not made unless asked for', async () => {
    expect(await announced({ tools: { read: { inputSchema: zod, execute } } })).toBeUndefined()
  })

  it('names the tools that run here or wait for an answer, as they are given', async () => {
    const tools = {
      write: { description: 'Writes a file', inputSchema: zod, execute },
      ask: { inputSchema: zod },
      search: {
        type: 'provider',
        isProviderExecuted: true,
        id: 'a.search',
        args: {},
        inputSchema: zod,
      },
      read: { inputSchema: zod, execute },
    } satisfies ToolPluginOptions['tools']
    expect(await announced({ tools, announceTools: true })).toEqual([
      { name: 'write', description: 'Writes a file', inputSchema: expect.any(Object) },
      { name: 'ask', inputSchema: expect.any(Object) },
      { name: 'read', inputSchema: expect.any(Object) },
    ])
    expect(await announced({ tools, announceTools: true, callTool: execute })).toMatchObject([
      { name: 'write' },
      { name: 'ask' },
      { name: 'search' },
      { name: 'read' },
    ])
  })

  it.each([
    ['zod', zod],
    ['zodSchema', zodSchema(zod)],
    ['a lazy schema', () => zodSchema(zod)],
    ['jsonSchema', jsonSchema({ type: 'object', properties: path, required: ['path'] })],
    [
      'jsonSchema that is still loading',
      jsonSchema(
        Promise.resolve({ type: 'object' as const, properties: path, required: ['path'] }),
      ),
    ],
    [
      'a Standard JSON Schema',
      {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: (value: unknown) => ({ value }),
          jsonSchema: {
            input: ({ target }: { target: string }) => ({
              $schema: target,
              type: 'object',
              properties: path,
              required: ['path'],
            }),
          },
        },
      },
    ],
  ])('describes the input as JSON Schema: %s', async (_name, inputSchema) => {
    const tool = { inputSchema, execute } as Tool
    expect(await announced({ tools: { read: tool }, announceTools: true })).toMatchObject([
      { name: 'read', inputSchema: { type: 'object', properties: path, required: ['path'] } },
    ])
  })

  it('describes a tool by what its description function makes of its context', async () => {
    const tools: ToolPluginOptions['tools'] = {
      read: {
        inputSchema: zod,
        execute,
        description: ({ context }: { context: unknown }) => `Reads for ${JSON.stringify(context)}`,
      },
      constructor: {
        inputSchema: zod,
        execute,
        description: ({ context }: { context: unknown }) => `Knows ${typeof context}`,
      },
    }
    const toolsContext = { read: { user: 'ada' } }
    expect(await announced({ tools, toolsContext, announceTools: true })).toMatchObject([
      { description: 'Reads for {"user":"ada"}' },
      { description: 'Knows undefined' },
    ])
  })

  it('is in every request of a turn, beside what the app sends', async () => {
    const call = { toolCallId: '1', toolName: 'read', input: { path: 'a' } }
    const { engine, transport } = createToolEngine(
      [callTools(call), answer('ok')],
      { tools: { read: { inputSchema: zod, execute } }, announceTools: true },
      { request: { body: { model: 'small' } } },
    )
    await engine.sendMessage('go')
    expect(transport.requests.map(({ body }) => body)).toEqual([
      { model: 'small', tools: [expect.objectContaining({ name: 'read' })] },
      { model: 'small', tools: [expect.objectContaining({ name: 'read' })] },
    ])
  })

  it('fails the turn with words that help when a schema cannot tell its JSON Schema', async () => {
    const opaque = { '~standard': { version: 1, vendor: 'test', validate: () => ({ value: 1 }) } }
    const { engine, transport } = createToolEngine([answer('ok')], {
      tools: { read: { inputSchema: opaque, execute } as never },
      announceTools: true,
    })
    const { error } = await engine.sendMessage('go')
    expect(error).toMatchObject({
      name: 'EngineError',
      message: expect.stringMatching(/"read" cannot be announced.*jsonSchema\(\) or zodSchema\(\)/),
    })
    expect(engine.getState()).toMatchObject({ requestState: 'error', error })
    expect(transport.requests).toHaveLength(0)
  })
})
