import {
  answer,
  approvalRequestChunks,
  callTools,
  responseChunks,
  stepChunks,
  textChunks,
  toolCallChunks,
  untilState,
} from '@assent/engine/testing'
import { mount } from '@vue/test-utils'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { defineComponent, h, nextTick, ref } from 'vue'
import { z } from 'zod'
import { provideMessage } from './message-context.ts'
import { approvalScene, calls, type ApprovalScene } from './testing/approval-scene.ts'
import { observeEngine } from './testing/observed-engine.ts'
import { useApprovals } from './use-approvals.ts'
import { useMessage } from './use-message.ts'

const scenes: ApprovalScene[] = []
afterEach(() => {
  for (const { scope } of scenes.splice(0)) scope.stop()
  vi.restoreAllMocks()
})

function setScene(...options: Parameters<typeof approvalScene>): ApprovalScene {
  const scene = approvalScene(...options)
  scenes.push(scene)
  return scene
}

const idsOf = ({ approvals }: ApprovalScene) =>
  approvals.waiting.value.map(({ toolCallId }) => toolCallId)
const until = ({ chat }: ApprovalScene, state: string) =>
  untilState(chat.engine.value, ({ requestState }) => requestState === state)

/** An answer in which the server asks for a call of its own. */
function serverAsks(toolCallId: string, approvalDescriptor: unknown) {
  return responseChunks(
    { finishReason: 'tool-calls' },
    stepChunks(
      toolCallChunks({ toolCallId, toolName: 'send', input: { file: 'x' } }),
      approvalRequestChunks({ toolCallId, approvalDescriptor }),
    ),
  )
}

