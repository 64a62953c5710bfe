import {
  createMessageEngine,
  httpTransport,
  toolPlugin,
  waitingCalls,
  type EngineError,
} from '@assent/engine'
import { untilState } from '@assent/engine/testing'
import { tool } from 'ai'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ask, callsOf, inputSchema, startAsking } from '../../test/asking-server.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { openDatabase } from '../sqlite/open-database.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { createChatHandler } from './create-chat-handler.ts'

/** A server with the documented options, and a page whose user can change. */
async function start(options: Partial<ChatHandlerOptions>) {
  const server = await startAsking([ask, 'Sent.'], {
    ledger: 'memory',
    authorize: (request) => request.headers.get('x-user'),
    ...options,
  })
  const sender = { name: 'ada' }
  const reported: EngineError[] = []
  const engine = createMessageEngine({
    transport: httpTransport({ api: server.api, headers: () => ({ 'x-user': sender.name }) }),
    plugins: [toolPlugin()],
    onError: (error) => reported.push(error),
  })
  onTestFinished(() => engine.dispose())
  const call = () => callsOf(engine.getState().messages)[0]
  const decide = (outcome: 'yes' | 'yes_always' | 'no') =>
    engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1', outcome })
  const until = (requestState: string) =>
    untilState(engine, (state) => state.requestState === requestState)
  return { server, sender, engine, reported, call, decide, until }
}

function database() {
  const opened = openDatabase(':memory:')
  onTestFinished(() => opened.close())
  return opened
}

const fourEyes: ChatHandlerOptions['mayDecide'] = ({ user, requester, approved }) =>
  !approved || user !== requester

describe('a page whose decision the handler does not take', () => {
  test.each([
    ['in memory', () => ({})],
    ['in a database', () => ({ ledger: undefined, database: database() })],
  ] as const)('asks again, and the person can take it back: ledger %s', async (_, kept) => {
    const { server, engine, reported, call, decide, until } = await start({
      ...kept(),
      mayDecide: fourEyes,
    } as Partial<ChatHandlerOptions>)
    await engine.sendMessage('Send it')
    await decide('yes_always')
    await untilState(engine, () => reported.length > 0)
    await until('paused')
    expect(call()).toMatchObject({
      state: 'approval-requested',
      toolMetadata: { assent: { refused: { code: 'may-not-decide' } } },
    })
    expect(engine.getState().error).toBeUndefined()
    expect(await decide('no')).toMatchObject({ success: true })
    await until('completed')
    expect(call()).toMatchObject({ state: 'output-denied' })
    expect(server.effects).toEqual([])
  })

  test('lets somebody who may send the same decision', async () => {
    const { server, sender, engine, reported, call, decide, until } = await start({
      mayDecide: fourEyes,
    })
    await engine.sendMessage('Send it')
    await decide('yes')
    await untilState(engine, () => reported.length > 0)
    await until('paused')
    sender.name = 'bob'
    await decide('yes')
    await until('completed')
    expect(server.effects).toEqual(['send ada'])
    expect(call()).toMatchObject({ state: 'output-available' })
  })

  test('says nothing that a wrong clock contradicts', async () => {
    const { server, engine, reported, call, decide, until } = await start({})
    await engine.sendMessage('Send it')
    const { now } = server.clock
    server.clock.now = NaN
    await decide('yes')
    await untilState(engine, () => reported.length > 0)
    await until('paused')
    expect(reported).toMatchObject([{ code: 'decision_refused', details: { code: 'wrong-clock' } }])
    expect(call()).toMatchObject({ state: 'approval-requested' })
    server.clock.now = now
    await decide('yes')
    await until('completed')
    expect(server.effects).toEqual(['send ada'])
  })
})

describe('a yes to a call whose tool a deploy has taken away', () => {
  function start() {
    const effects: string[] = []
    const make = (name: string) =>
      tool({ inputSchema, execute: ({ to }) => `${name} ${effects.push(`${name} ${to}`)}` })
    const tools = { send: make('send'), look: make('look') }
    const calls = [...ask, ['2', 'look', { to: 'bob' }]] as const
    const options = {
      model: scriptedModel([calls, 'Done.']),
      database: database(),
      approvalSecret: 'a secret that all versions have',
      authorize: () => 'ada',
      defaultApproval: 'approved',
    } as const
    const before = createChatHandler({
      ...options,
      tools,
      toolApproval: { send: 'user-approval', look: 'approved' },
    })
    const after = createChatHandler({ ...options, tools: { look: tools.look } })
    const server = { now: before, before, after }
    const engine = createMessageEngine({
      transport: httpTransport({
        api: 'http://localhost/api/chat',
        fetch: async (url, init) => server.now(new Request(url, init)),
      }),
      plugins: [toolPlugin()],
      onError: () => {},
    })
    onTestFinished(() => engine.dispose())
    const decide = async (outcome: 'yes' | 'no') => {
      await engine.runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1', outcome })
      await untilState(engine, ({ requestState }) => requestState !== 'processing')
    }
    const refused = () =>
      callsOf(engine.getState().messages).map((part) => part.toolMetadata?.['assent'])
    return { effects, server, engine, decide, refused }
  }

  test('is refused by its right name, and a no lets the others run', async () => {
    const { effects, server, engine, decide, refused } = start()
    await engine.sendMessage('Send it')
    server.now = server.after
    await decide('yes')
    expect(engine.getState()).toMatchObject({ requestState: 'paused' })
    expect(waitingCalls(engine.getState())).toMatchObject([{ toolName: 'send' }])
    expect(refused()).toMatchObject([
      { refused: { code: 'unknown-tool', message: expect.stringContaining('send') } },
      undefined,
    ])
    expect(effects).toEqual([])
    await decide('no')
    expect(callsOf(engine.getState().messages)).toMatchObject([
      { state: 'output-denied' },
      { state: 'output-available' },
    ])
    expect(effects).toEqual(['look bob'])
  })

  test('is taken once the tool is back', async () => {
    const { effects, server, engine, decide } = start()
    await engine.sendMessage('Send it')
    server.now = server.after
    await decide('yes')
    await decide('yes')
    expect(engine.getState()).toMatchObject({ requestState: 'paused' })
    server.now = server.before
    await decide('yes')
    expect(engine.getState()).toMatchObject({ requestState: 'completed' })
    expect([...effects].sort()).toEqual(['look bob', 'send ada'])
  })

  test('leaves its call in no doubt when the turn is ended instead', async () => {
    const { effects, server, engine, decide } = start()
    await engine.sendMessage('Send it')
    server.now = server.after
    await decide('yes')
    await engine.abort()
    const [call] = callsOf(engine.getState().messages)
    expect(call?.errorText).toContain('it did not run')
    expect(effects).toEqual([])
  })
})
