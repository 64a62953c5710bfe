import { previewOf, toolCallStatus } from '@assent/engine'
import { untilState } from '@assent/engine/testing'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import {
  answered,
  ask,
  asked,
  callsOf,
  decided,
  errorOf,
  HOUR,
  inputSchema,
  startAsking,
  type Part,
} from '../../test/asking-server.ts'
import { connectEngine } from '../../test/chat-client.ts'

describe('an approval', () => {
  test('runs its call, and only in the conversation and for the user that it was asked of', async () => {
    const server = await startAsking([ask, 'Sent.'], {
      authorize: (request) => request.headers.get('x-user'),
    })
    const headers = { 'x-user': 'ada' }
    const messages = decided(await asked(server, { headers }), true)
    for (const options of [{ id: 'other', headers }, { headers: { 'x-user': 'eve' } }]) {
      const refused = await errorOf(await server.chat.post(messages, options))
      expect(refused).toMatchObject({ status: 400, code: 'bad-approval' })
      expect(refused.message).toContain('is not the call that this server asked about')
    }
    expect(server.effects).toEqual([])
    const after = await answered(messages, await server.chat.post(messages, { headers }))
    expect(server.effects).toEqual(['send ada'])
    expect(callsOf(after)).toMatchObject([{ state: 'output-available', output: 'receipt 1' }])
  })

  const OTHER = 'is not the call that this server asked about'
  const UNSIGNED = 'has no signature of this server'
  test.each<[string, string, (part: Part) => object]>([
    ['another input', OTHER, () => ({ input: { to: 'eve' } })],
    ['another call', OTHER, () => ({ toolCallId: '2' })],
    [
      'another request',
      OTHER,
      ({ approval }) => ({ approval: { ...approval, id: 'x', approved: true } }),
    ],
    [
      'no signature',
      UNSIGNED,
      ({ approval }) => ({ approval: { id: approval?.id, approved: true, requestReason: '' } }),
    ],
    [
      'a cut signature',
      UNSIGNED,
      ({ approval }) => ({
        approval: { ...approval, approved: true, signature: approval?.signature?.slice(0, -1) },
      }),
    ],
    [
      'a signature of the rules',
      OTHER,
      ({ approval }) => ({
        approval: {
          ...approval,
          approved: true,
          signature: approval?.signature?.replace('.p.', '.r.'),
        },
      }),
    ],
  ])('with %s is refused for this one cause, and nothing runs', async (_, cause, change) => {
    const server = await startAsking([ask])
    const messages = decided(await asked(server), true, change)
    const refused = await errorOf(await server.chat.post(messages))
    expect(refused).toMatchObject({
      status: 400,
      code: 'bad-approval',
      refused: [{ isOpen: false }],
    })
    expect(refused.message).toContain('Nothing was run')
    expect(refused.message).toContain(cause)
    expect(server.effects).toEqual([])
  })

  test('with another call of the same id beside it runs nothing that was not approved', async () => {
    const server = await startAsking([ask, 'Hm.'])
    const messages = decided(await asked(server), true)
    const answer = messages.at(-1)
    answer?.parts.push({
      type: 'tool-send',
      toolCallId: '1',
      state: 'output-available',
      input: { to: 'eve' },
      output: 'as if',
    })
    await (await server.chat.post(messages)).text()
    expect(server.effects).toEqual([])
  })

  test('in a step that was closed by another one runs nothing', async () => {
    const server = await startAsking([ask, 'Hm.'])
    const messages = decided(await asked(server), true)
    messages.at(-1)?.parts.push({ type: 'step-start' })
    await (await server.chat.post(messages)).text()
    expect(server.effects).toEqual([])
  })

  test('is not taken while another call of its step is open', async () => {
    const server = await startAsking([[...ask, ['2', 'send', { to: 'bob' }]]])
    const messages = decided(await asked(server), true, (part) =>
      part.toolCallId === '2' ? structuredClone(part) : {},
    )
    expect(callsOf(messages).map(({ state }) => state)).toEqual([
      'approval-responded',
      'approval-requested',
    ])
    const refused = await errorOf(await server.chat.post(messages))
    expect(refused).toMatchObject({ status: 400, code: 'open-call' })
    expect(refused.message).toContain('The call 2 has neither')
    expect(server.effects).toEqual([])
  })

  test('comes too late after its time, which the page is told; a denial does not', async () => {
    const server = await startAsking([ask, 'Too late, then.', ask, 'As you wish.'], {
      approvalMaxAgeMs: HOUR,
    })
    const paused = await asked(server)
    const issuedAt = server.clock.now
    expect(callsOf(paused)[0]?.approval?.descriptor).toEqual({ expiresAt: issuedAt + HOUR })
    server.clock.now += HOUR + 1
    const late = decided(paused, true)
    const told = await answered(late, await server.chat.post(late))
    expect(callsOf(told)).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('came too late') },
    ])
    expect(server.effects).toEqual([])
    server.clock.now = issuedAt
    const another = await asked(server)
    server.clock.now += HOUR + 1
    const denied = decided(another, false)
    const after = await answered(denied, await server.chat.post(denied))
    expect(callsOf(after)).toMatchObject([{ state: 'output-denied' }])
  })

  test('lets what was held run no more when it was held for too long', async () => {
    const look = tool({ inputSchema, execute: () => 'looked' })
    const send = tool({ inputSchema, execute: () => 'sent' })
    const server = await startAsking([[['0', 'look', { to: 'x' }], ...ask], 'Late.'], {
      approvalMaxAgeMs: HOUR,
      tools: { look, send },
    })
    const paused = await asked(server)
    server.clock.now += HOUR + 1
    const denied = decided(paused, false)
    const after = await answered(denied, await server.chat.post(denied))
    expect(callsOf(after)).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('waited too long') },
      { state: 'output-denied' },
    ])
  })

  test('that is posted twice runs once, and both answers have the outcome', async () => {
    const server = await startAsking([ask, 'Sent.'])
    const messages = decided(await asked(server), true)
    const [once, twice] = [
      await answered(messages, await server.chat.post(messages)),
      await answered(messages, await server.chat.post(messages)),
    ]
    expect(server.effects).toEqual(['send ada'])
    for (const after of [once, twice]) {
      expect(callsOf(after)).toMatchObject([{ state: 'output-available', output: 'receipt 1' }])
    }
    expect(server.model.doStreamCalls).toHaveLength(2)
  })

  test('whose call failed gives the same failure again', async () => {
    const server = await startAsking([ask, 'It failed.', 'It failed.'], {}, () => {
      throw new Error('no such address')
    })
    const messages = decided(await asked(server), true)
    for (let count = 0; count < 2; count++) {
      const after = await answered(messages, await server.chat.post(messages))
      expect(callsOf(after)).toMatchObject([
        { state: 'output-error', errorText: 'Error: no such address' },
      ])
    }
    expect(server.effects).toEqual(['send ada'])
  })

  test('whose call streams gives its last output again', async () => {
    const server = await startAsking([ask, 'Sent.', 'Sent.'], {}, async function* () {
      yield 'under way'
      yield 'arrived'
    })
    const messages = decided(await asked(server), true)
    for (let count = 0; count < 2; count++) {
      const after = await answered(messages, await server.chat.post(messages))
      expect(callsOf(after)).toMatchObject([{ state: 'output-available', output: 'arrived' }])
    }
    expect(server.effects).toEqual(['send ada'])
  })

  test('is overruled by a rule that denies by then', async () => {
    let isAllowed = true
    const server = await startAsking([ask, 'Not allowed.'], {
      toolApproval: () => (isAllowed ? 'user-approval' : { type: 'denied', reason: 'closed' }),
    })
    const messages = decided(await asked(server), true)
    isAllowed = false
    await (await server.chat.post(messages)).text()
    expect(server.effects).toEqual([])
    expect(JSON.stringify(server.model.doStreamCalls[1]?.prompt)).toContain('closed')
  })

  test('that a rule overruled lets the conversation go on', async () => {
    let isAllowed = true
    const server = await startAsking([ask, 'Not allowed.', 'Hello.'], {
      toolApproval: () => (isAllowed ? 'user-approval' : 'denied'),
    })
    const page = connectEngine(server.api)
    await page.engine.sendMessage('go')
    isAllowed = false
    await page.resume({ toolCallId: '1' })
    await page.completed()
    expect(page.calls()).toMatchObject([{ state: 'output-denied' }])
    expect(await page.engine.sendMessage('and now?')).toMatchObject({ requestState: 'completed' })
    expect(page.text()).toBe('Hello.')
  })
})

