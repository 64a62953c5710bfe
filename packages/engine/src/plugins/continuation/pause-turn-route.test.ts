import { expect, onTestFinished, test } from 'vitest'
import { guardedTools } from '../../../test/guarded-tools.ts'
import {
  clientCall,
  saying,
  searchResult,
  serverSearch,
  startPausingProvider,
  type PausingProviderOptions,
} from '../../../test/pausing-provider.ts'
import { callsOf } from '../../../test/tool-engine.ts'
import { createMessageEngine } from '../../engine.ts'
import type { EngineError } from '../../errors.ts'
import { httpTransport } from '../../transport/http-transport.ts'
import { toolPlugin } from '../tools/tool-plugin.ts'
import { continuationPlugin, type ContinuationOptions } from './index.ts'

async function setUp(options: PausingProviderOptions, continuation: ContinuationOptions = {}) {
  const provider = await startPausingProvider(options)
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const { runs, options: tools } = guardedTools()
  const errors: EngineError[] = []
  const engine = createMessageEngine({
    transport: httpTransport({ api: provider.api }),
    plugins: [
      toolPlugin({ defaultApproval: 'approved', ...tools }),
      continuationPlugin(continuation),
    ],
    onError: (error) => errors.push(error),
  })
  onTestFinished(() => engine.dispose())
  return { provider, engine, runs, errors }
}

test('a turn that Anthropic paused in the middle of a search is one turn with one answer', async () => {
  const { provider, engine, errors } = await setUp({
    answers: [
      { blocks: [saying('Let me look.'), serverSearch('s1', 'news')], stop: 'pause_turn' },
      { blocks: [searchResult('s1', 'News'), saying('Here it is.')], stop: 'end_turn' },
    ],
  })
  expect(await engine.sendMessage('news?')).toMatchObject({ requestState: 'completed' })
  expect(errors).toEqual([])
  const { messages, turn } = engine.getState()
  expect(turn).toMatchObject({ step: 2 })
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  const said = messages[1]?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  expect(said).toEqual(['Let me look.', 'Here it is.'])
  expect(callsOf(messages)).toMatchObject([
    { state: 'output-available', output: [{ title: 'News', encryptedContent: 'sealed s1' }] },
  ])

  const [first, second, ...more] = provider.routeBodies()
  expect(more).toEqual([])
  const pausedMessage = second?.messages.at(-1)
  expect(second).toEqual({
    ...first,
    requestId: expect.stringMatching(/^.+\/2\/4$/),
    messageId: 'answer',
    messages: [...(first?.messages ?? []), pausedMessage],
  })
  expect(pausedMessage?.parts.map((part) => ('state' in part ? part.state : part.type))).toEqual([
    'step-start',
    // What the AI SDK's provider notes of the response.
    'custom',
    'done',
    'input-available',
  ])

  const [asked, continued, ...others] = provider.providerBodies()
  expect(others).toEqual([])
  expect(continued).toEqual({
    ...asked,
    messages: [
      ...(asked?.messages ?? []),
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me look.' },
          { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'news' } },
        ],
      },
    ],
  })
})

test('pauses follow each other, with and without an open search', async () => {
  const { provider, engine, errors } = await setUp({
    answers: [
      { blocks: [serverSearch('s1', 'one')], stop: 'pause_turn' },
      {
        blocks: [searchResult('s1', 'One'), serverSearch('s2', 'two'), searchResult('s2', 'Two')],
        stop: 'pause_turn',
      },
      { blocks: [serverSearch('s3', 'three')], stop: 'pause_turn' },
      { blocks: [searchResult('s3', 'Three'), saying('All three.')], stop: 'end_turn' },
    ],
  })
  expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
  expect(errors).toEqual([])
  expect(callsOf(engine.getState().messages).map(({ output }) => output)).toMatchObject([
    [{ title: 'One' }],
    [{ title: 'Two' }],
    [{ title: 'Three' }],
  ])
  const contents = provider
    .providerBodies()
    .map(({ messages }) =>
      messages.flatMap(({ role, content }) =>
        role === 'assistant' ? content.map(({ type }) => type) : [],
      ),
    )
  const call = 'server_tool_use'
  const result = 'web_search_tool_result'
  expect(contents).toEqual([
    [],
    [call],
    [call, result, call, result],
    [call, result, call, result, call],
  ])
})

