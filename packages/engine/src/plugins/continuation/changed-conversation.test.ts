import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { callOf, guardedTools } from '../../../test/guarded-tools.ts'
import {
  createContinuingEngine,
  final,
  found,
  paused,
  searching,
} from '../../../test/paused-steps.ts'
import type { EnginePlugin, PluginContext } from '../../plugin.ts'
import { textChunks, toolCallChunks } from '../../testing/index.ts'

const own = (toolCallId: string, toolName?: string) => toolCallChunks(callOf(toolCallId, toolName))

/** A plugin that does something in one hook, in every step but the first. */
function inHook(
  hook: 'onBeforeRequest' | 'onAfterRequest' | 'onSettle' | 'onTurnPause' | 'onTurnResume',
  act: (context: PluginContext) => void,
): EnginePlugin {
  let isDone = false
  return {
    name: 'editor',
    [hook]: (context: PluginContext) => {
      const { getState } = context
      if (isDone || getState().messages.at(-1)?.role !== 'assistant') return
      isDone = true
      act(context)
    },
  }
}

/** Changes the last message. */
const edit =
  (change: (message: UIMessage) => UIMessage) =>
  ({ getState, updateMessage }: PluginContext) =>
    updateMessage(getState().messages.at(-1)?.id ?? '', change)

const dropParts = edit((message) => ({ ...message, parts: message.parts.slice(0, 1) }))

const changes: [string, (context: PluginContext) => void][] = [
  ['drops parts', dropParts],
  [
    'adds a part',
    edit((message) => ({
      ...message,
      parts: [...message.parts, { type: 'text', text: 'Note', state: 'done' }],
    })),
  ],
  [
    'shortens a text',
    edit((message) => ({
      ...message,
      parts: message.parts.map((part) => (part.type === 'text' ? { ...part, text: '…' } : part)),
    })),
  ],
  [
    'changes what the provider was called with',
    edit((message) => ({
      ...message,
      parts: message.parts.map((part) =>
        part.type === 'tool-web_search' && part.state === 'input-available'
          ? { ...part, input: { query: 'else' } }
          : part,
      ),
    })),
  ],
  [
    'gives a call of the provider a result',
    edit((message) => ({
      ...message,
      parts: message.parts.map((part) =>
        part.type === 'tool-web_search' && part.state === 'input-available'
          ? { ...part, state: 'output-available' as const, output: [] }
          : part,
      ),
    })),
  ],
  [
    'appends a message',
    ({ appendMessage }) =>
      appendMessage({ id: 'n', role: 'user', parts: [{ type: 'text', text: 'And?' }] }),
  ],
  [
    'compacts what was before',
    ({ getState, updateMessage }) =>
      updateMessage(getState().messages[0]?.id ?? '', (message) => ({
        ...message,
        parts: [{ type: 'text', text: 'Summary' }],
      })),
  ],
]

const pausedStep = paused(textChunks('text', 'Let me look.'), searching('s1'))

describe('a hook that changes the conversation of a paused step', () => {
  it.each(changes)('keeps it from being continued when it %s', async (_what, act) => {
    const { engine, transport, errors, calls } = createContinuingEngine([pausedStep], {
      plugins: [inHook('onBeforeRequest', act)],
    })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(1)
    expect(errors).toMatchObject([{ code: 'conversation_changed', details: { step: 1 } }])
    expect(errors[0]?.message).toMatch(/a hook changed the conversation/)
    expect(calls().some(({ state }) => state === 'input-available')).toBe(false)
    expect(engine.getState().turn).toMatchObject({
      step: 1,
      customContext: { continuation: { count: 0, max: 10 } },
    })
  })

  it.each(['onAfterRequest', 'onSettle', 'onBeforeRequest'] as const)(
    'is found out wherever it stands, in %s',
    async (hook) => {
      const plugin = inHook(hook, dropParts)
      const after = createContinuingEngine([pausedStep], { plugins: [plugin] })
      await after.engine.sendMessage('go')
      expect(after.errors).toMatchObject([{ code: 'conversation_changed' }])
      expect(after.transport.requests).toHaveLength(1)

      // In the place of the tool plugin, which stands before the continuation plugin.
      const before = createContinuingEngine([pausedStep], {
        plugins: [{ ...inHook(hook, dropParts), name: 'tool' }],
      })
      await before.engine.sendMessage('go')
      expect(before.errors).toMatchObject([{ code: 'conversation_changed' }])
      expect(before.transport.requests).toHaveLength(1)
    },
  )

  it.each(['onTurnPause', 'onTurnResume'] as const)(
    'during a pause lets only the results be sent, in %s',
    async (hook) => {
      const { options } = guardedTools()
      const { engine, transport, resume, completed, errors } = createContinuingEngine(
        [paused(textChunks('text', 'Let me look.'), searching('s1'), own('1')), final('Done.')],
        {
          tools: options,
          plugins: [
            inHook(
              hook,
              edit((message) => ({
                ...message,
                parts: message.parts.filter(({ type }) => type !== 'text'),
              })),
            ),
          ],
        },
      )
      await engine.sendMessage('go')
      await resume({ toolCallId: '1' })
      await completed()
      // The model is owed the result of the call that ran; it is no continuation any more.
      expect(transport.requests).toHaveLength(2)
      expect(errors).toMatchObject([{ code: 'conversation_changed' }])
      expect(engine.getState().turn?.customContext).toEqual({ continuation: { count: 0, max: 10 } })
    },
  )

  it('is of no matter when it is put back before the request', async () => {
    let parts: UIMessage['parts'] = []
    const { engine, transport, errors } = createContinuingEngine(
      [pausedStep, final('Done.', found('s1'))],
      {
        plugins: [
          inHook('onAfterRequest', (context) => {
            parts = context.getState().messages.at(-1)?.parts ?? []
            dropParts(context)
          }),
          {
            ...inHook(
              'onSettle',
              edit((message) => ({ ...message, parts: [...parts] })),
            ),
            name: 'restorer',
          },
        ],
      },
    )
    await engine.sendMessage('go')
    expect(transport.requests).toHaveLength(2)
    expect(errors).toEqual([])
  })

  it('is of no matter when it changes metadata only', async () => {
    const { engine, transport, errors } = createContinuingEngine(
      [pausedStep, final('Done.', found('s1'))],
      {
        plugins: [
          inHook(
            'onAfterRequest',
            edit((message) => ({ ...message, metadata: { ms: 3 } })),
          ),
        ],
      },
    )
    await engine.sendMessage('go')
    expect(transport.requests).toHaveLength(2)
    expect(errors).toEqual([])
  })

  it('is asked for the step all the same when a plugin wants it as it is', async () => {
    const asking = inHook('onSettle', (context) => {
      dropParts(context)
    })
    const { engine, transport, errors } = createContinuingEngine([pausedStep, final('Done.')], {
      plugins: [
        asking,
        {
          name: 'eager',
          onAfterRequest: ({ requestNext, turn }) => {
            if (turn?.step === 1) requestNext()
          },
        },
      ],
    })
    await engine.sendMessage('go')
    expect(transport.requests).toHaveLength(2)
    expect(errors).toMatchObject([{ code: 'conversation_changed' }])
  })
})
