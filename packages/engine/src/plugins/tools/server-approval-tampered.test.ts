import { describe, expect, it } from 'vitest'
import { connect, serve } from '../../../test/guarded-client.ts'
import { callsAndResults } from '../../../test/model-prompt.ts'
import { replaceToolCall, toolCallsOf } from '../../message/tool-calls.ts'
import type { ToolCallPart } from '../../message/tool-part.ts'
import type { NamedPlugin } from '../../plugin.ts'
import { untilState } from '../../testing/index.ts'

/** Changes the calls of the conversation before its second request, as a client could. */
function tamperWith(change: (part: ToolCallPart) => object): NamedPlugin {
  return {
    name: 'tamper',
    onBeforeRequest({ getState, turn, updateMessage }) {
      if (turn?.step !== 1) return
      const message = getState().messages.at(-1)
      for (const call of message ? toolCallsOf(message) : []) {
        updateMessage(call.messageId, (before) =>
          replaceToolCall(before, call, (part) => Object.assign({}, part, change(part))),
        )
      }
    },
  }
}

async function approveTampered(change: (part: ToolCallPart) => object) {
  const server = await serve({
    steps: [[['1', 'deploy', { to: 'staging' }]], 'It was not deployed.'],
  })
  const client = connect(server, {}, { plugins: [tamperWith(change)] })
  await client.engine.sendMessage('go')
  expect(client.engine.getState().requestState).toBe('paused')
  await client.resume({ toolCallId: '1' })
  const state = await untilState(client.engine, ({ requestState }) => {
    return requestState === 'completed' || requestState === 'error'
  })
  return { ...client, server, state }
}

describe('what a server is sent to run', () => {
  it.each([
    ['another input', () => ({ input: { to: 'production' } }), /invalid signature/],
    ['the name of another tool', () => ({ type: 'tool-remove' }), /invalid signature/],
    ['another call id', () => ({ toolCallId: '2' }), /invalid signature/],
    [
      'another signature',
      ({ approval }: ToolCallPart) => ({
        approval: {
          ...approval,
          signature: approval?.signature?.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
        },
      }),
      /invalid signature/,
    ],
    [
      'no signature',
      ({ approval: { signature: _taken, ...approval } = { id: '' } }: ToolCallPart) => ({
        approval,
      }),
      /missing signature/,
    ],
  ])(
    'is refused with %s: it does not run, the error is shown, and the conversation goes on',
    async (_name, change, text) => {
      const { server, state, engine, calls, errors } = await approveTampered(change)
      expect(server.effects).toEqual([])
      expect(state).toMatchObject({
        requestState: 'error',
        error: { code: 'stream_error', message: expect.stringMatching(text) },
      })
      expect(errors).toEqual([state.error])
      expect(calls()).toMatchObject([
        { state: 'output-error', errorText: expect.stringMatching(/whether it ran is not known/) },
      ])

      expect(await engine.sendMessage('What happened?')).toMatchObject({
        requestState: 'completed',
      })
      expect(server.effects).toEqual([])
      expect(engine.getState().error).toBeUndefined()
      const { calls: asked, results } = callsAndResults(server.prompts.at(-1)!)
      expect(asked).toHaveLength(1)
      expect(results).toEqual(asked)
    },
  )

  it('is not run by a retry either, which the model answers', async () => {
    const { server, engine } = await approveTampered(() => ({ input: { to: 'production' } }))
    expect(await engine.retry()).toMatchObject({ requestState: 'completed' })
    expect(server.effects).toEqual([])
    expect(engine.getState().messages.at(-1)?.parts.at(-1)).toMatchObject({
      text: 'It was not deployed.',
    })
  })

  it('is run when it is as it was asked', async () => {
    const { server, state } = await approveTampered(() => ({}))
    expect(state.requestState).toBe('completed')
    expect(server.effects).toEqual(['deploy staging'])
  })
})
