import { describe, expect, it } from 'vitest'
import type { ApprovalScope } from '../../confirmation.ts'
import { callOf, guardedTools, pausedIn, saved, waitingIds } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools } from '../../testing/index.ts'

/** An always on call 1 of `a.txt`, then these calls, whose remainder waits beside a `remove`. */
async function waitingAfter(
  scope: ApprovalScope,
  calls: ReturnType<typeof callOf>[],
  now: () => number = Date.now,
) {
  const { runs, options } = guardedTools()
  const made = createToolEngine(
    [callTools(callOf('1', 'write', 'a.txt')), callTools([...calls, callOf('last', 'remove')])],
    options,
    { now },
  )
  await made.engine.sendMessage('go')
  const said = await made.resume({
    toolCallId: '1',
    outcome: 'yes_always',
    scope: { covers: 'tool', ...scope },
  })
  await pausedIn(made.engine, 2)
  expect(said).toMatchObject({ success: true })
  return { ...made, runs, waiting: waitingIds(made.engine).filter((id) => id !== 'last') }
}

const write = (id: string, path: string) => callOf(id, 'write', path)

describe('an always with a scope', () => {
  it('of this exact input covers that, in any order of its keys, and no other', async () => {
    const { waiting } = await waitingAfter({ covers: 'input' }, [
      write('2', 'a.txt'),
      write('3', 'b.txt'),
      { ...write('4', 'a.txt'), input: { path: 'a.txt', mode: 'x' } },
      callOf('5', 'remove', 'a.txt'),
    ])
    expect(waiting).toEqual(['3', '4', '5'])
  })

  it('of patterns covers what fits all of them, at the boundaries of segments', async () => {
    const { waiting } = await waitingAfter({ covers: { '/path': { glob: 'src/*.ts' } } }, [
      write('2', 'src/a.ts'),
      write('3', 'src/deep/a.ts'),
      write('4', 'src/../a.ts'),
      write('5', 'other/src/a.ts'),
      write('6', 'src/a.tsx'),
    ])
    expect(waiting).toEqual(['3', '4', '5', '6'])
  })

  it.each([
    ['numbers within bounds', { '/n': { min: 1, max: 10 } }, [1, 10], [0, 11, '5', null]],
    ['one of several values', { '/n': { oneOf: ['a', 2, null] } }, ['a', 2, null], ['b', '2', 0]],
  ] as const)('of %s covers these and no others', async (_name, covers, inside, outside) => {
    const withNumber = (n: unknown, index: number) => ({
      ...write(`${index}`, 'a.txt'),
      input: { path: 'a.txt', n },
    })
    const calls = [...inside, ...outside].map((n, index) => withNumber(n, index + 2))
    const { waiting } = await waitingAfter({ covers }, calls)
    expect(waiting).toEqual(calls.slice(inside.length).map(({ toolCallId }) => toolCallId))
  })

  it('until a time covers until then: also what it let wait is asked about again after it', async () => {
    let now = 1_000
    const { engine, waiting, resume, transport, completed, runs, calls } = await waitingAfter(
      { until: 2_000 },
      [write('2', 'b.txt')],
      () => now,
    )
    expect(waiting).toEqual([])
    now = 2_000
    await resume({ toolCallId: 'last' })
    await pausedIn(engine, 2)
    expect(waitingIds(engine)).toEqual(['2'])
    expect(runs).toEqual(['write a.txt'])
    expect(calls()[1]?.approval).not.toHaveProperty('isAutomatic')
    transport.add(callTools(write('3', 'c.txt')), answer('ok'))
    await resume({ toolCallId: '2' })
    await pausedIn(engine, 3)
    expect(waitingIds(engine)).toEqual(['3'])
    await resume({ toolCallId: '3', outcome: 'no' })
    await completed()
    expect(runs).toEqual(['write a.txt', 'write b.txt', 'remove last.txt'])
  })

  it('for a number of uses covers so many, not counting the call that it was given on', async () => {
    const { waiting, engine, resume, transport, completed, runs } = await waitingAfter(
      { uses: 2 },
      ['2', '3', '4'].map((id) => write(id, `${id}.txt`)),
    )
    expect(waiting).toEqual(['4'])
    await resume({ toolCallId: '4', outcome: 'no' })
    transport.add(callTools(write('5', '5.txt')), answer('ok'))
    await resume({ toolCallId: 'last', outcome: 'no' })
    await pausedIn(engine, 3)
    expect(runs).toEqual(['write a.txt', 'write 2.txt', 'write 3.txt'])
    await resume({ toolCallId: '5', outcome: 'no' })
    await completed()
    const used = engine.getState().confirmations.filter((one) => 'event' in one)
    expect(used).toMatchObject([{ toolCallId: '2' }, { toolCallId: '3' }])
  })

  it('with uses also counts those that it settles on the screen', async () => {
    const { options } = guardedTools()
    const { engine, resume } = createToolEngine(
      [callTools(['1', '2', '3', '4'].map((id) => callOf(id)))],
      options,
    )
    await engine.sendMessage('go')
    expect(
      await resume({ toolCallId: '2', outcome: 'yes_always', scope: { covers: 'tool', uses: 2 } }),
    ).toMatchObject({ result: { settled: [{ toolCallId: '1' }, { toolCallId: '3' }] } })
    expect(waitingIds(engine)).toEqual(['4'])
  })

  it.each([
    ['everywhere', []],
    ['conversation', ['2']],
  ] as const)('holds where it says, in another conversation: %s', async (where, waiting) => {
    const first = await waitingAfter({ where }, [])
    const { confirmations } = saved(first.engine.getState())
    const { options, runs } = guardedTools()
    const { engine } = createToolEngine([callTools(callOf('2')), answer('ok')], options, {
      confirmations,
    })
    await engine.sendMessage('go')
    expect(waitingIds(engine)).toEqual(waiting)
    expect(runs).toEqual(waiting.length === 0 ? ['write 2.txt'] : [])
    // Records are added to what was handed in, and name the conversation that they were made in.
    const { confirmations: after } = engine.getState()
    expect(after.slice(0, confirmations.length)).toEqual(confirmations)
    expect(after.slice(confirmations.length).map(({ conversationId }) => conversationId)).toEqual(
      waiting.length === 0 ? [engine.id] : [],
    )
  })

  it.each([
    ['uses of none', { uses: 0 }],
    ['a place that is none', { where: 'somewhere' }],
    ['no pattern', { covers: {} }],
    ['a pattern of no kind', { covers: { '/path': {} } }],
    ['a field that is no JSON Pointer', { covers: { path: { prefix: 'a' } } }],
    ['a word that nobody knows', { forever: true }],
  ])('is refused with %s, and nothing is decided', async (_name, malformed) => {
    const scope: unknown = malformed
    const { options } = guardedTools()
    const { engine } = createToolEngine([callTools(callOf('1'))], options)
    await engine.sendMessage('go')
    const payload = { toolCallId: '1', outcome: 'yes_always', scope } as never
    expect(await engine.runPluginCommand('tool', 'resumeToolCall', payload)).toMatchObject({
      error: { code: 'invalid_argument' },
    })
    expect(waitingIds(engine)).toEqual(['1'])
    expect(engine.getState().confirmations).toEqual([])
  })
})
