import { createMessageEngine, httpTransport, toolPlugin, type EngineError } from '@assent/engine'
import { untilState } from '@assent/engine/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ask, callsOf, startAsking } from '../../test/asking-server.ts'
import { openDatabase } from '../sqlite/open-database.ts'
import type { ChatHandlerOptions } from './chat-options.ts'

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
