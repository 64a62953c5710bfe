import {
  defineTools,
  type CommandResult,
  type EngineState,
  type MessageEngine,
  type MessageInput,
  type MessageTransport,
  type RequestState,
  type ResumeToolCallResult,
} from '@assent/engine'
import { scriptedTransport } from '@assent/engine/testing'
import { tool, type InferUITools, type UIDataTypes, type UIMessage } from 'ai'
import { afterAll, expectTypeOf, test } from 'vitest'
import { effectScope, ref } from 'vue'
import { z } from 'zod'
import type { SLICES } from './engine-binding.ts'
import { injectMessage, provideMessage } from './message-context.ts'
import { useMessage, type UseMessageReturn } from './use-message.ts'

const tools = {
  rename: tool({
    inputSchema: z.object({ from: z.string(), to: z.string() }),
    outputSchema: z.object({ renamed: z.number() }),
  }),
}
type AppMessage = UIMessage<
  { model?: string },
  { progress: { percent: number } },
  InferUITools<typeof tools>
>

const scope = effectScope()
afterAll(() => scope.stop())

test('the message type of the app reaches messages, message(id) and sendMessage', () => {
  scope.run(() => {
    const chat = useMessage<AppMessage>({ transport: scriptedTransport<AppMessage>() })
    expectTypeOf(chat).toEqualTypeOf<UseMessageReturn<AppMessage>>()
    expectTypeOf(chat.messages.value).toEqualTypeOf<readonly AppMessage[]>()
    expectTypeOf(chat.message('a').value).toEqualTypeOf<AppMessage | undefined>()
    expectTypeOf(chat.sendMessage).parameter(0).toEqualTypeOf<MessageInput<AppMessage>>()
    expectTypeOf(chat.state.value).toEqualTypeOf<EngineState<AppMessage>>()
    expectTypeOf(chat.engine.value).toEqualTypeOf<MessageEngine<AppMessage>>()

    const part = chat.messages.value[0]?.parts[0]
    if (part?.type === 'tool-rename' && part.state === 'output-available') {
      expectTypeOf(part.input).toEqualTypeOf<{ from: string; to: string }>()
      expectTypeOf(part.output).toEqualTypeOf<{ renamed: number }>()
    }
    if (part?.type === 'data-progress') {
      expectTypeOf(part.data).toEqualTypeOf<{ percent: number }>()
    }
    void (() => {
      void chat.sendMessage({ text: 'Hi', metadata: { model: 'm' } })
      // @ts-expect-error -- metadata is the app's
      void chat.sendMessage({ text: 'Hi', metadata: { model: 1 } })
    })
  })
})

test('the message type is inferred from the transport or the messages, whatever holds them', () => {
  scope.run(() => {
    const transport: MessageTransport<AppMessage> = scriptedTransport<AppMessage>()
    const messages: AppMessage[] = []
    const plain: MessageTransport = scriptedTransport()
    expectTypeOf(useMessage({ transport })).toEqualTypeOf<UseMessageReturn<AppMessage>>()
    expectTypeOf(useMessage(() => ({ transport }))).toEqualTypeOf<UseMessageReturn<AppMessage>>()
    expectTypeOf(useMessage({ transport, messages })).toEqualTypeOf<UseMessageReturn<AppMessage>>()
    expectTypeOf(useMessage({ transport, messages: () => messages })).toEqualTypeOf<
      UseMessageReturn<AppMessage>
    >()
    expectTypeOf(useMessage({ transport: plain })).toEqualTypeOf<UseMessageReturn>()
    const { engine } = useMessage({ transport })
    expectTypeOf(useMessage({ engine })).toEqualTypeOf<UseMessageReturn<AppMessage>>()
    expectTypeOf(useMessage({ engine: engine.value })).toEqualTypeOf<UseMessageReturn<AppMessage>>()
  })
})