describe('what waits', () => {
  test('is listed in call order, with what a person needs to know about it', async () => {
    const scene = setScene({ script: [calls('write:a', 'list:b', 'wipe:c', 'question:d')] })
    const { chat, approvals } = scene
    expect(approvals.waiting.value).toEqual([])
    await chat.sendMessage('Go')
    const messageId = chat.messageIds.value[1]
    expect(approvals.waiting.value).toMatchObject([
      {
        messageId,
        step: 1,
        toolCallId: 'write:a',
        toolName: 'write',
        kind: 'approval',
        input: { file: 'a' },
        summary: 'Write a',
        risk: 'write',
        requestReason: 'It writes.',
        isElsewhere: false,
        checkFailed: false,
        expiresAt: undefined,
      },
      { toolCallId: 'wipe:c', kind: 'approval', summary: undefined, risk: 'destroy' },
      { toolCallId: 'question:d', kind: 'output' },
    ])
    expect(approvals.count.value).toBe(3)
  })

  test('is listed with the same objects as long as nothing about it changes', async () => {
    const scene = setScene({ script: [calls('write:a', 'write:b')] })
    const { approvals } = scene
    await scene.chat.sendMessage('Go')
    const [first, second] = approvals.waiting.value
    await approvals.decide(first!)
    scene.chat.engine.value.flush()
    expect(approvals.waiting.value).toHaveLength(1)
    expect(approvals.waiting.value[0]).toBe(second)
  })

  test('stays the same list while another call of the step shows what it does', async () => {
    const steps = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const scene = setScene({
      script: [calls('list:a', 'write:b')],
      plugin: {
        gate: 'call',
        tools: {
          write: { inputSchema: z.object({}), execute: () => 1 },
          list: {
            inputSchema: z.object({}),
            async *execute() {
              for (const [index, { promise }] of steps.entries()) {
                await promise
                yield index
              }
            },
          },
        },
      },
    })
    const { chat, approvals } = scene
    const paused = chat.sendMessage('Go')
    await untilState(chat.engine.value, () => approvals.count.value === 1)
    const before = approvals.waiting.value
    const shown = untilState(chat.engine.value, ({ messages }) =>
      JSON.stringify(messages).includes('"preliminary":true'),
    )
    steps[0]?.resolve()
    await shown
    expect(approvals.waiting.value).toBe(before)
    steps[1]?.resolve()
    await paused
    expect(approvals.waiting.value).toBe(before)
  })

  test('is listed while other calls of the step still run', async () => {
    const running = Promise.withResolvers<string>()
    const scene = setScene({
      script: [calls('list:a', 'write:b')],
      plugin: {
        gate: 'call',
        tools: {
          list: { inputSchema: z.object({}), execute: () => running.promise },
          write: { inputSchema: z.object({}), execute: () => 1 },
        },
      },
    })
    void scene.chat.sendMessage('Go')
    await untilState(scene.chat.engine.value, () => idsOf(scene).includes('write:b'))
    expect(scene.chat.processingState.value).toBe('calling-tools')
    running.resolve('done')
    await until(scene, 'paused')
    expect(idsOf(scene)).toEqual(['write:b'])
  })

  test('holds what a server asks for, from the end of its stream on', async () => {
    const scene = setScene({ script: [] })
    const { chat, approvals, transport } = scene
    const held = transport.hold()
    void chat.sendMessage('Go')
    const expiresAt = Date.now() + 6e4
    await held.push(...serverAsks('s', { risk: 'send', expiresAt }).slice(0, -2))
    chat.engine.value.flush()
    expect(chat.processingState.value).toBe('completing')
    expect(approvals.waiting.value).toEqual([])
    await held.push({ type: 'finish-step' }, { type: 'finish', finishReason: 'tool-calls' })
    held.end()
    await until(scene, 'paused')
    expect(approvals.waiting.value).toMatchObject([
      { toolCallId: 's', kind: 'approval', isElsewhere: true, risk: 'send', expiresAt },
    ])
  })

  test('costs nothing while an answer streams', async () => {
    const scene = setScene({ script: [] })
    const { chat, transport } = scene
    const held = transport.hold()
    void chat.sendMessage('Go')
    await held.push({ type: 'start' }, { type: 'start-step' })
    const observed = observeEngine(chat.engine.value)
    const approvals = scene.scope.run(() => useApprovals(useMessage({ engine: observed.engine })))
    await nextTick()
    expect(approvals?.count.value).toBe(0)
    const read = vi.spyOn(observed.engine, 'getMessage')
    for (const text of ['One', ' two', ' three']) {
      await held.push(...textChunks('t', text))
      chat.engine.value.flush()
      expect(approvals?.count.value).toBe(0)
    }
    expect(read).not.toHaveBeenCalled()
    expect(observed.subscribedMessages).toEqual([])
    expect(observed.listReads()).toBe(0)
    held.end()
  })

  test('is gone when the turn is over', async () => {
    const scene = setScene({ script: [calls('write:a')] })
    await scene.chat.sendMessage('Go')
    await scene.chat.abort()
    expect(scene.approvals.waiting.value).toEqual([])
  })
})

