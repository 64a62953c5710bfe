import { jsonSchema } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connect, serve } from '../../../test/guarded-client.ts'
import { callOf, guardedTools } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools } from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'

async function oneWaiting(more: ToolPluginOptions = {}) {
  const { options } = guardedTools(more)
  const made = createToolEngine([callTools(callOf('1')), answer('ok')], options)
  await made.engine.sendMessage('go')
  const read = (toolCallId = '1') =>
    made.engine.runPluginCommand('tool', 'readInputSchema', { toolCallId })
  return { ...made, read }
}

const write = (inputSchema: NonNullable<ToolPluginOptions['tools']>[string]['inputSchema']) => ({
  tools: { write: { inputSchema, execute: () => 'done' } },
})

describe('readInputSchema', () => {
  it('tells the JSON Schema of the input of a call that runs here', async () => {
    const { read } = await oneWaiting()
    expect(await read()).toMatchObject({
      success: true,
      result: {
        schema: {
          type: 'object',
          properties: { path: { type: 'string' } },
          required: ['path'],
        },
      },
    })
  })

  it('tells nothing for a schema that validates but cannot be told as JSON Schema', async () => {
    const inputSchema = {
      '~standard': {
        version: 1 as const,
        vendor: 'own',
        validate: (value: unknown) => ({ value }),
      },
    }
    const { read } = await oneWaiting(write(inputSchema as never))
    expect(await read()).toEqual({ success: true, result: {} })
  })

  it('is refused where the input cannot be edited, and says why', async () => {
    const { read } = await oneWaiting(write(jsonSchema({ type: 'object' })))
    expect(await read()).toMatchObject({
      success: false,
      error: { code: 'not_editable', message: expect.stringContaining('a schema that validates') },
    })
    expect(await read('none')).toMatchObject({ error: { code: 'unknown_tool_call' } })
    const server = await serve({ steps: [[['1', 'deploy', { to: 'eu' }]], 'Done.'] })
    const { engine } = connect(server)
    await engine.sendMessage('go')
    expect(
      await engine.runPluginCommand('tool', 'readInputSchema', { toolCallId: '1' }),
    ).toMatchObject({
      error: { code: 'not_editable', message: expect.stringContaining('executed elsewhere') },
    })
  })
})

describe('the refusal of an edited input', () => {
  it.each([
    ['a Standard Schema', z.object({ path: z.string(), tags: z.array(z.string()).optional() })],
    [
      'a schema of the AI SDK',
      jsonSchema<{ path: string }>(
        { type: 'object' },
        {
          validate: (value) => {
            const parsed = z
              .object({ path: z.string(), tags: z.array(z.string()).optional() })
              .safeParse(value)
            return parsed.success
              ? { success: true, value: parsed.data }
              : { success: false, error: parsed.error }
          },
        },
      ),
    ],
  ])('has the path and message of each issue, with %s', async (_, inputSchema) => {
    const { resume } = await oneWaiting(write(inputSchema))
    expect(await resume({ toolCallId: '1', input: { path: 1, tags: ['a', 2] } })).toMatchObject({
      error: {
        code: 'invalid_input',
        details: {
          toolCallId: '1',
          issues: [
            { path: ['path'], message: expect.stringContaining('string') },
            { path: ['tags', 1], message: expect.stringContaining('string') },
          ],
        },
      },
    })
  })
})