test('tools tell the messages, the options and the decisions', () => {
  const check = (): void => {
    const transport = scriptedTransport()
    const given = defineTools({
      rename: {
        inputSchema: z.object({ from: z.string(), to: z.string() }),
        execute: ({ from, to }) => ({ renamed: from.length + to.length }),
      },
      ask: { inputSchema: z.object({ question: z.string() }), outputSchema: z.string() },
    })
    const chat = useMessage({
      transport,
      tools: given,
      toolApproval: { rename: 'user-approval' },
      toolOptions: { rename: { summary: ({ to }) => `Rename to ${to}`, risk: 'write' } },
    })
    expectTypeOf(chat).toEqualTypeOf<
      UseMessageReturn<UIMessage<unknown, UIDataTypes, InferUITools<typeof given>>>
    >()
    const part = chat.messages.value[0]?.parts[0]
    if (part?.type === 'tool-rename' && part.state === 'output-available') {
      expectTypeOf(part.input).toEqualTypeOf<{ from: string; to: string }>()
      expectTypeOf(part.output).toEqualTypeOf<{ renamed: number }>()
    }
    if (part?.type === 'tool-ask' && part.state === 'output-available') {
      expectTypeOf(part.output).toEqualTypeOf<string>()
    }
    if (part?.type === 'tool-rename' && part.state === 'approval-requested') {
      void chat.approve(part)
      void chat.always(part, { covers: { '/to': { prefix: 'notes/' } }, uses: 3 })
      // @ts-expect-error -- no such field
      void chat.always(part, { covers: { '/too': { prefix: 'notes/' } } })
      // @ts-expect-error -- no such scope
      void chat.always(part, { covers: 'all' })
    }
    expectTypeOf(chat.settled()).toEqualTypeOf<Promise<RequestState>>()
    // @ts-expect-error -- no such tool
    useMessage({ transport, tools: given, toolApproval: { renam: 'user-approval' } })
    // @ts-expect-error -- no such tool
    useMessage({ transport, tools: given, toolOptions: { renam: { risk: 'write' } } })
    useMessage({
      transport,
      tools: given,
      // @ts-expect-error -- no such field
      toolOptions: { rename: { summary: ({ too }) => too } },
    })
    // @ts-expect-error -- no such answer
    useMessage({ transport, tools: given, toolApproval: { rename: 'yes' } })
    useMessage({ transport, tools: given, knownTools: ['mail'], toolApproval: { mail: 'denied' } })
    useMessage<AppMessage>({ transport: scriptedTransport<AppMessage>(), tools })
    // @ts-expect-error -- no such command
    void chat.runPluginCommand('tool', 'resumeToolcall', { toolCallId: 'c' })
  }
  expectTypeOf(check).toBeFunction()
})

test('options are those of the engine, as value, ref or getter', () => {
  const check = (): void => {
    const transport = scriptedTransport()
    useMessage({ transport, id: 'a', maxSteps: 3, whenBusy: 'queue', requireFinish: false })
    useMessage({ transport, id: ref('a'), maxSteps: () => 3, whenBusy: () => 'queue' })
    useMessage({ transport, request: { headers: { a: 'b' } } })
    useMessage({ transport, request: () => ({ body: { model: 'm' } }) })
    // @ts-expect-error -- no such mode
    useMessage({ transport, whenBusy: 'later' })
    // @ts-expect-error -- an engine needs a transport
    useMessage({ id: 'a' })
    // @ts-expect-error -- an engine that lives elsewhere has its own transport
    useMessage({ transport, engine: useMessage({ transport }).engine })
    // @ts-expect-error -- a plugin with commands needs a name
    useMessage({ transport, plugins: [{ commands: { go: () => {} } }] })
  }
  expectTypeOf(check).toBeFunction()
})

test('commands that are known by name have typed payloads and results', () => {
  const check = (chat: UseMessageReturn): void => {
    const decided = chat.runPluginCommand('tool', 'resumeToolCall', {
      toolCallId: 'c',
      outcome: 'no',
      reason: 'Too broad',
    })
    expectTypeOf(decided).toEqualTypeOf<Promise<CommandResult<ResumeToolCallResult>>>()
    expectTypeOf(chat.runPluginCommand('mine', 'go', 1)).toEqualTypeOf<Promise<CommandResult>>()
  }
  expectTypeOf(check).toBeFunction()
})

test('a typed conversation is provided as it is and injected by the type that is asked for', () => {
  const check = (chat: UseMessageReturn<AppMessage>): void => {
    expectTypeOf(provideMessage(chat)).toEqualTypeOf<UseMessageReturn<AppMessage>>()
    expectTypeOf(injectMessage()).toEqualTypeOf<UseMessageReturn>()
    expectTypeOf(injectMessage<AppMessage>()).toEqualTypeOf<UseMessageReturn<AppMessage>>()
  }
  expectTypeOf(check).toBeFunction()
})

test('every part of the state but the messages is a slice', () => {
  type Missing = Exclude<keyof EngineState, 'messages' | (typeof SLICES)[number]>
  expectTypeOf<Missing>().toBeNever()
})
