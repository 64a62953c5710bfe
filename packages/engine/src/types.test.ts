import type { InferUITools, UIMessage } from 'ai'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import type { CommandResult, PluginCommandMap } from './commands.ts'
import { createMessageEngine } from './engine.ts'
import type { EngineError } from './errors.ts'
import type { MessageEngine } from './message-engine.ts'
import type { ResumeToolCallResult } from './plugins/tools/commands.ts'
import type { EnginePlugin } from './plugin.ts'
import { toolPlugin } from './plugins/tools/tool-plugin.ts'
import { scriptedTransport } from './testing/index.ts'

const tools = {
  read: {
    inputSchema: z.object({ path: z.string(), lines: z.number().default(10) }),
    execute: ({ path }: { path: string }) => path.length,
  },
  wipe: { inputSchema: z.object({ sure: z.boolean() }) },
}

type Message = UIMessage<
  { model: string },
  { progress: number },
  InferUITools<typeof tools> & { deploy: { input: { to: 'eu' | 'us' }; output: string } }
>

function makeEngine(): MessageEngine<Message> {
  return createMessageEngine<Message>({ transport: scriptedTransport<Message>() })
}

describe('the type of a plugin', () => {
  it('wants a name for commands', () => {
    expectTypeOf<{ commands: { act: () => number } }>().not.toExtend<EnginePlugin>()
    expectTypeOf<{ name: string; commands: { act: () => number } }>().toExtend<EnginePlugin>()
    expectTypeOf<{ onTurnStart: () => void }>().toExtend<EnginePlugin>()
    expectTypeOf<{ name: string; onTurnEnd: () => Promise<void> }>().toExtend<EnginePlugin>()
    expectTypeOf<{ onTurnStart: () => number }>().not.toExtend<EnginePlugin>()
  })

  it('knows the messages of its engine', () => {
    const plugin: EnginePlugin<Message> = {
      onTurnStart({ getState, updateMessage }) {
        expectTypeOf(getState().messages[0]).toEqualTypeOf<Message | undefined>()
        updateMessage('m', (message) => {
          expectTypeOf(message.metadata).toEqualTypeOf<{ model: string } | undefined>()
          return message
        })
      },
    }
    expectTypeOf(plugin).toExtend<EnginePlugin<Message>>()
  })
})

describe('the type of runPluginCommand', () => {
  it('knows payload and result of the commands of the tool plugin', () => {
    const resume = () =>
      makeEngine().runPluginCommand('tool', 'resumeToolCall', {
        toolCallId: '1',
        outcome: 'no',
        reason: 'because',
      })
    expectTypeOf<Awaited<ReturnType<typeof resume>>>().toEqualTypeOf<
      CommandResult<ResumeToolCallResult>
    >()
    expectTypeOf<CommandResult<ResumeToolCallResult>>().toEqualTypeOf<
      | { success: true; result: ResumeToolCallResult; stored?: false }
      | { success: false; error: EngineError }
    >()
  })

  it('takes no other payload for them', () => {
    const calls = ({ runPluginCommand }: MessageEngine) => [
      // @ts-expect-error The id of a call is a text.
      runPluginCommand('tool', 'resumeToolCall', { toolCallId: 1 }),
      // @ts-expect-error There is no such outcome.
      runPluginCommand('tool', 'resumeToolCall', { toolCallId: '1', outcome: 'maybe' }),
      // @ts-expect-error Without an id nothing can be decided.
      runPluginCommand('tool', 'resumeToolCall'),
      // @ts-expect-error There is no such command.
      runPluginCommand('tool', 'resumeToolCal', { toolCallId: '1' }),
    ]
    expectTypeOf(calls).returns.toExtend<Promise<CommandResult>[]>()
  })

  it('offers the commands of a known plugin, for editors to complete', () => {
    type Run = MessageEngine['runPluginCommand']
    // The overload that editors read: the names are listed, not any text.
    type Listed = keyof PluginCommandMap['tool']
    expectTypeOf<'resumeToolCall' | 'cancelToolCall' | 'submitToolOutput'>().toExtend<Listed>()
    expectTypeOf<string>().not.toExtend<Listed>()
    const forward = (run: Run, plugin: string, command: string) => run(plugin, command, {})
    expectTypeOf(forward).returns.toEqualTypeOf<Promise<CommandResult>>()
  })

  it('takes the commands of other plugins by name', () => {
    const act = () => makeEngine().runPluginCommand('notes', 'act', { any: 'thing' })
    expectTypeOf<Awaited<ReturnType<typeof act>>>().toEqualTypeOf<CommandResult>()
  })
})

