import { describe, expect, it } from 'vitest'
import type { ApprovalScope } from '../../confirmation.ts'
import { callOf, guardedTools, pausedIn, saved, waitingIds } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools } from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'
import { deriveApprovalPolicies } from './policies.ts'

/** An always on call 1, then whatever the model calls in the steps after it. */
async function alwaysThen(
  steps: Parameters<typeof callTools>[0][],
  { scope, tools }: { scope?: ApprovalScope; tools?: ToolPluginOptions } = {},
) {
  const { runs, options } = guardedTools(tools)
  const made = createToolEngine(
    [callTools(callOf('1')), ...steps.map((calls) => callTools(calls)), answer('ok')],
    options,
  )
  await made.engine.sendMessage('go')
  await made.resume({
    toolCallId: '1',
    outcome: 'yes_always',
    scope: { covers: 'tool', ...scope },
  })
  return { ...made, runs, options }
}

describe('an always', () => {
  it('is honoured at once and from then on, and each use of it can be traced to it', async () => {
    const { engine, completed, runs, calls } = await alwaysThen([callOf('2'), callOf('3')])
    await completed()
    expect(runs).toEqual(['write 1.txt', 'write 2.txt', 'write 3.txt'])
    const [always, ...used] = engine.getState().confirmations
    const policyId = always?.id
    expect(used).toMatchObject([
      { event: 'used', policyId, toolCallId: '2' },
      { event: 'used', policyId, toolCallId: '3' },
    ])
    for (const part of calls().slice(1)) {
      expect(part).toMatchObject({
        approval: {
          approved: true,
          isAutomatic: true,
          reason: `Always allowed: confirmation ${policyId}.`,
        },
        toolMetadata: { assent: { decidedBy: 'policy', confirmationId: policyId } },
      })
    }
  })

  it('never stands above a deny of the rules, nor lets it become an ask', async () => {
    const { completed, runs, sentCalls } = await alwaysThen([callOf('2', 'write', 'secret')], {
      tools: {
        toolApproval: {
          write: ({ path }: { path: string }) =>
            path === 'secret' ? { type: 'denied', reason: 'Not by policy.' } : 'user-approval',
        },
      },
    })
    await completed()
    expect(runs).toEqual(['write 1.txt'])
    expect(sentCalls(3)[1]).toMatchObject({
      state: 'output-denied',
      approval: { reason: 'Not by policy.', isAutomatic: true },
      toolMetadata: { assent: { decidedBy: 'rule' } },
    })
  })

  it('that was turned off is off: the next call is asked about', async () => {
    const { engine, resume, completed, runs } = await alwaysThen([
      [callOf('2'), callOf('r', 'remove')],
      callOf('3'),
    ])
    await pausedIn(engine, 2)
    const policyId = engine.getState().confirmations[0]!.id
    await engine.runPluginCommand('tool', 'revokePolicy', { policyId })
    for (const toolCallId of ['2', 'r']) await resume({ toolCallId, outcome: 'no' })
    await pausedIn(engine, 3)
    expect(waitingIds(engine)).toEqual(['3'])
    await resume({ toolCallId: '3', outcome: 'no' })
    await completed()
    expect(runs).toEqual(['write 1.txt'])
  })

  it('covers its own tool alone', async () => {
    const { engine, runs } = await alwaysThen([[callOf('2', 'remove'), callOf('3')]])
    await pausedIn(engine, 2)
    expect(waitingIds(engine)).toEqual(['2'])
    expect(runs).toEqual(['write 1.txt'])
  })

  it('that does not hold any more says so, and why', async () => {
    const until = Date.now() + 60_000
    const { engine, completed } = await alwaysThen([], {
      scope: { covers: 'tool', until, uses: 1 },
    })
    await completed()
    const [always] = engine.getState().confirmations
    // What the engine's own clock has seen since is left out.
    const confirmations = [always!]
    const used = { ...saved(always!), id: 'u', policyId: always!.id, event: 'used' as const }
    const statusAt = (now: number) =>
      deriveApprovalPolicies(confirmations, { now }).map(({ status }) => status)
    expect(statusAt(until - 1)).toEqual(['standing'])
    expect(statusAt(until)).toEqual(['expired'])
    const records = [...confirmations, used]
    expect(deriveApprovalPolicies(records, { now: until - 1 })).toMatchObject([
      { status: 'used-up', uses: 1 },
    ])
  })
})

