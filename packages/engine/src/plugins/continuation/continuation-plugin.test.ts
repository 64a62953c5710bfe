import { describe, expect, it } from 'vitest'
import {
  createContinuingEngine,
  ended,
  endedAs,
  final,
  found,
  paused,
  searching,
} from '../../../test/paused-steps.ts'
import type { EnginePlugin } from '../../plugin.ts'
import { responseChunks, stepChunks, textChunks } from '../../testing/index.ts'
import { continuationPlugin } from './index.ts'

describe('a step that the provider paused', () => {
  it('is continued by the same conversation, in the same turn and message', async () => {
    const { engine, transport, calls, errors } = createContinuingEngine([
      paused(searching('s1')),
      final('Found it.', found('s1')),
    ])
    const { turnId, requestState } = await engine.sendMessage('go')
    expect(requestState).toBe('completed')
    const { messages, turn } = engine.getState()
    expect(turn).toMatchObject({ id: turnId, step: 2 })
    expect(turn?.notice).toBeUndefined()
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(messages[1]?.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'tool-web_search',
      'step-start',
      'text',
    ])
    expect(calls()).toMatchObject([{ state: 'output-available', providerExecuted: true }])

    const [first, second, ...more] = transport.requests
    expect(more).toEqual([])
    expect(second).toMatchObject({ trigger: 'submit-message', messageId: 'answer' })
    expect(second?.messages.slice(0, -1)).toEqual(first?.messages)
    expect(second?.messages.at(-1)).toEqual({
      id: 'answer',
      role: 'assistant',
      metadata: { rawFinishReason: 'pause_turn' },
      parts: [
        { type: 'step-start' },
        {
          type: 'tool-web_search',
          toolCallId: 's1',
          state: 'input-available',
          input: { query: 'what is s1?' },
          providerExecuted: true,
        },
      ],
    })
    expect(errors).toEqual([])
  })

  it.each([
    ['after the result of its tool', [searching('s1'), found('s1')]],
    ['after a text', [textChunks('text', 'Let me look')]],
    ['without having said anything', []],
  ])('is continued too when it was paused %s', async (_when, chunks) => {
    const { engine, transport } = createContinuingEngine([paused(...chunks), final('Done.')])
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(2)
    expect(engine.getState().messages.at(-1)?.parts.at(-1)).toMatchObject({ text: 'Done.' })
  })

  it('is continued as often as the provider pauses', async () => {
    const { engine, transport, calls } = createContinuingEngine([
      paused(searching('s1')),
      paused(found('s1'), searching('s2')),
      paused(),
      final('Both.', found('s2')),
    ])
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(4)
    expect(engine.getState().turn).toMatchObject({ step: 4 })
    expect(calls().map(({ state }) => state)).toEqual(['output-available', 'output-available'])
  })

  it('is continued without the tool plugin, too', async () => {
    const { engine, transport } = createContinuingEngine([paused(searching('s1')), final('Yes.')], {
      plugins: [{ name: 'tool' }],
    })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(2)
  })

  it('is continued once by a plugin object that serves several engines', async () => {
    const plugins = [continuationPlugin({ maxContinuations: 1 })]
    const engines = [1, 2].map(() =>
      createContinuingEngine([paused(searching('s1')), final('Yes.', found('s1'))], { plugins }),
    )
    const outcomes = await Promise.all(engines.map(({ engine }) => engine.sendMessage('go')))
    expect(outcomes).toMatchObject([{ requestState: 'completed' }, { requestState: 'completed' }])
    expect(engines.map(({ transport }) => transport.requests.length)).toEqual([2, 2])
  })
})