describe('an engine whose server asks', () => {
  test('shows what the call would do, if the server can say', async () => {
    const { api, errors } = await startAsking([[...ask, ['2', 'send', { to: 'nobody' }]]], {
      previewCall: async ({ toolName, input }, { chatId }) => {
        if (JSON.stringify(input).includes('nobody')) throw new Error('no such person')
        return { kind: 'text', text: `${toolName} ${JSON.stringify(input)} of ${chatId}` }
      },
    })
    const page = connectEngine(api, {}, { id: 'chat' })
    await page.engine.sendMessage('go')
    expect(page.calls().map(previewOf)).toEqual([
      { kind: 'text', text: 'send {"to":"ada"} of chat' },
      undefined,
    ])
    expect(errors).toMatchObject([{ message: 'no such person' }])
  })

  test('is told by the server, and only by it, that a yes came too late, and can go on', async () => {
    let now = Date.now()
    const second = [['2', 'send', { to: 'bob' }]] as const
    const server = await startAsking([ask, 'Sent.', second, 'Too late.', 'As you wish.'], {
      approvalMaxAgeMs: HOUR,
    })
    const page = connectEngine(server.api, {}, { now: () => now })
    await page.engine.sendMessage('go')
    now += HOUR + 1
    expect(await page.resume({ toolCallId: '1' })).toMatchObject({ success: true })
    await untilState(page.engine, ({ requestState }) => requestState === 'completed')
    expect(server.effects).toEqual(['send ada'])
    expect(await page.engine.sendMessage('again')).toMatchObject({ requestState: 'paused' })
    server.clock.now += HOUR + 1
    await page.resume({ toolCallId: '2' })
    await untilState(page.engine, ({ requestState }) => requestState === 'completed')
    const [, late] = page.calls()
    expect(late).toMatchObject({ errorText: expect.stringContaining('came too late') })
    expect(toolCallStatus(late!)).toBe('cancelled')
    expect(await page.engine.sendMessage('never mind')).toMatchObject({ requestState: 'completed' })
    expect(server.effects).toEqual(['send ada'])
  })
})
