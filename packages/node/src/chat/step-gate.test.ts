import { isWaiting } from '@assent/engine'
import { isToolUIPart, tool, type UIMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import { connectEngine } from '../../test/chat-client.ts'
import { callsAndResults, inputSchema, mixed, startGated } from '../../test/gated-server.ts'
import { rawChat } from '../../test/raw-chat.ts'
import type { ModelStep } from '../../test/scripted-model.ts'

describe('a page that leaves a call of a step out', () => {
  test.each([
    ['the one that asks', (id: string) => id !== '2'],
    ['one that asks, of two', (id: string) => id !== '4'],
    ['one that it runs itself', (id: string) => id !== '5'],
  ])('starts nothing of the rest: %s', async (_name, isSent) => {
    const step = [...mixed, ['4', 'drop', { to: 'd' }], ['5', 'here', {}]] satisfies ModelStep
    const { api, effects } = await startGated([step, 'All done.'])
    const chat = connectEngine(api, {
      tools: { here: tool({ inputSchema, execute: () => 'here' }) },
    })
    await chat.engine.sendMessage('go')
    const messages = structuredClone(chat.engine.getState().messages) as UIMessage[]
    for (const message of messages) {
      message.parts = message.parts.filter((part) => !isToolUIPart(part) || isSent(part.toolCallId))
      for (const part of message.parts) {
        if (!isToolUIPart(part)) continue
        if (part.state === 'approval-requested') {
          const approval = { ...part.approval, approved: true }
          Object.assign(part, { state: 'approval-responded', approval })
        } else if (part.type === 'tool-here') {
          Object.assign(part, { state: 'output-available', output: 'here' })
        }
      }
    }
    const refused = await rawChat(api).post(messages, { id: chat.engine.id })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: { code: 'bad-approval' } })
    expect(effects).toEqual([])
  })
})

