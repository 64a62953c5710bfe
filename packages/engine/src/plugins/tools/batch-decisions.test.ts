import { describe, expect, it } from 'vitest'
import { callOf, decisionsIn, guardedTools, waitingIds } from '../../../test/guarded-tools.ts'
import { callsAndResults, promptOf } from '../../../test/model-prompt.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools } from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'
import type { ResumeToolCallPayload } from './commands.ts'

const IDS = ['1', '2', '3']

async function threeWaiting(tools: ToolPluginOptions = {}) {
  const { runs, options } = guardedTools(tools)
  const made = createToolEngine(
    [callTools(IDS.map((id) => callOf(id))), answer('ok'), answer('next')],
    options,
  )
  await made.engine.sendMessage('go')
  const decide = (...decisions: ResumeToolCallPayload[]) =>
    made.engine.runPluginCommand('tool', 'resumeToolCalls', decisions)
  return { ...made, runs, decide }
}

describe('each outcome of a decision', () => {
  it.each([
    [undefined, ['write 1.txt'], 'output-available'],
    ['yes', ['write 1.txt'], 'output-available'],
    ['yes_always', ['write 1.txt'], 'output-available'],
    ['no', [], 'output-denied'],
  ] as const)('is carried out and recorded: %s', async (outcome, effects, state) => {
    const { runs, options } = guardedTools()
    const { engine, resume, completed, sentCalls } = createToolEngine(
      [callTools(callOf('1')), answer('ok')],
      options,
    )
    await engine.sendMessage('go')
    const result = await resume({ toolCallId: '1', reason: 'so', ...(outcome && { outcome }) })
    expect(result).toMatchObject({ success: true, result: { toolCallId: '1', settled: [] } })
    await completed()
    expect(runs).toEqual(effects)
    expect(sentCalls(2)).toMatchObject([
      { state, approval: { approved: outcome !== 'no', reason: 'so' } },
    ])
    expect(engine.getState().confirmations).toMatchObject([
      { toolCallId: '1', outcome: outcome ?? 'yes', reason: 'so' },
    ])
  })
})