describe('an always for a beginning of a text', () => {
  const scope: ApprovalScope = { covers: { '/path': { prefix: 'git status' } } }

  it.each([
    ['the very text', 'git status', true],
    ['what follows after a space', 'git status src', true],
    ['a longer word', 'git statusx', false],
    ['only the first word of it', 'git push --force', false],
    ['another command after it', 'git status; rm -rf /', false],
    ['another command beside it', 'git status & rm -rf /', false],
    ['a pipe', 'git status | sh', false],
    ['a command in it', 'git status $(rm -rf /)', false],
    ['a command in backticks', 'git status `rm -rf /`', false],
    ['another line', 'git status\nrm -rf /', false],
    ['a redirection', 'git status > /etc/passwd', false],
    ['a way out of a folder', 'git status ../../etc', false],
    ['it in another place', 'rm -rf / git status', false],
  ])('covers whole words and nothing that hides more: %s', async (_name, path, isCovered) => {
    const { engine, runs } = await alwaysThen(
      [[callOf('2', 'write', path), callOf('r', 'remove')]],
      {
        scope,
      },
    )
    await pausedIn(engine, 2)
    expect(waitingIds(engine)).toEqual(isCovered ? ['r'] : ['2', 'r'])
    expect(runs).toEqual(['write 1.txt'])
  })

  it('covers no options after it, by which an interpreter would run what it is handed', async () => {
    const { engine } = await alwaysThen(
      [[callOf('2', 'write', 'python -c import os'), callOf('3', 'write', 'pythonx a.py')]],
      { scope: { covers: { '/path': { prefix: 'python' } } } },
    )
    await pausedIn(engine, 2)
    expect(waitingIds(engine)).toEqual(['2', '3'])
  })

  it.each<[string, ApprovalScope]>([
    ['a time that is over', { covers: 'tool', until: 1 }],
    ['a time that is over, and nothing else', { until: -1 }],
  ])('that has ended already is refused: %s', async (_name, until) => {
    const { options, runs } = guardedTools()
    const { engine, resume } = createToolEngine([callTools(callOf('1')), answer('ok')], options)
    await engine.sendMessage('go')
    expect(await resume({ toolCallId: '1', outcome: 'yes_always', scope: until })).toMatchObject({
      success: false,
      error: { code: 'scope_refused' },
    })
    expect(waitingIds(engine)).toEqual(['1'])
    expect(engine.getState().confirmations).toEqual([])
    expect(runs).toEqual([])
  })

  it('of a call that destroys is none: only its exact input can always be allowed', async () => {
    const { options, runs } = guardedTools({ toolOptions: { remove: { risk: 'destroy' } } })
    const { engine, resume, completed } = createToolEngine(
      [
        callTools(callOf('1', 'remove', 'tmp')),
        callTools([callOf('2', 'remove', 'tmp'), callOf('3', 'remove', 'tmp/a')]),
        answer('ok'),
      ],
      options,
    )
    await engine.sendMessage('go')
    for (const covers of ['tool' as const, { '/path': { prefix: 'tmp' } }]) {
      const refused = await resume({
        toolCallId: '1',
        outcome: 'yes_always',
        scope: { covers },
      })
      expect(refused).toMatchObject({ success: false, error: { code: 'scope_refused' } })
    }
    expect(engine.getState().confirmations).toEqual([])
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'input' } })
    await pausedIn(engine, 2)
    expect(waitingIds(engine)).toEqual(['3'])
    await resume({ toolCallId: '3', outcome: 'no' })
    await completed()
    expect(runs).toEqual(['remove tmp', 'remove tmp'])
  })
})

describe('rules of several kinds', () => {
  it.each([
    ['a static ask and a check that would let it pass', 'user-approval', false, ['1']],
    ['a static allow and a check that asks', 'approved', true, ['1']],
    ['a static deny and a check that would let it pass', 'denied', false, []],
    ['two that let it pass', 'approved', false, []],
  ] as const)('are joined by the strictest: %s', async (_name, status, isPaused, waiting) => {
    const { options, runs } = guardedTools({
      toolApproval: { write: status },
      shouldPauseToolCall: () => isPaused,
    })
    const { engine } = createToolEngine([callTools(callOf('1')), answer('ok')], options)
    await engine.sendMessage('go')
    expect(waitingIds(engine)).toEqual(waiting)
    expect(runs).toEqual(status === 'approved' && !isPaused ? ['write 1.txt'] : [])
  })
})

describe('an always that was given in another run of the app', () => {
  it('holds by what was meant, not by the id of a session: in this conversation, or everywhere', async () => {
    for (const [where, sameId, isHeld] of [
      ['conversation', true, true],
      ['conversation', false, false],
      ['everywhere', false, true],
    ] as const) {
      const first = await alwaysThen([], { scope: { covers: 'tool', where } })
      await first.completed()
      const { confirmations } = saved(first.engine.getState())
      const second = createToolEngine(
        [callTools(callOf('1', 'write', 'src/a')), answer('ok')],
        first.options,
        { confirmations, ...(sameId && { id: first.engine.id }) },
      )
      expect(await second.engine.sendMessage('go')).toMatchObject({
        requestState: isHeld ? 'completed' : 'paused',
      })
      expect(first.runs).toEqual(['write 1.txt', ...(isHeld ? ['write src/a'] : [])])
    }
  })
})