describe('a step with a call that asks', () => {
  test('runs none of its calls before the answer, and all of them after it', async () => {
    const { api, effects, model, errors } = await startGated([mixed, 'All done.'])
    const chat = connectEngine(api)
    expect(await chat.engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    expect(effects).toEqual([])
    expect(chat.calls()).toMatchObject([
      { state: 'approval-responded', approval: { isAutomatic: true, approved: true } },
      { state: 'approval-requested', approval: { signature: expect.any(String) } },
      { state: 'approval-responded', approval: { isAutomatic: true, approved: true } },
    ])
    expect(chat.calls().filter(isWaiting)).toHaveLength(1)

    await chat.resume({ toolCallId: '2' })
    await chat.completed()
    expect(effects).toEqual(['look a', 'send b', 'look c'])
    expect(chat.calls()).toMatchObject([
      { state: 'output-available', output: 'look a: done' },
      { state: 'output-available', output: 'send b: done' },
      { state: 'output-available', output: 'look c: done' },
    ])
    expect(callsAndResults(model.doStreamCalls[1]?.prompt)).toEqual({
      calls: ['1', '2', '3'],
      results: ['1', '2', '3'],
    })
    expect(chat.text()).toBe('All done.')
    expect(chat.engine.getState().messages).toHaveLength(2)
    expect(errors).toEqual([])
  })

  test('runs the others also after a denial', async () => {
    const { api, effects, model } = await startGated([mixed, 'Without it, then.'])
    const chat = connectEngine(api)
    await chat.engine.sendMessage('go')
    await chat.resume({ toolCallId: '2', outcome: 'no', reason: 'not him' })
    await chat.completed()
    expect(effects).toEqual(['look a', 'look c'])
    expect(chat.calls().map(({ state }) => state)).toEqual([
      'output-available',
      'output-denied',
      'output-available',
    ])
    const { prompt } = model.doStreamCalls[1] ?? {}
    expect(callsAndResults(prompt).results).toEqual(['1', '2', '3'])
    expect(JSON.stringify(prompt)).toContain('The person denied this call; it did not run.')
  })

  test('waits for the last of several decisions', async () => {
    const { api, effects, model } = await startGated([
      [...mixed, ['4', 'drop', { to: 'd' }]],
      'All done.',
    ])
    const chat = connectEngine(api)
    await chat.engine.sendMessage('go')
    await chat.resume({ toolCallId: '4' })
    expect(chat.engine.getState().requestState).toBe('paused')
    expect(effects).toEqual([])
    await chat.resume({ toolCallId: '2' })
    await chat.completed()
    expect(effects).toEqual(['look a', 'send b', 'look c', 'drop d'])
    expect(model.doStreamCalls).toHaveLength(2)
  })

  test('gives the results in the order of the calls, whichever ends first', async () => {
    const slow = Promise.withResolvers<string>()
    const { api, model } = await startGated(
      [
        [
          ['1', 'slow', { to: 'a' }],
          ['2', 'send', { to: 'b' }],
        ],
        'Done.',
      ],
      {
        tools: {
          slow: tool({ inputSchema, execute: () => slow.promise }),
          send: tool({
            inputSchema,
            execute: () => {
              setImmediate(() => slow.resolve('slow'))
              return 'sent'
            },
          }),
        },
        toolApproval: { send: 'user-approval' },
      },
    )
    const chat = connectEngine(api)
    await chat.engine.sendMessage('go')
    await chat.resume({ toolCallId: '2' })
    await chat.completed()
    expect(callsAndResults(model.doStreamCalls[1]?.prompt).results).toEqual(['1', '2'])
  })

  test('does not hold the calls of the next step, which asks nobody', async () => {
    const { api, effects } = await startGated([mixed, [['1', 'look', { to: 'e' }]], 'Done.'])
    const chat = connectEngine(api)
    await chat.engine.sendMessage('go')
    await chat.resume({ toolCallId: '2' })
    await chat.completed()
    expect(effects).toEqual(['look a', 'send b', 'look c', 'look e'])
    expect(chat.text()).toBe('Done.')
  })

  test('leaves a valid history when it is left for another message', async () => {
    const { api, effects, model } = await startGated([mixed, 'Something else, then.'])
    const chat = connectEngine(api, {}, { whenBusy: 'queue' })
    await chat.engine.sendMessage('go')
    await chat.engine.abort()
    await chat.engine.sendMessage('something else')
    expect(effects).toEqual([])
    expect(chat.text()).toBe('Something else, then.')
    const { calls, results } = callsAndResults(model.doStreamCalls[1]?.prompt)
    expect(results).toEqual(calls)
  })

  test('asks a person about what the rules ask about by the time of the answer', async () => {
    let isLookFree = true
    const { api, effects } = await startGated([mixed, 'Looking needs a yes by now.'], {
      toolApproval: ({ toolCall }) =>
        toolCall.toolName === 'look' && isLookFree ? 'not-applicable' : 'user-approval',
    })
    const chat = connectEngine(api)
    await chat.engine.sendMessage('go')
    isLookFree = false
    await chat.resume({ toolCallId: '2' })
    await chat.completed()
    expect(effects).toEqual(['send b'])
    expect(chat.calls()).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('Call it again') },
      { state: 'output-available' },
      { state: 'output-error' },
    ])
  })

  test('asks about a call whose rule fails', async () => {
    const { api, effects, errors } = await startGated([[['1', 'look', { to: 'a' }]], 'Done.'], {
      toolApproval: () => {
        throw new Error('no rules today')
      },
    })
    const chat = connectEngine(api)
    expect(await chat.engine.sendMessage('go')).toMatchObject({ requestState: 'paused' })
    expect(effects).toEqual([])
    expect(chat.calls()[0]?.approval?.requestReason).toBe('The check of this call failed.')
    expect(errors).toMatchObject([{ message: 'no rules today' }])
  })
})

describe('a step without one', () => {
  test('runs at once', async () => {
    const { api, effects, model } = await startGated([[['1', 'look', { to: 'a' }]], 'Done.'])
    const chat = connectEngine(api)
    expect(await chat.engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(effects).toEqual(['look a'])
    expect(model.doStreamCalls).toHaveLength(2)
  })

  test('runs at once when its rule says yes, and nobody could run it again', async () => {
    const { api, effects } = await startGated([[['1', 'look', { to: 'a' }]], 'Done.'], {
      toolApproval: { look: { type: 'approved', reason: 'always' } },
    })
    const chat = connectEngine(api)
    await chat.engine.sendMessage('go')
    expect(effects).toEqual(['look a'])
    expect(chat.calls()).toMatchObject([
      { state: 'output-available', approval: { isAutomatic: true, approved: true } },
    ])
    expect(chat.calls()[0]?.approval?.signature).toBeUndefined()
  })
})

describe('with the gate of each call', () => {
  test('what is free runs at once, as the AI SDK does by itself', async () => {
    const { api, effects } = await startGated([mixed, 'Done.'], { gate: 'call' })
    const chat = connectEngine(api)
    await chat.engine.sendMessage('go')
    expect(effects).toEqual(['look a', 'look c'])
    await chat.resume({ toolCallId: '2' })
    await chat.completed()
    expect(effects).toEqual(['look a', 'look c', 'send b'])
  })
})