describe('a batch of decisions', () => {
  it('is applied together, in one change that everybody sees at once', async () => {
    const { engine, calls, completed, decide, runs } = await threeWaiting()
    const seen = new Set<number>()
    engine.subscribe(() => {
      seen.add(calls().filter(({ state }) => state === 'approval-requested').length)
    })
    const result = await decide(
      { toolCallId: '3' },
      { toolCallId: '1', outcome: 'no', reason: 'not the first' },
      { toolCallId: '2' },
    )
    expect(result).toMatchObject({
      success: true,
      result: {
        toolCalls: [{ toolCallId: '3' }, { toolCallId: '1' }, { toolCallId: '2' }],
        settled: [],
      },
    })
    await completed()
    expect([...seen]).toEqual([0])
    expect(runs.toSorted()).toEqual(['write 2.txt', 'write 3.txt'])
    expect(decisionsIn(engine.getState().confirmations)).toEqual(['3: yes', '1: no', '2: yes'])
  })

  it('is refused as a whole, with an error for each that cannot be, and nothing is half applied', async () => {
    const { engine, calls, decide, runs } = await threeWaiting({
      toolOptions: { write: { risk: 'destroy' } },
    })
    const before = engine.getState()
    const result = await decide(
      { toolCallId: '1' },
      { toolCallId: 'nobody' },
      { toolCallId: '2', outcome: 'yes_always', scope: { covers: 'tool' } },
      { toolCallId: '3', input: { path: 42 } },
    )
    expect(result).toMatchObject({
      success: false,
      error: {
        code: 'batch_refused',
        details: {
          errors: [
            { index: 1, toolCallId: 'nobody', code: 'unknown_tool_call' },
            { index: 2, toolCallId: '2', code: 'scope_refused' },
          ],
        },
      },
    })
    expect(engine.getState()).toBe(before)
    expect(calls().every(({ state }) => state === 'approval-requested')).toBe(true)
    expect(runs).toEqual([])
  })

  it('is refused as a whole when a schema refuses one input, after the others were looked at', async () => {
    const { engine, decide, runs, completed } = await threeWaiting()
    const edited = (path: unknown) => [
      { toolCallId: '1' },
      { toolCallId: '2', input: { path } },
      { toolCallId: '3', outcome: 'no' as const },
    ]
    expect(await decide(...edited(42))).toMatchObject({
      success: false,
      error: {
        code: 'batch_refused',
        details: { errors: [{ index: 1, toolCallId: '2', code: 'invalid_input' }] },
      },
    })
    expect(waitingIds(engine)).toEqual(IDS)
    expect(engine.getState().confirmations).toEqual([])
    expect(await decide(...edited('b.txt'))).toMatchObject({ success: true })
    await completed()
    expect(runs).toEqual(['write 1.txt', 'write b.txt'])
  })

  it('tells of every malformed decision in it', async () => {
    const { engine, decide } = await threeWaiting()
    const malformed: unknown[] = [
      { toolCallId: '1' },
      { toolCallId: 2 },
      null,
      { toolCallId: '2', outcome: 'maybe' },
      { toolCallId: '3', scope: {} },
    ]
    const result = await engine.runPluginCommand('tool', 'resumeToolCalls', malformed as never)
    expect(result).toMatchObject({ success: false, error: { code: 'batch_refused' } })
    const errors = result.success ? [] : result.error.details['errors']
    expect(errors).toMatchObject([1, 2, 3, 4].map((index) => ({ index, code: 'invalid_argument' })))
    expect(waitingIds(engine)).toEqual(IDS)
    expect(await decide()).toMatchObject({ error: { code: 'invalid_argument' } })
  })

  it('may say again what was decided, as long as it says the same', async () => {
    const { engine, decide, resume, runs, completed } = await threeWaiting()
    await resume({ toolCallId: '1', outcome: 'no', reason: 'mine' })
    expect(
      await decide({ toolCallId: '1' }, { toolCallId: '2' }, { toolCallId: '3' }),
    ).toMatchObject({
      error: { details: { errors: [{ index: 0, code: 'not_awaiting_approval' }] } },
    })
    expect(waitingIds(engine)).toEqual(['2', '3'])
    await decide({ toolCallId: '1', outcome: 'no' }, { toolCallId: '2' }, { toolCallId: '3' })
    await completed()
    expect(runs).toEqual(['write 2.txt', 'write 3.txt'])
    expect(decisionsIn(engine.getState().confirmations)).toEqual(['1: no', '2: yes', '3: yes'])
  })

  it('with an always in it settles what that covers, and what the batch says itself counts more', async () => {
    const { engine, decide, runs, completed } = await threeWaiting()
    expect(
      await decide(
        { toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } },
        { toolCallId: '2', outcome: 'no' },
      ),
    ).toMatchObject({
      success: true,
      result: {
        toolCalls: [{ toolCallId: '1' }, { toolCallId: '2' }],
        settled: [{ toolCallId: '3' }],
      },
    })
    await completed()
    expect(runs).toEqual(['write 1.txt', 'write 3.txt'])
    expect(decisionsIn(engine.getState().confirmations)).toEqual(['1: yes_always', '2: no'])
  })

  it('of both outcomes reaches the model with the denied results and their reasons', async () => {
    const { engine, decide, completed } = await threeWaiting()
    await decide(
      { toolCallId: '1', outcome: 'no', reason: 'Wrong folder.' },
      { toolCallId: '2' },
      { toolCallId: '3', outcome: 'no' },
    )
    await completed()
    await engine.sendMessage('next')
    const { prompt, errors } = await promptOf(engine.getState().messages)
    expect(errors).toEqual([])
    expect(callsAndResults(prompt!)).toEqual({ calls: IDS, results: IDS })
    const outputs = prompt!.flatMap(({ role, content }) =>
      role === 'tool' ? content.flatMap((part) => ('output' in part ? [part.output] : [])) : [],
    )
    expect(outputs).toMatchObject([
      { type: 'error-text', value: 'Wrong folder.' },
      { type: 'text', value: 'write 2.txt: done' },
      { type: 'error-text', value: 'Tool call execution denied.' },
    ])
  })
})
