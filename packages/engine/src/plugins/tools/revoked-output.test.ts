import { expect, it } from 'vitest'
import { z } from 'zod'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { toolCallStatus } from '../../message/tool-part.ts'
import { callTools, untilState } from '../../testing/index.ts'

it('a revocation asks again about a call that the policy let wait for its output', async () => {
  const calls = ['1', '2'].map((toolCallId) => ({ toolCallId, toolName: 'ask', input: {} }))
  const {
    engine,
    resume,
    calls: parts,
  } = createToolEngine([callTools(calls)], {
    tools: { ask: { inputSchema: z.object({}) } },
    toolApproval: { ask: 'user-approval' },
  })
  await engine.sendMessage('go')
  await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
  await untilState(engine, ({ turn }) => turn?.pauseReason?.type === 'output')
  expect(parts().map(toolCallStatus)).toEqual(['awaiting-output', 'awaiting-output'])
  const [always] = engine.getState().confirmations
  const revoked = await engine.runPluginCommand('tool', 'revokePolicy', {
    policyId: always?.id ?? '',
  })
  // The person's own yes to the first call stands.
  expect(revoked).toMatchObject({ result: { asked: [{ toolCallId: '2' }] } })
  expect(parts().map(toolCallStatus)).toEqual(['awaiting-output', 'awaiting-approval'])
  expect(engine.getState().turn?.pauseReason?.type).toBe('approval')
})