describe('a step is not continued', () => {
  it.each([
    ['whose finish says nothing', endedAs({}, searching('s1'))],
    ['whose finish says null', endedAs({ finishMetadata: null }, searching('s1'))],
    ['whose finish says a text', endedAs({ finishMetadata: 'pause_turn' }, searching('s1'))],
    ['whose reason is another one', ended('end_turn', searching('s1'))],
    [
      'whose start said so, and not its finish',
      endedAs({ messageMetadata: { rawFinishReason: 'pause_turn' } }, searching('s1')),
    ],
  ])('%s', async (_which, response) => {
    const { engine, transport, calls } = createContinuingEngine([response])
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(1)
    expect(engine.getState().turn?.customContext).toEqual({})
    // Nobody asks for its result any more, so the history gets one.
    expect(calls()).toMatchObject([{ state: 'output-error' }])
  })

  it('because an earlier response of the same message was paused', async () => {
    const { engine, transport } = createContinuingEngine([
      paused(searching('s1')),
      endedAs({}, found('s1'), textChunks('text', 'Found it.')),
    ])
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(2)
    // The metadata of the message are merged, and still say what the first response said.
    expect(engine.getState().messages.at(-1)?.metadata).toEqual({ rawFinishReason: 'pause_turn' })
  })

  it('because the turn before ended paused', async () => {
    const { engine, transport } = createContinuingEngine(
      [paused(searching('s1')), endedAs({}, textChunks('text', 'Hello.'))],
      { continuation: { maxContinuations: 0 } },
    )
    await engine.sendMessage('go')
    expect(await engine.sendMessage('again')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(2)
    expect(engine.getState().turn).toMatchObject({ step: 1, customContext: {} })
    expect(engine.getState().turn?.notice).toBeUndefined()
  })

  it('by the last of its finishes only', async () => {
    const pausedThenDone = [
      ...paused(searching('s1'), found('s1')).slice(0, -1),
      { type: 'finish', messageMetadata: { rawFinishReason: 'pause_turn' } } as const,
      ...responseChunks({}, stepChunks(textChunks('text', 'Done.'))),
    ]
    const { engine, transport } = createContinuingEngine([pausedThenDone])
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(1)
  })
})

describe('a provider that never gets done', () => {
  const always = (count: number) =>
    Array.from({ length: count }, (_, index) => paused(searching(`s${index}`)))

  it('ends the turn at the budget, with a notice and a valid history', async () => {
    const { engine, transport, calls } = createContinuingEngine(always(20))
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(11)
    expect(engine.getState().turn).toMatchObject({ step: 11, notice: 'max-continuations' })
    expect(calls().map(({ state }) => state)).toEqual(Array(11).fill('output-error'))
    expect(calls()[0]?.errorText).toBe(
      'The turn ended before its result came; whether it ran is not known.',
    )
  })

  it.each([0, 1, 3])('is continued %i times when that is the budget', async (maxContinuations) => {
    const { engine, transport } = createContinuingEngine(always(20), {
      continuation: { maxContinuations },
    })
    await engine.sendMessage('go')
    expect(transport.requests).toHaveLength(maxContinuations + 1)
    expect(engine.getState().turn?.notice).toBe('max-continuations')
  })

  it('has a whole budget again in the next turn', async () => {
    const { engine, transport } = createContinuingEngine(
      [...always(2), ...always(1), final('Done.')],
      { continuation: { maxContinuations: 1 } },
    )
    await engine.sendMessage('go')
    expect(engine.getState().turn?.notice).toBe('max-continuations')
    await engine.sendMessage('again')
    expect(engine.getState().turn?.notice).toBeUndefined()
    expect(transport.requests).toHaveLength(4)
  })

  it('ends the turn at its steps, when they are fewer', async () => {
    const { engine, transport, calls } = createContinuingEngine(always(20), { maxSteps: 4 })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(4)
    expect(engine.getState().turn).toMatchObject({ step: 4, notice: 'max-steps' })
    expect(calls().every(({ state }) => state === 'output-error')).toBe(true)
  })

  it('ends the turn at its steps also when it paused without an open call', async () => {
    const { engine, transport } = createContinuingEngine([paused(), paused(), paused()], {
      maxSteps: 2,
    })
    await engine.sendMessage('go')
    expect(transport.requests).toHaveLength(2)
    expect(engine.getState().turn).toMatchObject({ step: 2, notice: 'max-steps' })
  })

  it('that is out of steps, too, says that', async () => {
    const { engine } = createContinuingEngine(always(3), {
      maxSteps: 2,
      continuation: { maxContinuations: 1 },
    })
    await engine.sendMessage('go')
    expect(engine.getState().turn).toMatchObject({ step: 2, notice: 'max-steps' })
  })

  it('leaves no notice when another plugin goes on with the turn', async () => {
    let asked = 0
    const goOn: EnginePlugin = {
      onAfterRequest({ requestNext }) {
        if (++asked === 1) requestNext()
      },
    }
    const { engine, transport } = createContinuingEngine([...always(1), final('Done.')], {
      continuation: { maxContinuations: 0 },
      plugins: [goOn],
    })
    await engine.sendMessage('go')
    expect(transport.requests).toHaveLength(2)
    expect(engine.getState().turn?.notice).toBeUndefined()
  })
})

describe('an answer that was cut at its greatest length', () => {
  const cut = endedAs(
    { finishReason: 'length', finishMetadata: { rawFinishReason: 'max_tokens' } },
    textChunks('text', 'Half of'),
  )

  it('is left as it is', async () => {
    const { engine, transport } = createContinuingEngine([cut])
    await engine.sendMessage('go')
    expect(transport.requests).toHaveLength(1)
  })

  it('is continued when that was asked for, within the same budget', async () => {
    const { engine, transport } = createContinuingEngine([cut, paused(), cut, final('it.')], {
      continuation: { length: true, maxContinuations: 2 },
    })
    expect(await engine.sendMessage('go')).toMatchObject({ notice: 'length' })
    expect(transport.requests).toHaveLength(3)
    expect(transport.requests[1]?.messages.at(-1)?.parts.at(-1)).toEqual({
      type: 'text',
      text: 'Half of',
      state: 'done',
    })
  })
})

it.each([-1, 1.5, Number.NaN, Infinity])('a budget of %d is refused', (maxContinuations) => {
  expect(() => continuationPlugin({ maxContinuations })).toThrow(
    expect.objectContaining({ code: 'invalid_argument' }),
  )
})