describe('a decision', () => {
  test('says yes by default, and no with a reason', async () => {
    const scene = setScene({ script: [calls('write:a', 'write:b'), answer('Done')] })
    await scene.chat.sendMessage('Go')
    // Taken out of the object, as in a template.
    const { decide, waiting } = scene.approvals
    const [a, b] = waiting.value
    expect(await decide(a!)).toMatchObject({ success: true, result: { toolCallId: 'write:a' } })
    expect(await decide(b!, { outcome: 'no', reason: 'Not b' })).toMatchObject({ success: true })
    await until(scene, 'completed')
    expect(scene.effects).toEqual(['a'])
    expect(scene.chat.confirmations.value).toMatchObject([
      { outcome: 'yes' },
      { outcome: 'no', reason: 'Not b' },
    ])
  })

  test('runs another input, and is refused when the tool does not take it', async () => {
    const scene = setScene({ script: [calls('write:a'), answer('Done')] })
    await scene.chat.sendMessage('Go')
    const { decide, waiting } = scene.approvals
    const [call] = waiting.value
    const refused = await decide(call!, { input: { file: 1 } })
    expect(refused).toMatchObject({ success: false, error: { code: 'invalid_input' } })
    expect(await decide(call!, { input: { file: 'edited' } })).toMatchObject({ success: true })
    await until(scene, 'completed')
    expect(scene.effects).toEqual(['edited'])
  })

  test('never meets a call of a later step that has the same id', async () => {
    const call = (file: string) =>
      callTools({ toolCallId: 'again', toolName: 'write', input: { file } })
    const scene = setScene({ script: [call('a'), call('b'), answer('Done')] })
    const { decide, waiting, cancel, submitOutput } = scene.approvals
    await scene.chat.sendMessage('Go')
    const [first] = waiting.value
    await decide(first!)
    await untilState(
      scene.chat.engine.value,
      ({ turn }) => turn?.step === 2 && waiting.value.length > 0,
    )
    const [second] = waiting.value
    expect(second).toMatchObject({ toolCallId: 'again', input: { file: 'b' } })
    const refused = decide(first!, { outcome: 'no' })
    for (const late of [refused, submitOutput(first!, 1), cancel(first!)]) {
      expect(await late).toMatchObject({ success: false, error: { name: 'EngineError' } })
    }
    expect(waiting.value).toEqual([second])
    expect(scene.effects).toEqual(['a'])
    await decide(second!)
    await until(scene, 'completed')
    expect(scene.effects).toEqual(['a', 'b'])
  })

  test('reaches the conversation of the moment when its id changed', async () => {
    const id = ref('one')
    const scene = setScene({
      script: [calls('write:a'), calls('write:b'), answer('Done')],
      engine: { id },
    })
    const { chat, effects } = scene
    const { decide, waiting, count } = scene.approvals
    await chat.sendMessage('Go')
    const [former] = waiting.value
    id.value = 'two'
    expect(count.value).toBe(0)
    await chat.sendMessage('Go')
    expect(idsOf(scene)).toEqual(['write:b'])
    expect(await decide(former!)).toMatchObject({ error: { code: 'unknown_tool_call' } })
    expect(await decide(waiting.value[0]!)).toMatchObject({ success: true })
    await until(scene, 'completed')
    expect(effects).toEqual(['b'])
  })

  test('is made on the conversation that a component above provided', async () => {
    const scene = setScene({ script: [calls('write:a')] })
    await scene.chat.sendMessage('Go')
    const Below = defineComponent(() => {
      const { count } = useApprovals()
      return () => h('p', count.value)
    })
    const App = defineComponent(() => {
      provideMessage(scene.chat)
      return () => h(Below)
    })
    const wrapper = mount(App)
    expect(wrapper.text()).toBe('1')
    await scene.approvals.decideAll('no')
    scene.chat.engine.value.flush()
    await nextTick()
    expect(wrapper.text()).toBe('0')
    wrapper.unmount()
    expect(() => useApprovals()).toThrow('injectMessage() found no conversation')
  })
})

