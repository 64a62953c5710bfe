import type { ToolSet } from 'ai'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools } from '../../testing/index.ts'
import { MAX_KEPT_LENGTH } from './kept-outputs.ts'
import type { ToolPluginOptions } from './options.ts'
import type { ReadToolOutputResult } from './commands.ts'

const inputSchema = z.object({})
const encoder = new TextEncoder()

/** Runs calls of one tool, one per output, and reads them. */
async function runCalls<TOOLS extends ToolSet>(
  outputs: readonly unknown[],
  more: ToolPluginOptions<TOOLS> = {},
) {
  const options: ToolPluginOptions = {
    tools: {
      run: {
        inputSchema,
        execute: (_input: unknown, { toolCallId }: { toolCallId: string }) => {
          const output = outputs[Number(toolCallId)]
          if (output instanceof Error) throw output
          return output
        },
      },
    },
    ...(more as ToolPluginOptions),
  }
  const calls = outputs.map((_output, index) => ({
    toolCallId: String(index),
    toolName: 'run',
    input: {},
  }))
  const made = createToolEngine([callTools(calls), answer('ok')], options, {})
  await made.engine.sendMessage('go')
  // Payloads that the types refuse, too.
  const read = (payload: unknown) =>
    made.engine.runPluginCommand('tool', 'readToolOutput', payload as never)
  /** Follows the pieces from an offset to the end. */
  async function readAll(toolCallId: string, from = 0): Promise<ReadToolOutputResult[]> {
    const pieces: ReadToolOutputResult[] = []
    for (let offset: number | undefined = from; offset !== undefined;) {
      const answered = await read({ toolCallId, offset })
      if (!answered.success) throw answered.error
      const piece = answered.result
      pieces.push(piece)
      offset = piece.nextOffset
    }
    return pieces
  }
  return { ...made, read, readAll }
}

