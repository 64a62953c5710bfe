import { isDeepStrictEqual } from 'node:util'
import { safeValidateUIMessages, type UIMessage, type UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callsAndResults, promptOf } from '../test/model-prompt.ts'
import { createToolEngine, type ToolEngine } from '../test/tool-engine.ts'
import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  stepChunks,
  toolCallChunks,
  untilState,
} from './testing/index.ts'

const call = (toolCallId: string, toolName: string) => ({ toolCallId, toolName, input: { n: 1 } })
const calls = [
  call('1', 'free'),
  call('2', 'asked'),
  call('3', 'forbidden'),
  call('4', 'failing'),
  call('5', 'unknown'),
  { ...call('6', 'free'), input: 'invalid' },
  { ...call('7', 'approved'), dynamic: true },
]
const ids = calls.map(({ toolCallId }) => toolCallId)
const inputSchema = z.object({ n: z.number() })

function setUp(script: Parameters<typeof createToolEngine>[0], free: () => unknown = () => 'done') {
  return createToolEngine(
    script,
    {
      tools: {
        free: { inputSchema, execute: free },
        asked: { inputSchema, execute: () => 'done' },
        approved: { inputSchema, execute: () => 'x\n'.repeat(5_000) },
        forbidden: { inputSchema, execute: () => expect.unreachable('it is denied') },
        failing: { inputSchema, execute: () => Promise.reject(new Error('disk full')) },
      },
      toolApproval: {
        asked: { type: 'user-approval', reason: 'It writes.' },
        forbidden: { type: 'denied', reason: 'never' },
        approved: 'approved',
      },
    },
    { ignoreAbort: true },
  )
}

/** What the AI SDK makes of the history that the next message carries. */
async function nextHistory({ engine, transport }: ToolEngine) {
  transport.add(answer('next answer'))
  const { requestState } = await engine.sendMessage('and now?')
  const sent = transport.requests.at(-1)?.messages ?? []
  const { success: isValid } = await safeValidateUIMessages({ messages: [...sent] })
  const isJson = isDeepStrictEqual(JSON.parse(JSON.stringify(sent)), sent)
  const { prompt, errors } = await promptOf(sent)
  return { requestState, isValid, isJson, errors, ...callsAndResults(prompt ?? []) }
}

/** Every call is there and has exactly one result, in call order. */
function accepted(...callIds: string[]) {
  return {
    requestState: 'completed',
    isValid: true,
    isJson: true,
    errors: [],
    calls: callIds,
    results: callIds,
  }
}

describe('the history that the next message carries', () => {
  it.each(['yes', 'no'] as const)(
    'is accepted after a turn of all kinds of calls and a %s',
    async (outcome) => {
      const made = setUp([callTools(calls), answer('ok')])
      await made.engine.sendMessage('go')
      await made.resume({ toolCallId: '2', outcome, reason: 'because' })
      await made.completed()
      expect(await nextHistory(made)).toEqual(accepted(...ids))
    },
  )

  it('is accepted after an abort while a person is asked', async () => {
    const made = setUp([callTools(calls)])
    await made.engine.sendMessage('go')
    await made.engine.abort()
    expect(await nextHistory(made)).toEqual(accepted(...ids))
  })

  it('is accepted after an abort while a tool runs', async () => {
    const started = Promise.withResolvers<void>()
    const made = setUp([callTools(calls.slice(0, 1))], () => {
      started.resolve()
      return new Promise(() => undefined)
    })
    void made.engine.sendMessage('go')
    await started.promise
    await made.engine.abort()
    expect(await nextHistory(made)).toEqual(accepted('1'))
  })

  /** All chunks of a step but the end of the response. */
  const cutOff = callTools([...calls.slice(0, 2), call('8', 'free')]).slice(0, -4)

  it.each<[string, UIMessageChunk[]]>([
    ['the stream fails', [{ type: 'error', errorText: 'overloaded' }]],
    ['the stream ends without finish', []],
    [
      'the same id comes twice in a step',
      [{ type: 'tool-input-start', toolCallId: '1', toolName: 'free' }],
    ],
  ])('is accepted when %s in the middle of calls', async (_name, end) => {
    const made = setUp([[...cutOff, ...end]])
    expect(await made.engine.sendMessage('go')).toMatchObject({ requestState: 'error' })
    expect(await nextHistory(made)).toEqual(accepted('1', '2', '8'))
  })

  it('is accepted when a stream is aborted in the middle of an input', async () => {
    const made = setUp([])
    const held = made.transport.hold()
    void made.engine.sendMessage('go')
    await held.push(...cutOff)
    await made.engine.abort()
    expect(await nextHistory(made)).toEqual(accepted('1', '2', '8'))
  })

  it('is accepted when a provider uses the same id in every step', async () => {
    const made = setUp([callTools(calls[0]!), callTools(calls[0]!), answer('ok')])
    await made.engine.sendMessage('go')
    expect(await nextHistory(made)).toEqual(accepted('1', '1'))
  })

  it('is accepted when the server never ran what was approved', async () => {
    const made = setUp([
      responseChunks(
        { messageId: 'answer', finishReason: 'tool-calls' },
        stepChunks(toolCallChunks(calls[4]!), approvalRequestChunks({ toolCallId: '5' })),
      ),
      new Error('model down'),
    ])
    await made.engine.sendMessage('go')
    await made.resume({ toolCallId: '5' })
    await untilState(made.engine, ({ requestState }) => requestState === 'error')
    expect(await nextHistory(made)).toEqual(accepted('5'))
  })

  it('is accepted in a new engine that was given the messages while a person was asked', async () => {
    const first = setUp([callTools(calls)])
    await first.engine.sendMessage('go')
    const messages = JSON.parse(JSON.stringify(first.engine.getState().messages)) as UIMessage[]
    const second = createToolEngine([], {}, { messages })
    await second.engine.abort()
    expect(await nextHistory(second)).toEqual(accepted(...ids))
  })
})