describe('a decision on all', () => {
  test('approves but for what is grave, unchecked, expired or to be answered, as one batch', async () => {
    const scene = setScene({
      script: [
        responseChunks(
          { finishReason: 'tool-calls' },
          stepChunks(
            ...['write:a', 'wipe:b', 'question:c', 'list:broken'].map((toolCallId) => {
              const [toolName = '', file = ''] = toolCallId.split(':')
              return toolCallChunks({ toolCallId, toolName, input: { file } })
            }),
            ...['soon', 'late'].flatMap((toolCallId) => [
              toolCallChunks({ toolCallId, toolName: 'send', input: {} }),
              approvalRequestChunks({
                toolCallId,
                approvalDescriptor: { expiresAt: Date.now() + (toolCallId === 'soon' ? -1 : 6e4) },
              }),
            ]),
          ),
        ),
      ],
      plugin: {
        shouldPauseToolCall({ toolCallId }) {
          if (toolCallId === 'list:broken') throw new Error('No rules')
          return false
        },
      },
    })
    const { approvals, chat } = scene
    await chat.sendMessage('Go')
    expect(idsOf(scene)).toEqual(['write:a', 'wipe:b', 'question:c', 'list:broken', 'soon', 'late'])
    const run = vi.spyOn(chat.engine.value, 'runPluginCommand')
    expect(approvals.approvable.value.map(({ toolCallId }) => toolCallId)).toEqual([
      'write:a',
      'late',
    ])
    expect(await approvals.decideAll('yes')).toMatchObject({
      success: true,
      result: { toolCalls: [{ toolCallId: 'write:a' }, { toolCallId: 'late' }] },
    })
    expect(run).toHaveBeenCalledTimes(1)
    chat.engine.value.flush()
    expect(idsOf(scene)).toEqual(['wipe:b', 'question:c', 'list:broken', 'soon'])
    expect(approvals.approvable.value).toEqual([])
  })

  test('denies all of it, with the reason', async () => {
    const scene = setScene({ script: [calls('write:a', 'wipe:b', 'question:c'), answer('I see')] })
    await scene.chat.sendMessage('Go')
    expect(await scene.approvals.decideAll('no', { reason: 'Not today' })).toMatchObject({
      success: true,
      result: { toolCalls: [{}, {}, {}] },
    })
    await until(scene, 'completed')
    expect(scene.effects).toEqual([])
    expect(
      scene.chat.confirmations.value.map((record) => 'reason' in record && record.reason),
    ).toEqual(['Not today', 'Not today', 'Not today'])
  })

  test('leaves out what was decided in this very moment', async () => {
    const scene = setScene({ script: [calls('write:a', 'write:b'), answer('Done')] })
    await scene.chat.sendMessage('Go')
    const { decide, decideAll, waiting } = scene.approvals
    void decide(waiting.value[0]!)
    expect(await decideAll('no')).toMatchObject({
      success: true,
      result: { toolCalls: [{ toolCallId: 'write:b' }] },
    })
    await until(scene, 'completed')
    expect(scene.effects).toEqual(['a'])
  })

  test('is nothing when nothing waits', async () => {
    const { approvals } = setScene({ script: [] })
    for (const outcome of ['yes', 'no'] as const) {
      expect(await approvals.decideAll(outcome)).toEqual({
        success: true,
        result: { toolCalls: [], settled: [] },
      })
    }
  })

  test('is for those only that are picked, and a yes still leaves out what it may not cover', async () => {
    const scene = setScene({ script: [calls('write:a', 'write:b', 'wipe:c')] })
    await scene.chat.sendMessage('Go')
    const seen = new Set(['write:b', 'wipe:c'])
    expect(
      await scene.approvals.decideAll('yes', { only: (call) => seen.has(call.toolCallId) }),
    ).toMatchObject({ success: true, result: { toolCalls: [{ toolCallId: 'write:b' }] } })
    scene.chat.engine.value.flush()
    expect(idsOf(scene)).toEqual(['write:a', 'wipe:c'])
    await scene.approvals.decideAll('no', { only: ({ risk }) => risk === 'destroy' })
    scene.chat.engine.value.flush()
    expect(idsOf(scene)).toEqual(['write:a'])
    expect(scene.effects).toEqual([])
  })
})

describe('a call', () => {
  test('is answered in place of its tool', async () => {
    const scene = setScene({ script: [calls('question:a'), answer('Thanks')] })
    await scene.chat.sendMessage('Go')
    const { submitOutput, waiting } = scene.approvals
    expect(await submitOutput(waiting.value[0]!, { said: 'blue' })).toMatchObject({ success: true })
    await until(scene, 'completed')
    expect(scene.transport.requests[1]?.messages.at(-1)?.parts[1]).toMatchObject({
      state: 'output-available',
      output: { said: 'blue' },
    })
  })

  test('is stopped while it runs', async () => {
    const scene = setScene({
      script: [calls('list:a'), answer('I see')],
      plugin: {
        tools: { list: { inputSchema: z.object({}), execute: () => new Promise(() => {}) } },
      },
    })
    const over = scene.chat.sendMessage('Go')
    const { messages } = await untilState(
      scene.chat.engine.value,
      ({ processingState }) => processingState === 'calling-tools',
    )
    const call = { messageId: messages[1]!.id, step: 1, toolCallId: 'list:a' }
    expect(await scene.approvals.cancel(call, 'Too slow')).toMatchObject({ success: true })
    expect(await over).toMatchObject({ requestState: 'completed' })
    expect(JSON.stringify(scene.transport.requests[1]?.messages)).toContain('Too slow')
  })
})
