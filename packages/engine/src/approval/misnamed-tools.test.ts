import { jsonSchema, tool } from 'ai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { EngineError } from '../errors.ts'
import { isToolCallPart } from '../message/tool-part.ts'
import type { ToolPluginOptions } from '../plugins/tools/options.ts'
import { toolPlugin } from '../plugins/tools/tool-plugin.ts'
import { answer, callTools, scriptedTransport, untilState } from '../testing/index.ts'

const send = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 'sent' })
/** As plain JavaScript may have it: types know the names. */
const make = (options: ToolPluginOptions) => () => toolPlugin({ tools: { send }, ...options })

afterEach(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

describe('a rule or an option that names no tool', () => {
  it('is an error that says the name, and the names that there are', () => {
    expect(make({ toolApproval: { sned: 'denied' }, toolOptions: { Send: {} } })).toThrow(
      expect.objectContaining({
        code: 'unknown_tool',
        message:
          'No tool has this name: toolApproval.sned, toolOptions.Send. There are: send. List tools that live elsewhere in knownTools.',
        details: { misnamed: ['toolApproval.sned', 'toolOptions.Send'] },
      }),
    )
    expect(() => toolPlugin({ toolOptions: { send: { risk: 'send' } } })).toThrow(
      'There are: none.',
    )
  })

  it.each(['constructor', 'toString', 'hasOwnProperty'])('is one also when it is %s', (name) => {
    expect(make({ toolApproval: { [name]: 'denied' } })).toThrow(`toolApproval.${name}`)
  })

  it('is none where the tool lives elsewhere, or one function is the rule', () => {
    const toolOptions = { deploy: { risk: 'send' as const } }
    expect(make({ knownTools: ['deploy'], toolOptions })).not.toThrow()
    expect(make({ toolApproval: () => 'denied', toolOptions: { send: {} } })).not.toThrow()
  })

  it('is an error in development also where nobody declares the tools', () => {
    const callTool = () => 'called'
    expect(make({ callTool, toolApproval: { sned: 'denied' } })).toThrow('toolApproval.sned')
  })

  it('is reported once there in production, and what no rule names asks', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    vi.resetModules()
    const production = {
      ...(await import('../engine.ts')),
      ...(await import('../plugins/tools/tool-plugin.ts')),
    }
    const static_ = { tools: { send }, toolApproval: { sned: 'denied' } } as ToolPluginOptions
    expect(() => production.toolPlugin(static_)).toThrow('toolApproval.sned')

    const ran: string[] = []
    const errors: EngineError[] = []
    const call = (toolName: string) => ({ toolCallId: toolName, toolName, input: {} })
    const engine = production.createMessageEngine({
      transport: scriptedTransport([
        callTools([call('send'), call('read'), call('drop')]),
        answer('ok'),
      ]),
      plugins: [
        production.toolPlugin({
          callTool: ({ toolName }) => void ran.push(toolName),
          toolApproval: { sned: 'denied', read: 'approved' } as object,
          knownTools: ['read', 'drop'],
          toolOptions: { drop: { risk: 'read' } },
          defaultApproval: 'approved',
          gate: 'call',
        }),
      ],
      onError: (error) => errors.push(error),
    })
    await engine.sendMessage('go')
    const { messages } = await untilState(engine, ({ requestState }) => requestState === 'paused')
    const calls = messages.at(-1)?.parts.filter(isToolCallPart) ?? []
    expect(calls.map(({ state }) => state)).toEqual([
      'approval-requested',
      'output-available',
      'approval-requested',
    ])
    expect(ran).toEqual(['read'])
    expect(errors).toMatchObject([
      { code: 'unknown_tool', details: { misnamed: ['toolApproval.sned'] } },
    ])
    engine.dispose()
  })
})