test('calls of the paused step that run here are run before the provider goes on', async () => {
  const { provider, engine, runs } = await setUp({
    answers: [
      {
        blocks: [serverSearch('s1', 'news'), clientCall('t1', 'read', { path: 'a.txt' })],
        stop: 'pause_turn',
      },
      { blocks: [searchResult('s1', 'News'), saying('Both done.')], stop: 'end_turn' },
    ],
  })
  expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
  expect(runs).toEqual(['read a.txt'])
  const [, continued, ...others] = provider.providerBodies()
  expect(others).toEqual([])
  expect(continued?.messages.slice(1)).toMatchObject([
    {
      role: 'assistant',
      content: [
        { type: 'server_tool_use', id: 's1' },
        { type: 'tool_use', id: 't1' },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1' }] },
  ])
  expect(callsOf(engine.getState().messages).map(({ state }) => state)).toEqual([
    'output-available',
    'output-available',
  ])
})

test('a provider that never gets done is asked as often as the budget says, and can be asked anew', async () => {
  const { provider, engine } = await setUp(
    {
      answers: [
        ...['s1', 's2', 's3'].map((id) => ({
          blocks: [serverSearch(id, 'again')],
          stop: 'pause_turn' as const,
        })),
        { blocks: [saying('Hello.')], stop: 'end_turn' },
      ],
    },
    { maxContinuations: 2 },
  )
  expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
  expect(provider.providerBodies()).toHaveLength(3)
  expect(engine.getState().turn).toMatchObject({ step: 3, notice: 'max-continuations' })

  expect(await engine.sendMessage('hello?')).toMatchObject({ requestState: 'completed' })
  const history = provider.providerBodies()[3]?.messages ?? []
  expect(history.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  const resultOf = (id: string) => ({ type: 'web_search_tool_result', tool_use_id: id })
  expect(history[1]?.content).toMatchObject(
    ['s1', 's2', 's3'].flatMap((id) => [{ type: 'server_tool_use', id }, resultOf(id)]),
  )
})

test('a route of several steps leaves the pauses to the page, so that they have one budget', async () => {
  const answers = Array.from({ length: 20 }, (_, index) => ({
    blocks: [serverSearch(`s${index}`, 'again')],
    stop: 'pause_turn' as const,
  }))
  const { provider, engine } = await setUp({ answers, steps: 5 })
  expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
  expect(provider.providerBodies()).toHaveLength(11)
  expect(provider.routeBodies().at(-1)).toMatchObject({ continuesPausedTurns: true })
  expect(engine.getState().turn).toMatchObject({ step: 11, notice: 'max-continuations' })
})

test('an answer that was cut at its greatest length goes on where it stopped', async () => {
  const { provider, engine } = await setUp(
    {
      answers: [
        { blocks: [saying('Half of')], stop: 'max_tokens' },
        { blocks: [saying(' it.')], stop: 'end_turn' },
      ],
    },
    { length: true },
  )
  await engine.sendMessage('go')
  expect(provider.providerBodies()[1]?.messages.slice(1)).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'Half of' }] },
  ])
  const said = engine.getState().messages[1]?.parts.filter(({ type }) => type === 'text')
  expect(said).toMatchObject([{ text: 'Half of' }, { text: ' it.' }])
})

test('a route that does not forward the reason gets one request, and the history stays valid', async () => {
  const { provider, engine } = await setUp({
    answers: [{ blocks: [serverSearch('s1', 'news')], stop: 'pause_turn' }],
    isReasonForwarded: false,
  })
  expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
  expect(provider.routeBodies()).toHaveLength(1)
  expect(callsOf(engine.getState().messages)).toMatchObject([{ state: 'output-error' }])
})

test('what a route keeps in the metadata of the message goes along: the container of the code', async () => {
  const { provider, engine } = await setUp({
    answers: [
      { blocks: [serverSearch('s1', 'news')], stop: 'pause_turn', container: 'box-1' },
      { blocks: [searchResult('s1', 'News'), saying('Here.')], stop: 'end_turn' },
    ],
  })
  expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
  expect(provider.providerBodies().map(({ container }) => container)).toEqual([undefined, 'box-1'])
})
