import { describe, expect, it } from 'vitest'
import { callOf, guardedTools } from '../../../test/guarded-tools.ts'
import { createToolEngine, type ToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools, untilState } from '../../testing/index.ts'
import { fingerprintOfCall } from './turn-calls.ts'

const commands: readonly (readonly [
  string,
  (made: ToolEngine, shown: object) => Promise<unknown>,
])[] = [
  ['resumeToolCall', ({ resume }, shown) => resume({ toolCallId: '1', ...shown })],
  [
    'resumeToolCalls',
    ({ engine }, shown) =>
      engine.runPluginCommand('tool', 'resumeToolCalls', [{ toolCallId: '1', ...shown }]),
  ],
  [
    'submitToolOutput',
    ({ engine }, shown) =>
      engine.runPluginCommand('tool', 'submitToolOutput', {
        toolCallId: '1',
        output: 'mine',
        ...shown,
      }),
  ],
]

async function asked() {
  const { runs, options } = guardedTools()
  const made = createToolEngine([callTools(callOf('1')), answer('ok')], options)
  await made.engine.sendMessage('go')
  return { ...made, runs }
}

describe.each(commands)('a decision that names what was shown: %s', (_name, run) => {
  it('is taken for the call that was shown', async () => {
    const made = await asked()
    const [part] = made.calls()
    expect(await run(made, { step: 1, fingerprint: fingerprintOfCall(part!) })).toMatchObject({
      success: true,
    })
    await made.completed()
  })

  it('does nothing when another input was shown', async () => {
    const made = await asked()
    const before = made.engine.getState()
    const shown = { ...made.calls()[0]!, input: { path: 'other.txt' } }
    const result = await run(made, { fingerprint: fingerprintOfCall(shown) })
    expect(JSON.stringify(result)).toContain('call_changed')
    expect(made.engine.getState()).toBe(before)
    expect(made.runs).toEqual([])
  })

  it('does nothing when it was shown in another step', async () => {
    const made = await asked()
    const result = await run(made, { step: 2 })
    expect(JSON.stringify(result)).toContain('unknown_tool_call')
    expect(made.calls()[0]).toMatchObject({ state: 'approval-requested' })
  })

  it.each([{ step: '1' }, { fingerprint: 7 }])(
    'is refused when it is no name: %j',
    async (shown) => {
      const made = await asked()
      const result = await run(made, shown)
      expect(JSON.stringify(result)).toContain('invalid_argument')
      expect(made.calls()[0]).toMatchObject({ state: 'approval-requested' })
    },
  )
})

describe('a cancellation that names what was shown', () => {
  it('stops the call that was shown, and no other', async () => {
    const held = Promise.withResolvers<string>()
    const made = createToolEngine([callTools(callOf('1', 'read')), answer('ok')], {
      tools: {
        read: {
          inputSchema: guardedTools().options.tools!['read']!.inputSchema,
          execute: () => held.promise,
        },
      },
    })
    void made.engine.sendMessage('go')
    await untilState(made.engine, () => made.calls()[0]?.toolMetadata?.['assent'] !== undefined)
    const cancel = (fingerprint: string) =>
      made.engine.runPluginCommand('tool', 'cancelToolCall', { toolCallId: '1', fingerprint })
    expect(await cancel('another')).toMatchObject({ error: { code: 'call_changed' } })
    expect(await cancel(fingerprintOfCall(made.calls()[0]!))).toMatchObject({ success: true })
    await made.completed()
    held.resolve('late')
  })
})