describe('an output that was cut', () => {
  it('can be read whole from where its notice says, in pieces that fit', async () => {
    const whole = 'line of 16 bytes'.repeat(9_000)
    const { calls, readAll } = await runCalls([whole])
    const { output } = calls()[0] as { output: string }
    const offset = Number(/from byte offset (\d+)\.\]$/.exec(output)?.[1])
    const pieces = await readAll('0', offset)
    expect(pieces.map(({ text }) => text.length)).toEqual([51_200, 41_600])
    expect(pieces[0]).toMatchObject({ offset: 51_200, nextOffset: 102_400, totalBytes: 144_000 })
    expect(pieces[1]).not.toHaveProperty('nextOffset')
    const shown = output.slice(0, output.indexOf('\n[Output cut'))
    expect(shown + pieces.map(({ text }) => text).join('')).toBe(whole)
  })

  it('of which the end is shown can be read from its beginning', async () => {
    const { calls, readAll } = await runCalls(['a\nb\nc'], {
      maxOutputLines: 1,
      toolOptions: { run: { keep: 'tail' } },
    })
    expect(calls()[0]).toMatchObject({ output: expect.stringContaining('from byte offset 0.]\nc') })
    expect(await readAll('0')).toEqual([{ text: 'a\nb\nc', offset: 0, totalBytes: 5 }])
  })

  it('is kept without its secrets', async () => {
    const { readAll } = await runCalls([`${'x'.repeat(10)} hunter2 ${'y'.repeat(10)}`], {
      maxOutputBytes: 5,
      redact: (text) => text.replaceAll('hunter2', '***'),
    })
    const pieces = await readAll('0')
    expect(pieces.map(({ text }) => text).join('')).toBe('xxxxxxxxxx *** yyyyyyyyyy')
  })

  it('is the JSON of one that was no text, and the words of an error', async () => {
    const { readAll } = await runCalls([{ list: [1, 2, 3] }, new Error('e'.repeat(20))], {
      maxOutputBytes: 6,
    })
    expect(await readAll('0')).toMatchObject([{ text: '{"list":[1,2,3]}' }])
    expect(await readAll('1')).toMatchObject([{ text: 'e'.repeat(20) }])
  })

  it('is never read with a character cut, wherever it is read from', async () => {
    const text = fc
      .array(fc.constantFrom('a', 'é', '語', '😀', '\n', '\uFEFF'), { minLength: 1 })
      .map((characters) => characters.join(''))
    await fc.assert(
      fc.asyncProperty(text, fc.nat(), async (unit, seed) => {
        const whole = unit.repeat(Math.ceil(60_000 / unit.length))
        const { readAll } = await runCalls([whole])
        const bytes = encoder.encode(whole)
        const from = seed % (bytes.length + 1)
        const pieces = await readAll('0', from)
        const [first] = pieces
        const begin = first?.offset ?? Number.NaN
        expect(begin).toBeLessThanOrEqual(from)
        expect(from - begin).toBeLessThan(4)
        expect(pieces.map((piece) => piece.text).join('')).toBe(
          new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(begin)),
        )
        for (const piece of pieces) {
          expect(encoder.encode(piece.text).length).toBeLessThanOrEqual(51_200)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('is gone when newer ones need its room', async () => {
    const half = 'x'.repeat(MAX_KEPT_LENGTH / 2)
    const { read } = await runCalls([half, half, 'short\nbut cut'], {
      maxOutputLines: 1,
      maxOutputBytes: 5,
    })
    expect(await read({ toolCallId: '0' })).toMatchObject({
      success: false,
      error: { code: 'output_gone', details: { toolCallId: '0' } },
    })
    expect(await read({ toolCallId: '1' })).toMatchObject({ success: true })
    expect(await read({ toolCallId: '2' })).toMatchObject({ success: true })
  })

  it('is gone in another engine, which was given the messages', async () => {
    const { engine } = await runCalls(['a\nb'], { maxOutputLines: 1 })
    const options: ToolPluginOptions = {}
    const other = createToolEngine([], options, {
      messages: engine.getState().messages,
    })
    expect(
      await other.engine.runPluginCommand('tool', 'readToolOutput', { toolCallId: '0' }),
    ).toMatchObject({ error: { code: 'output_gone' } })
  })
})

describe('an output that was never cut', () => {
  it.each([
    ['a text', 'plain\n', 'plain\n'],
    ['an object', { a: [1] }, '{"a":[1]}'],
    ['nothing', undefined, 'null'],
    ['an empty text', '', ''],
    ['an error', new Error('failed'), 'failed'],
  ])('is read from the call itself: %s', async (_name, output, text) => {
    const { read } = await runCalls([output])
    expect(await read({ toolCallId: '0' })).toEqual({
      success: true,
      result: { text, offset: 0, totalBytes: text.length },
    })
  })
})

describe('what cannot be read', () => {
  it.each([
    ['no such call', { toolCallId: '9' }, 'unknown_tool_call'],
    ['an offset beyond the end', { toolCallId: '0', offset: 5 }, 'invalid_argument'],
    ['a negative offset', { toolCallId: '0', offset: -1 }, 'invalid_argument'],
    ['a broken offset', { toolCallId: '0', offset: 0.5 }, 'invalid_argument'],
    ['an endless offset', { toolCallId: '0', offset: Infinity }, 'invalid_argument'],
    ['an offset in words', { toolCallId: '0', offset: '1' }, 'invalid_argument'],
    ['no payload', undefined, 'invalid_argument'],
  ])('is refused: %s', async (_name, payload, code) => {
    const { read } = await runCalls(['four'])
    expect(await read(payload)).toMatchObject({ success: false, error: { code } })
    expect(await read({ toolCallId: '0', offset: 4 })).toEqual({
      success: true,
      result: { text: '', offset: 4, totalBytes: 4 },
    })
  })

  it('is a call without an output', async () => {
    const options = {
      tools: { run: { inputSchema, execute: () => 'x' } },
      toolApproval: { run: 'user-approval' as const },
    }
    const { engine } = createToolEngine(
      [callTools({ toolCallId: '0', toolName: 'run', input: {} })],
      options,
    )
    await engine.sendMessage('go')
    expect(
      await engine.runPluginCommand('tool', 'readToolOutput', { toolCallId: '0' }),
    ).toMatchObject({ error: { code: 'output_gone' } })
  })
})
