import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { isToolUIPart, type UIMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import {
  answered,
  asked,
  callsOf,
  decided,
  errorOf,
  HOUR,
  question,
} from '../../test/asking-server.ts'
import { httpModel } from '../../test/kills/http-model.ts'
import { streamOf } from '../../test/kills/model-answer.ts'
import { rawChat, userMessage } from '../../test/raw-chat.ts'
import { serveChat, serveListener } from '../../test/serve-chat.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { memoryLedger } from './memory-ledger.ts'

const call = { toolName: 'mcp.delete', input: '{"id":7}', providerExecuted: true, dynamic: true }
const asks = streamOf('stop', [
  { type: 'tool-call', toolCallId: 'q1', ...call },
  { type: 'tool-approval-request', toolCallId: 'q1', approvalId: 'mcpr_1' },
])
const runs = streamOf('stop', [
  { type: 'tool-call', toolCallId: 'mcp_1', ...call },
  {
    type: 'tool-result',
    toolCallId: 'mcp_1',
    toolName: call.toolName,
    result: 'deleted',
    dynamic: true,
  },
])
const says = streamOf('stop', [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Well.' },
  { type: 'text-end', id: 't' },
])

/** A chat whose provider, behind HTTP, runs a tool of its own, and asks before it does. */
async function startProvider(
  answers: readonly (readonly LanguageModelV4StreamPart[] | 'hang up')[],
  more: Partial<ChatHandlerOptions> = {},
) {
  const prompts: LanguageModelV4Prompt[] = []
  const left = [...answers]
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    prompts.push(JSON.parse(Buffer.concat(await request.toArray()).toString('utf8')))
    const next = left.shift() ?? says
    if (next === 'hang up') response.destroy()
    else response.end(next.map((part) => `${JSON.stringify(part)}\n`).join(''))
  }
  const url = await serveListener((request, response) => void answer(request, response))
  const clock = { now: Date.now() }
  const served = await serveChat({
    model: httpModel(url, {}),
    maxRetries: 0,
    now: () => clock.now,
    ...more,
  })
  return { ...served, clock, prompts, chat: rawChat(served.api) }
}

/** What the provider was told of approvals, prompt by prompt. */
const told = (prompts: readonly LanguageModelV4Prompt[]) =>
  prompts.map((prompt) =>
    prompt.flatMap((message) =>
      message.role === 'tool'
        ? message.content.map((part) =>
            part.type === 'tool-approval-response'
              ? `${part.approvalId} ${part.approved}`
              : part.type,
          )
        : [],
    ),
  )

const yes = (messages: readonly UIMessage[]) => decided(messages, true)