describe('the options of the tool plugin', () => {
  it('know the inputs of its tools', () => {
    toolPlugin({
      tools,
      toolOptions: {
        read: {
          summary(input) {
            expectTypeOf(input).toEqualTypeOf<{ path: string; lines: number }>()
            return input.path
          },
        },
        wipe: {
          summary: (input) => {
            expectTypeOf(input).toEqualTypeOf<{ sure: boolean }>()
            return String(input.sure)
          },
        },
      },
      toolApproval: {
        read: (input) => {
          expectTypeOf(input).toEqualTypeOf<{ path: string; lines: number }>()
          return input.lines > 10 ? 'user-approval' : 'approved'
        },
        wipe: 'user-approval',
      },
    })
  })

  it('know the tools that run elsewhere, and their inputs, from the message type', () => {
    type Options = NonNullable<Parameters<typeof toolPlugin<typeof tools, Message>>[0]>
    type ByName = Required<NonNullable<Options['toolOptions']>>
    expectTypeOf<keyof ByName>().toEqualTypeOf<'read' | 'wipe' | 'deploy'>()
    type Summary = NonNullable<ByName['deploy']['summary']>
    expectTypeOf<Parameters<Summary>>().toEqualTypeOf<[input: { to: 'eu' | 'us' }]>()
  })

  it('take any tool where none are declared', () => {
    type Options = NonNullable<Parameters<typeof toolPlugin>[0]>
    type Anything = { anything: { risk: 'read'; summary: () => string } }
    expectTypeOf<{ toolOptions: Anything }>().toExtend<Options>()
    expectTypeOf<{ toolOptions: { anything: { risk: 'high' } } }>().not.toExtend<Options>()
  })

  it('take tools that live elsewhere by the names that are said to be known, and no others', () => {
    const rule = (input: { to: string }) => (input.to === 'eu' ? 'approved' : 'user-approval')
    const summary = ({ to }: { to: string }) => `Deploy to ${to}`
    toolPlugin({
      tools,
      knownTools: ['deploy', 'wipe'],
      toolApproval: { deploy: rule, wipe: 'user-approval' },
      toolOptions: { deploy: { risk: 'send', summary } },
    })
    const misnamed = () =>
      // @ts-expect-error no tool is said to have this name
      toolPlugin({ tools, knownTools: ['deploy'], toolOptions: { deplyo: { risk: 'send' } } })
    const misruled = () =>
      // @ts-expect-error no tool is said to have this name
      toolPlugin({ tools, knownTools: ['deploy'], toolApproval: { deplyo: 'user-approval' } })
    expect(misnamed).toThrow('deplyo')
    expect(misruled).toThrow('deplyo')
    const names: readonly string[] = ['deploy']
    toolPlugin({ tools, knownTools: names })
  })

  it('make a plugin for engines of that message type', () => {
    const plugin = toolPlugin<typeof tools, Message>({ tools })
    expectTypeOf(plugin).toExtend<EnginePlugin<Message>>()
    createMessageEngine<Message>({ transport: scriptedTransport<Message>(), plugins: [plugin] })
    createMessageEngine({ transport: scriptedTransport(), plugins: [toolPlugin({ tools })] })
  })
})

describe('the type of an engine', () => {
  it('is that of its messages', () => {
    const engine = makeEngine()
    expectTypeOf(engine.getState().messages).toEqualTypeOf<readonly Message[]>()
    expectTypeOf(engine.getMessage('m')).toEqualTypeOf<Message | undefined>()
    type Input = Parameters<MessageEngine<Message>['sendMessage']>[0]
    expectTypeOf<'hi'>().toExtend<Input>()
    expectTypeOf<{ text: string; metadata: { model: string } }>().toExtend<Input>()
    expectTypeOf<{ text: string; metadata: { model: number } }>().not.toExtend<Input>()
    expectTypeOf<{ metadata: { model: string } }>().not.toExtend<Input>()
  })
})
