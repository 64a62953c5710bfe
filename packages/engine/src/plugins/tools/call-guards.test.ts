import { describe, expect, it } from 'vitest'
import { callOf, guardedTools, pausedIn, waitingIds } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { isExactOnly, riskOf, type ToolCallPart } from '../../message/tool-part.ts'
import { toolCallsOf } from '../../message/tool-calls.ts'
import { answer, callTools } from '../../testing/index.ts'
import type { ToolOptions } from './options.ts'
import { waitingCalls } from './waiting-calls.ts'

type Input = { path?: string }

/** An engine whose tool `write` has these options, with its first call waiting. */
async function start(own: ToolOptions<Input>, ...paths: string[]) {
  const { options, runs } = guardedTools()
  const calls = paths.map((path, index) => callOf(String(index + 2), 'write', path))
  const made = createToolEngine(
    [
      callTools(callOf('1', 'write', 'src/a.txt')),
      callTools([...calls, callOf('last', 'remove')]),
      answer('done'),
    ],
    { ...options, toolOptions: { write: own } },
  )
  await made.engine.sendMessage('go')
  const part = () => {
    const [entry] = made.engine.getState().messages.flatMap(toolCallsOf)
    if (!entry) throw new Error('There is no call.')
    return entry.part
  }
  return { ...made, runs, part }
}

describe('a risk that follows the call', () => {
  it('is shown, lets nothing run, and bounds what an always covers', async () => {
    const risk = ({ path = '' }: Input) => (path.endsWith('.log') ? 'destroy' : 'read')
    const { engine, part, resume } = await start({ risk }, 'src/b.txt', 'src/c.log')
    // Of a tool `read` says that it runs; of a call it is for the card.
    expect(waitingIds(engine)).toEqual(['1'])
    expect(riskOf(part())).toBe('read')
    const scope = { covers: { '/path': { prefix: 'src/' } } }
    await resume({ toolCallId: '1', outcome: 'yes_always', scope })
    await pausedIn(engine, 2)
    expect(waitingIds(engine)).toEqual(['3', 'last'])
  })

  it('is that which its rule has found out by trying the call', async () => {
    const tried: string[] = []
    const { options, runs } = guardedTools()
    const { engine } = createToolEngine([callTools(callOf('1', 'write', 'a.txt'))], {
      ...options,
      toolApproval: {
        write: ({ path }: { path: string }) => {
          tried.push(path)
          return 'user-approval'
        },
      },
      toolOptions: { write: { risk: () => (tried.length > 0 ? 'destroy' : 'write') } },
    })
    await engine.sendMessage('go')
    const [entry] = engine.getState().messages.flatMap(toolCallsOf)
    expect(entry && riskOf(entry.part)).toBe('destroy')
    expect(waitingCalls(engine.getState())).toMatchObject([{ risk: 'destroy' }])
    expect(runs).toEqual([])
  })

  it.each([
    ['that throws', () => Promise.reject.call(undefined)],
    ['that names none', () => 'harmless'],
  ])('counts as the greatest where it comes of a function %s', async (_name, risk) => {
    const { part } = await start({ risk: risk as unknown as () => 'read' })
    expect(riskOf(part())).toBe('destroy')
    expect(isExactOnly(part())).toBe(true)
  })
})

describe('a call that only its exact input covers', () => {
  it.each([
    ['by its tool', true],
    ['by its input', ({ path = '' }: Input) => path.startsWith('src/')],
    [
      'where that fails',
      () => {
        throw new Error('no')
      },
    ],
  ])('says so, and takes no wider always: %s', async (_name, exactOnly) => {
    const { engine, part, resume } = await start({ exactOnly }, 'src/a.txt', 'src/b.txt')
    expect(isExactOnly(part())).toBe(true)
    const wide = { covers: { '/path': { prefix: 'src/' } } }
    for (const scope of [wide, { covers: 'tool' }] as const) {
      expect(await resume({ toolCallId: '1', outcome: 'yes_always', scope })).toMatchObject({
        success: false,
        error: { code: 'scope_refused' },
      })
    }
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'input' } })
    await pausedIn(engine, 2)
    expect(waitingIds(engine)).toEqual(['3', 'last'])
  })

  it('is asked about although an always on another one is wider', async () => {
    const exactOnly = ({ path = '' }: Input) => path.endsWith('key')
    const { engine, resume } = await start({ exactOnly }, 'src/b.txt', 'src/server.key')
    const scope = { covers: { '/path': { prefix: 'src/' } } }
    expect(await resume({ toolCallId: '1', outcome: 'yes_always', scope })).toMatchObject({
      success: true,
    })
    await pausedIn(engine, 2)
    expect(waitingIds(engine)).toEqual(['3', 'last'])
  })
})

it('is of the greatest risk that anybody said', () => {
  const part: ToolCallPart = {
    type: 'tool-bash',
    toolCallId: '1',
    state: 'approval-requested',
    input: {},
    approval: { id: 'a', descriptor: { risk: 'destroy' } },
    toolMetadata: { assent: { risk: 'write' }, risk: 'send' },
  }
  expect(riskOf(part)).toBe('destroy')
})
