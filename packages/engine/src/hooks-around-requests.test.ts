import { describe, expect, it } from 'vitest'
import { createMessageEngine } from './engine.ts'
import type { InternalPlugin } from './plugin.ts'
import { answer, scriptedTransport } from './testing/index.ts'

function setUp(...plugins: InternalPlugin[]) {
  const transport = scriptedTransport([answer('one'), answer('two'), answer('three')])
  const engine = createMessageEngine({ transport, plugins, onError: () => undefined })
  return { engine, transport }
}

/** Asks for steps up to a number, on behalf of facts that it looks at each time. */
const upTo = (steps: number): InternalPlugin => ({
  onSettle: ({ turn }) => ((turn?.step ?? 0) < steps ? 'next' : undefined),
})

describe('a plugin that may take requests back', () => {
  it('is asked after every onBeforeRequest, and not about the first of a turn', async () => {
    const said: string[] = []
    const { engine, transport } = setUp(
      {
        mayRequest: ({ turn }) => {
          said.push(`may ${turn?.step}`)
          return false
        },
      },
      { onBeforeRequest: ({ turn }) => void said.push(`before ${turn?.step}`) },
      // Asks once only: what is taken back is not asked for again.
      {
        onAfterRequest: ({ turn, requestNext }) => {
          if (turn?.step === 1) requestNext()
        },
      },
    )
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(said.slice(0, 4)).toEqual(['before 0', 'may 0', 'before 1', 'may 1'])
    // An explicit request stands: it is made when the turn has looked again.
    expect(transport.requests).toHaveLength(2)
  })

  it('takes back what nothing else asks for', async () => {
    let isWanted = true
    const { engine, transport } = setUp({
      onSettle: () => (isWanted ? 'next' : undefined),
      mayRequest: ({ turn }) => {
        if (turn?.step === 1) isWanted = false
        return isWanted
      },
    })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(1)
    expect(engine.getState().turn).toMatchObject({ step: 1 })
  })

  it('cannot keep a turn from what others still want, nor hold it in a loop', async () => {
    const { engine, transport } = setUp(upTo(3), { mayRequest: () => false })
    expect(await engine.sendMessage('go')).toMatchObject({ requestState: 'completed' })
    expect(transport.requests).toHaveLength(3)
  })

  it('fails the turn by its name when it throws', async () => {
    const { engine } = setUp(upTo(2), {
      name: 'strict',
      mayRequest: ({ turn }) => {
        if (turn?.step) throw new Error('no')
        return true
      },
    })
    expect(await engine.sendMessage('go')).toMatchObject({
      requestState: 'error',
      error: { code: 'hook_failed', details: { plugin: 'strict', hook: 'mayRequest' } },
    })
  })
})

describe('a notice that a plugin sets in onTurnEnd', () => {
  it('is there when the end of the turn is published, and gone in the next turn', async () => {
    const notices: unknown[] = []
    let isFirst = true
    const { engine } = setUp({
      onTurnEnd: ({ setNotice }) => {
        if (isFirst) setNotice('max-continuations')
        isFirst = false
      },
    })
    engine.subscribe(() => {
      const { requestState, turn } = engine.getState()
      if (requestState === 'completed') notices.push(turn?.notice)
    })
    await engine.sendMessage('go')
    await engine.sendMessage('again')
    expect(new Set(notices)).toEqual(new Set(['max-continuations', undefined]))
    expect(notices[0]).toBe('max-continuations')
  })

  it('is dropped when the turn goes on after all', async () => {
    let isFirst = true
    const { engine, transport } = setUp({
      onTurnEnd: ({ setNotice, advance }) => {
        if (!isFirst) return
        isFirst = false
        setNotice('max-continuations')
        advance()
      },
    })
    await engine.sendMessage('go')
    expect(transport.requests).toHaveLength(1)
    expect(engine.getState().turn?.notice).toBeUndefined()
  })
})

it('what onAfterRequest is told is of the response, as its stream left it', async () => {
  const told: unknown[] = []
  const edit: InternalPlugin = {
    onAfterRequest: ({ getState, updateMessage }) =>
      updateMessage(getState().messages.at(-1)?.id ?? '', (message) => ({ ...message, parts: [] })),
  }
  const transport = scriptedTransport([
    answer('one', { finishMetadata: { rawFinishReason: 'end_turn' } }),
    answer('two'),
  ])
  const engine = createMessageEngine({
    transport,
    plugins: [
      upTo(2),
      edit,
      {
        onAfterRequest: ({ finishMetadata, messages }) =>
          void told.push([finishMetadata, messages.at(-1)?.parts.at(-1)]),
      },
    ],
  })
  await engine.sendMessage('go')
  expect(told).toEqual([
    [{ rawFinishReason: 'end_turn' }, { type: 'text', text: 'one', state: 'done' }],
    [undefined, { type: 'text', text: 'two', state: 'done' }],
  ])
})
