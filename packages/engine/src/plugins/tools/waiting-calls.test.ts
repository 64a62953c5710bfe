import { describe, expect, it } from 'vitest'
import { callOf, guardedTools, pausedIn } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools } from '../../testing/index.ts'
import { fingerprintOfCall } from './turn-calls.ts'
import { waitingCalls } from './waiting-calls.ts'

describe('waitingCalls', () => {
  it('says of each call that waits what a person has to know, and why it asks', async () => {
    const { options } = guardedTools({
      toolApproval: { write: { type: 'user-approval', reason: 'It changes a file.' } },
      toolOptions: {
        write: {
          summary: ({ path }: { path: string }) => `Write ${path}`,
          preview: () => ({ kind: 'text', text: 'a file' }),
          risk: 'write',
        },
      },
    })
    const { engine, calls } = createToolEngine(
      [callTools([callOf('1'), callOf('2', 'read')])],
      options,
    )
    await engine.sendMessage('go')
    expect(waitingCalls(engine.getState())).toEqual([
      {
        messageId: engine.getState().messages.at(-1)?.id,
        step: 1,
        toolCallId: '1',
        toolName: 'write',
        kind: 'approval',
        input: { path: '1.txt' },
        fingerprint: fingerprintOfCall(calls()[0]!),
        summary: 'Write 1.txt',
        preview: { kind: 'text', text: 'a file' },
        risk: 'write',
        requestReason: 'It changes a file.',
        checkFailed: false,
        isElsewhere: false,
        expiresAt: undefined,
      },
    ])
  })

  it('has what a decision names: given back, it decides that call and no other', async () => {
    const { runs, options } = guardedTools()
    const script = [callTools([callOf('1'), callOf('2')]), answer('ok')]
    const { engine, completed } = createToolEngine(script, options)
    await engine.sendMessage('go')
    const [first, second] = waitingCalls(engine.getState())
    const { messageId, step, fingerprint } = first!
    const wrong = { ...second!, messageId, step, fingerprint, outcome: 'yes' } as const
    expect(await engine.runPluginCommand('tool', 'resumeToolCall', wrong)).toMatchObject({
      success: false,
      error: { code: 'call_changed' },
    })
    for (const call of [first!, second!])
      await engine.runPluginCommand('tool', 'resumeToolCall', pick(call))
    await completed()
    expect(runs).toEqual(['write 1.txt', 'write 2.txt'])
    expect(waitingCalls(engine.getState())).toEqual([])
  })

  it('tells a call that waits for an answer from one that waits for a decision', async () => {
    const { options } = guardedTools()
    const { engine } = createToolEngine([callTools([callOf('1'), callOf('q', 'ask')])], {
      ...options,
      tools: { ...options.tools, ask: { inputSchema: options.tools!['read']!.inputSchema } },
    })
    await engine.sendMessage('go')
    await pausedIn(engine, 1)
    expect(waitingCalls(engine.getState()).map(({ kind }) => kind)).toEqual(['approval', 'output'])
  })

  it('is empty while the model answers, when nothing can be decided', async () => {
    const { options } = guardedTools()
    const { engine, transport } = createToolEngine([], options)
    const held = transport.hold()
    const sent = engine.sendMessage('go')
    await held.push(...callTools(callOf('1')).slice(0, -2))
    expect(waitingCalls(engine.getState())).toEqual([])
    await engine.abort()
    await sent
    expect(waitingCalls(engine.getState())).toEqual([])
  })
})

function pick({
  messageId,
  step,
  toolCallId,
  fingerprint,
}: ReturnType<typeof waitingCalls>[number]) {
  return { messageId, step, toolCallId, fingerprint }
}
