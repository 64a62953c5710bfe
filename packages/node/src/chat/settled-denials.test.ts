import { jsonSchema, tool, type UIMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import { answered, asked, callsOf, errorOf, type Part } from '../../test/asking-server.ts'
import { rawChat } from '../../test/raw-chat.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { serveChat } from '../../test/serve-chat.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import type { DecisionAsked } from './may-decide.ts'

const ada = { headers: { 'x-user': 'ada' } }
const bob = { headers: { 'x-user': 'bob' } }
const eve = { headers: { 'x-user': 'eve' } }

/** A call that asks, and one that waits for it although no person is asked about it. */
async function start(options: Partial<ChatHandlerOptions> = {}) {
  const effects: string[] = []
  const decisions: string[] = []
  const act = (name: string) =>
    tool({
      inputSchema: jsonSchema<{ to: string }>({ type: 'object' }),
      execute: () => void effects.push(name),
    })
  const served = await serveChat({
    model: scriptedModel([
      [
        ['p', 'pay', { to: 'ada' }],
        ['q', 'note', { to: 'ada' }],
        ['r', 'drop', { to: 'ada' }],
      ],
      'Done.',
      'Done.',
      'Done.',
    ]),
    tools: { pay: act('pay'), note: act('note'), drop: act('drop') },
    toolApproval: { pay: 'user-approval', note: 'approved', drop: 'denied' },
    authorize: (request) => request.headers.get('x-user'),
    mayDecide: ({ user, approved }: DecisionAsked) => {
      decisions.push(`${String(user)} ${approved ? 'yes' : 'no'}`)
      return user === 'bob'
    },
    ...options,
  })
  const chat = rawChat(served.api)
  const paused = await asked({ chat }, ada)
  expect(callsOf(paused)).toMatchObject([
    { state: 'approval-requested' },
    { state: 'approval-responded', approval: { approved: true } },
    { state: 'output-denied' },
  ])
  expect(effects).toEqual([])
  return { chat, effects, decisions, paused }
}

/** The conversation with its question settled so. */
function settled(messages: readonly UIMessage[], settle: (approval: object) => object) {
  const copy = structuredClone([...messages])
  const [part] = callsOf(copy)
  if (!part?.approval) throw new Error('Nothing is asked.')
  const fields: Record<string, unknown> = settle(part.approval) as Record<string, unknown>
  if ('approval' in fields && fields['approval'] === undefined) delete part.approval
  Object.assign(part, fields)
  for (const [key, value] of Object.entries(part))
    if (value === undefined) Reflect.deleteProperty(part, key)
  return copy
}

const unsigned = (approval: object): object => {
  const { signature: _signature, ...rest } = approval as NonNullable<Part['approval']>
  return rest
}

const no = { approved: false }
const denied = { state: 'output-denied' }
const failed = { state: 'output-error', errorText: 'It failed.' }
const ran = { state: 'output-available', output: 'paid' }

describe('a question of which a page says that it is settled', () => {
  test.each<[string, number, (approval: object) => object]>([
    ['denied', 403, (approval) => ({ ...denied, approval: { ...approval, ...no } })],
    [
      'denied, without its signature',
      400,
      (approval) => ({ ...denied, approval: { ...unsigned(approval), ...no } }),
    ],
    [
      'denied, with another signature',
      400,
      (approval) => ({ ...denied, approval: { ...approval, ...no, signature: 'x' } }),
    ],
    [
      'answered with no, without its signature',
      400,
      (approval) => ({ state: 'approval-responded', approval: { ...unsigned(approval), ...no } }),
    ],
    [
      'answered with no, with another signature',
      400,
      (approval) => ({
        state: 'approval-responded',
        approval: { ...approval, ...no, signature: 'x' },
      }),
    ],
    ['failed', 400, (approval) => ({ ...failed, approval: { ...approval, approved: true } })],
    ['failed, without the question', 400, () => ({ ...failed, approval: undefined })],
    ['run', 400, (approval) => ({ ...ran, approval: { ...approval, approved: true } })],
    [
      'run, with another signature',
      400,
      (approval) => ({ ...ran, approval: { ...approval, approved: true, signature: 'x' } }),
    ],
    ['run, without the question', 400, () => ({ ...ran, approval: undefined })],
  ])('as %s lets nothing run of who may not decide', async (_, status, settle) => {
    const { chat, effects, paused } = await start()
    const refused = await errorOf(await chat.post(settled(paused, settle), ada))
    expect(refused).toMatchObject({
      status,
      code: status === 403 ? 'may-not-decide' : 'bad-approval',
    })
    expect(refused.message).toContain('othing was run')
    expect(effects).toEqual([])
    // It still waits for who may.
    const yes = settled(paused, (approval) => ({
      state: 'approval-responded',
      approval: { ...approval, approved: true },
    }))
    await answered(yes, await chat.post(yes, bob))
    expect(effects).toEqual(['pay', 'note'])
  })

  test('as denied is denied for good where who says so may decide', async () => {
    const { chat, effects, decisions, paused } = await start()
    const posted = settled(paused, (approval) => ({ ...denied, approval: { ...approval, ...no } }))
    expect((await chat.post(posted, bob)).status).toBe(200)
    await expect.poll(() => effects).toEqual(['note'])
    // The other call waits by a rule for who asked.
    expect(decisions).toEqual(['bob no', 'bob yes'])
    // What stands needs no second answer, whoever goes on.
    for (const user of [ada, bob, eve]) {
      const again = await chat.post(posted, user)
      expect(again.status).toBe(user === eve ? 403 : 200)
      await again.text()
    }
    const yes = settled(paused, (approval) => ({
      state: 'approval-responded',
      approval: { ...approval, approved: true },
    }))
    await (await chat.post(yes, bob)).text()
    expect(effects).toEqual(['note'])
  })

  test('as denied is noted without mayDecide, too', async () => {
    const { chat, effects, paused } = await start({
      mayDecide: undefined,
    } as Partial<ChatHandlerOptions>)
    const posted = settled(paused, (approval) => ({ ...denied, approval: { ...approval, ...no } }))
    await (await chat.post(posted, ada)).text()
    const yes = settled(paused, (approval) => ({
      state: 'approval-responded',
      approval: { ...approval, approved: true },
    }))
    await (await chat.post(yes, ada)).text()
    expect(effects).toEqual(['note'])
  })

  test('as denied is run where a yes has run it: that stands, and the page is told', async () => {
    const { chat, effects, paused } = await start()
    const yes = settled(paused, (approval) => ({
      state: 'approval-responded',
      approval: { ...approval, approved: true },
    }))
    await (await chat.post(yes, bob)).text()
    const posted = settled(paused, (approval) => ({ ...denied, approval: { ...approval, ...no } }))
    const after = await answered(posted, await chat.post(posted, bob))
    expect(effects).toEqual(['pay', 'note'])
    expect(callsOf(after)[0]).toMatchObject({ state: 'output-available' })
  })

  test('as run is taken where it has run, and the rest of the step runs', async () => {
    const { chat, effects, paused } = await start()
    const yes = settled(paused, (approval) => ({
      state: 'approval-responded',
      approval: { ...approval, approved: true },
    }))
    await (await chat.post(yes, bob)).text()
    const posted = settled(paused, (approval) => ({
      ...ran,
      approval: { ...approval, approved: true },
    }))
    expect((await chat.post(posted, ada)).status).toBe(200)
    expect(effects).toEqual(['pay', 'note'])
  })
})
