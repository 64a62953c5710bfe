import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../test/tool-engine.ts'
import { createMessageEngine } from './engine.ts'
import type {
  EnginePlugin,
  HookName,
  NamedPlugin,
  PluginContext,
  InternalPlugin,
} from './plugin.ts'
import { answer, callTools, scriptedTransport } from './testing/index.ts'

const HOOKS: HookName[] = [
  'onInit',
  'onTurnStart',
  'onTurnResume',
  'onBeforeRequest',
  'onAfterRequest',
  'onSettle',
  'onTurnPause',
  'onTurnEnd',
  'onTurnAbort',
  'onError',
  'onFinally',
]
const write = { toolCallId: '1', toolName: 'write', input: {} }
const tools = {
  tools: { write: { inputSchema: z.object({}), execute: () => 'written' } },
  toolApproval: { write: 'user-approval' as const },
}

/** A plugin that notes each of its hooks, with the state that it finds. */
function noting(notes: string[], name = ''): EnginePlugin {
  const note =
    (hook: HookName) =>
    async ({ getState }: PluginContext) => {
      notes.push(`${name}${hook} ${getState().requestState}`)
      // Others that do not wait for this would come first.
      await Promise.resolve()
      notes.push(`${name}${hook} done`)
    }
  return Object.fromEntries(HOOKS.map((hook) => [hook, note(hook)]))
}
const begun = (notes: string[]) => notes.filter((note) => !note.endsWith('done'))

describe('the hooks of a turn', () => {
  it('come in this order, with a pause in between', async () => {
    const notes: string[] = []
    const { engine, resume, completed } = createToolEngine(
      [callTools(write), answer('ok')],
      tools,
      {
        plugins: [noting(notes)],
      },
    )
    await engine.sendMessage('go')
    const before = notes.splice(0)
    expect(begun(before)).toEqual([
      'onInit idle',
      'onTurnStart processing',
      'onSettle processing',
      'onBeforeRequest processing',
      'onAfterRequest processing',
      'onSettle processing',
      'onTurnPause processing',
    ])
    await resume({ toolCallId: '1' })
    await completed()
    expect(begun(notes)).toEqual([
      'onTurnResume processing',
      'onSettle processing',
      'onBeforeRequest processing',
      'onAfterRequest processing',
      'onSettle processing',
      'onTurnEnd processing',
      'onFinally completed',
    ])
  })

  it('of several plugins are awaited one after the other, in order of registration', async () => {
    const notes: string[] = []
    const engine = createMessageEngine({
      transport: scriptedTransport([answer('hi')]),
      plugins: [noting(notes, 'first '), noting(notes, 'second ')],
    })
    await engine.sendMessage('go')
    const ofStart = notes.filter((note) => note.includes('onTurnStart'))
    expect(ofStart).toEqual([
      'first onTurnStart processing',
      'first onTurnStart done',
      'second onTurnStart processing',
      'second onTurnStart done',
    ])
  })

  it('are others after an abort and after a failure', async () => {
    const notes: string[] = []
    const transport = scriptedTransport()
    const engine = createMessageEngine({
      transport,
      plugins: [noting(notes)],
      onError: () => undefined,
    })
    transport.hold()
    void engine.sendMessage('go')
    await transport.requested(1)
    notes.length = 0
    await engine.abort()
    expect(begun(notes)).toEqual(['onTurnAbort aborted', 'onFinally aborted'])
    transport.add(new Error('down'))
    notes.length = 0
    await engine.sendMessage('again')
    expect(begun(notes).slice(-2)).toEqual(['onError error', 'onFinally error'])
    expect(notes.join()).not.toContain('onTurnEnd')
  })

  it('are called on their plugin', async () => {
    class Counter implements NamedPlugin {
      name = 'counter'
      turns = 0
      onTurnStart() {
        this.turns++
      }
    }
    const counter = new Counter()
    const engine = createMessageEngine({
      transport: scriptedTransport([answer('hi')]),
      plugins: [counter],
    })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(counter.turns).toBe(1)
  })
})