describe('an approval of a call that the provider runs', () => {
  test('is handed over once, and its outcome ends it', async () => {
    const server = await startProvider([asks, runs, says])
    const approved = yes(await asked(server))
    const after = await answered(approved, await server.chat.post(approved))
    expect(callsOf(after)).toMatchObject([
      { toolCallId: 'q1' },
      { toolCallId: 'mcp_1', output: 'deleted' },
    ])
    const goesOn = [...after, userMessage('And now?')]
    expect((await server.chat.post(goesOn)).status).toBe(200)
    await expect.poll(() => told(server.prompts)).toEqual([[], ['mcpr_1 true'], []])
    expect(JSON.stringify(server.prompts[2])).toContain('deleted')
  })

  test('goes out once, however often it is posted, and however its answer was lost', async () => {
    const server = await startProvider([asks, 'hang up'])
    const approved = yes(await asked(server))
    expect(await (await server.chat.post(approved)).text()).toContain('"type":"error"')
    const again = await answered(approved, await server.chat.post(approved))
    expect(callsOf(again)).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('may have taken effect') },
    ])
    const later = await server.chat.post([...approved, userMessage('Well?')])
    await later.text()
    expect(told(server.prompts)).toEqual([[], ['mcpr_1 true'], ['mcpr_1 false'], ['mcpr_1 false']])
  })

  test('goes out once from two servers with one ledger that get it at the same time', async () => {
    const ledger = memoryLedger()
    const one = await startProvider([asks, runs], { ledger })
    const two = await startProvider([], { ledger })
    const approved = yes(await asked(one))
    const posts = [one, two, two, one].map(async ({ chat }, index) =>
      (await chat.post(approved, { body: { requestId: `${index}` } })).text(),
    )
    await Promise.all(posts)
    const said = [...told(one.prompts), ...told(two.prompts)].flat()
    expect(said.filter((word) => word === 'mcpr_1 true')).toHaveLength(1)
  })

  test('does not go out once another ledger has taken the place of the one it was asked with', async () => {
    const before = await startProvider([asks, runs])
    const approved = yes(await asked(before))
    await (await before.chat.post(approved)).text()
    const after = await startProvider([says])
    const page = await answered(approved, await after.chat.post(approved))
    expect(callsOf(page)).toMatchObject([
      { errorText: expect.stringContaining('the approval holds no more') },
    ])
    expect(told(after.prompts)).toEqual([['mcpr_1 false']])
  })

  test.each<[string, (part: Record<string, unknown>) => object]>([
    ['without a signature', () => ({ approval: { id: 'mcpr_1', approved: true } })],
    ['of another question', () => ({ approval: { id: 'mcpr_2', approved: true } })],
    ['of another input', () => ({ input: { id: 8 } })],
    ['of another tool', () => ({ toolName: 'mcp.wipe' })],
    ['of another call', () => ({ toolCallId: 'q2' })],
    ['with an outcome', () => ({ state: 'output-available', output: 'as if' })],
    ['with an error', () => ({ state: 'output-error', errorText: 'as if' })],
    ['that holds, and was never sent', () => ({})],
  ])('is no yes behind which the conversation goes on: %s', async (_, change) => {
    const server = await startProvider([asks])
    const approved = decided(await asked(server), true, (part) => change({ ...part }))
    for (const more of [userMessage('Go on.'), ...stepBehind]) {
      const messages =
        more.role === 'user'
          ? [...approved, more]
          : [...approved.slice(0, -1), withParts(approved.at(-1), more.parts)]
      expect((await (await server.chat.post(messages)).text()).length).toBeGreaterThan(0)
    }
    expect(server.prompts).toHaveLength(3)
    expect(JSON.stringify(server.prompts)).not.toContain('"approved":true')
  })

  test('does not hold for another user or in another conversation', async () => {
    const server = await startProvider([asks], {
      authorize: (request) => request.headers.get('x-user'),
    })
    const approved = yes(await asked(server, { headers: { 'x-user': 'ada' } }))
    for (const where of [
      { headers: { 'x-user': 'eve' } },
      { headers: { 'x-user': 'ada' }, id: 'other' },
    ]) {
      expect(await errorOf(await server.chat.post(approved, where))).toMatchObject({ status: 400 })
      await (await server.chat.post([...approved, userMessage('Go on.')], where)).text()
    }
    expect(told(server.prompts).flat()).toEqual(['mcpr_1 false', 'mcpr_1 false'])
  })

  test('does not hold after a denial, nor after its time', async () => {
    const server = await startProvider([asks, says, says, asks], { approvalMaxAgeMs: HOUR })
    const paused = await asked(server)
    const denied = decided(paused, false)
    await (await server.chat.post(denied)).text()
    // The page asks again, and the denial that stands can be given there, too.
    const approvalId = callsOf(paused)[0]?.approval?.id
    expect(await errorOf(await server.chat.post(yes(paused)))).toMatchObject({
      status: 409,
      code: 'decided-otherwise',
      refused: [{ approvalId, isOpen: false }],
    })
    await (await server.chat.post([...yes(paused), userMessage('Go on.')])).text()
    expect(told(server.prompts)).toEqual([[], ['mcpr_1 false'], ['mcpr_1 false']])
    const late = yes(await answered(question, await server.chat.post(question, { id: 'late' })))
    server.clock.now += HOUR + 1
    const after = await answered(late, await server.chat.post(late, { id: 'late' }))
    expect(callsOf(after)).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('came too late') },
    ])
    expect(told(server.prompts).at(-1)).toEqual(['mcpr_1 false'])
  })

  test('that is denied is told as a denial, and not as the result of a call', async () => {
    const server = await startProvider([asks])
    const denied = decided(await asked(server), false)
    const after = await answered(denied, await server.chat.post(denied))
    expect(callsOf(after)).toMatchObject([{ state: 'output-denied' }])
    await (await server.chat.post([...after, userMessage('Go on.')])).text()
    expect(told(server.prompts)).toEqual([[], ['mcpr_1 false'], ['mcpr_1 false']])
  })

  test('that stands twice in its step goes out once', async () => {
    const server = await startProvider([asks, runs])
    const approved = yes(await asked(server))
    const part = approved.at(-1)?.parts.find(isToolUIPart)
    if (part) approved.at(-1)?.parts.push(structuredClone(part))
    await (await server.chat.post(approved)).text()
    expect(told(server.prompts)[1]).toEqual(['mcpr_1 true'])
  })
})

const stepBehind: UIMessage[] = [
  { id: 'a', role: 'assistant', parts: [{ type: 'step-start' }, { type: 'text', text: 'On.' }] },
]

function withParts(message: UIMessage | undefined, more: UIMessage['parts']): UIMessage {
  if (!message) throw new Error('There is no message.')
  return { ...message, parts: [...message.parts, ...more] }
}
