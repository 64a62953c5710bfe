import { describe, expect, it } from 'vitest'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools } from '../../testing/index.ts'
import type { ToolPluginOptions } from './options.ts'

const NAMES = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty']

/** Two calls whose ids and tool name are that of a property that every object has. */
function callsOf(name: string, tools: ToolPluginOptions) {
  const call = (toolCallId: string) => ({ toolCallId, toolName: name, input: {} })
  return createToolEngine([callTools([call(name), call(`${name}-2`)]), answer('ok')], tools)
}

describe('a tool and a call named after a property that every object has', () => {
  it.each(NAMES)('are unknown when nobody declared them: %s', async (name) => {
    const { engine, sentCalls } = callsOf(name, {
      tools: {},
      toolApproval: {},
      toolOptions: {},
      toolsContext: {},
    })
    await engine.sendMessage('go')
    const errorText = `Unknown tool "${name}". Known tools: none.`
    expect(sentCalls(2)).toMatchObject([{ errorText }, { errorText }])
  })

  it.each(NAMES)('run under no rule of another tool: %s', async (name) => {
    const { engine, sentCalls } = callsOf(name, {
      callTool: () => 'called',
      toolApproval: {},
      toolOptions: {},
      toolsContext: {},
    })
    await engine.sendMessage('go')
    expect(sentCalls(2)).toMatchObject([{ output: 'called' }, { output: 'called' }])
    expect(sentCalls(2)[0]?.toolMetadata?.['assent']).not.toHaveProperty('summary')
  })

  it.each(NAMES)('are found by their own rules and ids: %s', async (name) => {
    const own = <VALUE>(value: VALUE) => Object.fromEntries([[name, value]])
    const { engine, resume, completed, calls, sentCalls } = callsOf(name, {
      callTool: ({ toolCallId }) => `ran ${toolCallId}`,
      knownTools: [name],
      toolApproval: own('user-approval' as const),
      toolOptions: own({ summary: () => 'Do it' }),
    })
    await engine.sendMessage('go')
    const assent = { summary: 'Do it' }
    expect(calls()).toMatchObject([{ toolMetadata: { assent } }, { toolMetadata: { assent } }])
    expect(await resume({ toolCallId: name })).toMatchObject({ success: true })
    expect(await resume({ toolCallId: `${name}-2`, outcome: 'no' })).toMatchObject({
      success: true,
    })
    await completed()
    expect(sentCalls(2)).toMatchObject([{ output: `ran ${name}` }, { state: 'output-denied' }])
  })
})