describe('what a hook is given', () => {
  it('tells engines apart that share its plugin, and is the same key all the time', async () => {
    const keys: [string, object][] = []
    const shared: EnginePlugin = {
      onTurnStart: ({ conversationId, engineKey }) => void keys.push([conversationId, engineKey]),
      onTurnEnd: ({ conversationId, engineKey }) => void keys.push([conversationId, engineKey]),
    }
    for (const id of ['one', 'other']) {
      const transport = scriptedTransport([answer('hi')])
      await createMessageEngine({ id, transport, plugins: [shared] }).sendMessage('go')
    }
    expect(keys.map(([id]) => id)).toEqual(['one', 'one', 'other', 'other'])
    expect(keys[0]?.[1]).toBe(keys[1]?.[1])
    expect(keys[1]?.[1]).not.toBe(keys[2]?.[1])
  })

  it('lets onBeforeRequest add to the request, in order, without changing what the app gave', async () => {
    const request = { headers: { app: '1' }, body: { app: true } }
    const transport = scriptedTransport([answer('hi')])
    const engine = createMessageEngine({
      transport,
      request,
      plugins: [
        {
          onBeforeRequest: ({ request: { headers, body } }) => {
            headers['plugin'] = 'first'
            body['plugin'] = 'first'
          },
        },
        {
          onBeforeRequest: ({ request: sent }) => {
            sent.headers['plugin'] += ' second'
            sent.metadata = sent.body['plugin']
          },
        },
      ],
    })
    await engine.sendMessage('go')
    expect(transport.requests[0]).toMatchObject({
      headers: { app: '1', plugin: 'first second' },
      body: { app: true, plugin: 'first' },
      metadata: 'first',
    })
    expect(request).toEqual({ headers: { app: '1' }, body: { app: true } })
  })

  it('tells onAfterRequest how the step ended, which may ask for another one', async () => {
    const reasons: unknown[] = []
    const { engine, transport } = createToolEngine(
      [answer('half', { finishReason: 'length' }), answer('whole')],
      {},
      {
        plugins: [
          {
            onAfterRequest: ({ finishReason, requestNext }) => {
              reasons.push(finishReason)
              if (finishReason === 'length') requestNext()
            },
          },
        ],
      },
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(reasons).toEqual(['length', 'stop'])
    expect(transport.requests[1]?.messages).toHaveLength(2)
    expect(engine.getState().messages[1]?.parts).toMatchObject([
      { type: 'step-start' },
      { text: 'half' },
      { type: 'step-start' },
      { text: 'whole' },
    ])
  })

  it('keeps the custom context of a turn through a pause, and gives the next turn a new one', async () => {
    const seen: unknown[] = []
    const { engine, resume, completed, transport } = createToolEngine(
      [callTools(write), answer('ok')],
      tools,
      {
        plugins: [
          {
            onTurnStart: ({ customContext, setCustomContext }) => {
              seen.push(customContext)
              setCustomContext({ a: 1 })
            },
            onTurnPause: ({ setCustomContext }) => setCustomContext({ b: 2 }),
            onTurnEnd: ({ customContext }) => void seen.push(customContext),
          },
        ],
      },
    )
    await engine.sendMessage('go')
    expect(engine.getState().turn?.customContext).toEqual({ a: 1, b: 2 })
    await resume({ toolCallId: '1' })
    await completed()
    transport.add(answer('hi'))
    await engine.sendMessage('next')
    expect(seen).toEqual([{}, { a: 1, b: 2 }, {}, { a: 1 }])
  })
})

describe('onSettle', () => {
  it.each([
    [['pause', 'next'], 'paused', 1],
    [['next', 'pause'], 'paused', 1],
    [['next', undefined], 'completed', 2],
    [[undefined, undefined], 'completed', 1],
  ] as const)('of several plugins: %j', async (answers, requestState, requests) => {
    const transport = scriptedTransport([answer('one'), answer('two')])
    const plugins = answers.map((own): EnginePlugin => ({
      onSettle: ({ turn }) => (turn?.step === 1 ? own : undefined),
    }))
    const engine = createMessageEngine({ transport, plugins })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState })
    expect(transport.requests).toHaveLength(requests)
  })

  it('have a last word in the tick in which a turn ends, before anybody is told', async () => {
    const seen: string[] = []
    const broken: InternalPlugin = {
      name: 'broken',
      onTurnOver: () => {
        throw new Error('no')
      },
    }
    const noting: InternalPlugin = {
      onTurnOver({ getState, setCustomContext }) {
        seen.push(getState().requestState)
        setCustomContext({ said: seen.length })
      },
    }
    const { engine, errors } = createToolEngine(
      [answer('ok'), [{ type: 'error', errorText: 'no' }], callTools(write)],
      tools,
      { plugins: [broken, noting] },
    )
    engine.subscribe(() => {
      const { requestState, turn } = engine.getState()
      if (requestState === 'processing' || requestState === 'paused') return
      seen.push(`${requestState} ${String(turn?.customContext['said'])}`)
    })
    await engine.sendMessage('go')
    await engine.sendMessage('go')
    await engine.sendMessage('go')
    await engine.abort()
    expect([...new Set(seen)]).toEqual([
      'processing',
      'completed 1',
      'error 3',
      'paused',
      'aborted 5',
    ])
    const told = errors.filter(({ code }) => code === 'hook_failed')
    expect(told.map(({ message }) => message)).toEqual(
      Array.from({ length: 3 }, () => 'onTurnOver of plugin broken failed: no'),
    )
  })
})
