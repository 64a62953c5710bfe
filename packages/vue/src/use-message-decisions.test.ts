import { isToolCallPart, toolPlugin, type ToolCallPart } from '@assent/engine'
import { answer, callTools, scriptedTransport } from '@assent/engine/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { effectScope, ref, type EffectScope } from 'vue'
import { z } from 'zod'
import { useApprovals } from './use-approvals.ts'
import { useMessage, type UseMessageReturn } from './use-message.ts'

let scope: EffectScope | undefined
afterEach(() => scope?.stop())

function inScope<RESULT>(run: () => RESULT): RESULT {
  scope = effectScope()
  const result = scope.run(run)
  if (result === undefined) throw new Error('The scope is not active.')
  return result
}

/** A tool that asks, and whose effects are counted outside. */
function rename() {
  const effects: string[] = []
  const inputSchema = z.object({ to: z.string() })
  const tools = {
    rename: { inputSchema, execute: ({ to }: { to: string }) => effects.push(to) },
  }
  return { effects, tools }
}

const asks = (...names: string[]) =>
  callTools(names.map((to) => ({ toolCallId: to, toolName: 'rename', input: { to } })))

function shownCall(chat: UseMessageReturn, toolCallId: string): ToolCallPart {
  const part = chat.messages.value
    .flatMap(({ parts }) => parts.filter(isToolCallPart))
    .find((call) => call.toolCallId === toolCallId)
  if (!part) throw new Error(`There is no call ${toolCallId}.`)
  return part
}

describe('options of the tool plugin', () => {
  test('make it, and tell the server of the tools of the page', async () => {
    const { effects, tools } = rename()
    const transport = scriptedTransport([asks('b'), answer('Done')])
    const chat = inScope(() =>
      useMessage({ transport, tools, toolApproval: { rename: 'approved' } }),
    )
    await chat.sendMessage('Rename it')
    expect(effects).toEqual(['b'])
    expect(transport.requests[0]?.body?.['tools']).toMatchObject([{ name: 'rename' }])
  })

  test('are not needed where the tools are the server’s', async () => {
    const chunk = { type: 'tool-approval-request' as const, approvalId: 'a', toolCallId: 'b' }
    const [start, ...rest] = asks('b').toReversed()
    if (!start) throw new Error('The answer is empty.')
    const transport = scriptedTransport([[...rest.toReversed(), chunk, start], answer('Done')])
    const chat = inScope(() => useMessage({ transport }))
    await chat.sendMessage('Rename it')
    expect(chat.requestState.value).toBe('paused')
    expect(transport.requests[0]?.body?.['tools']).toBeUndefined()
  })

  test('beside a tool plugin are an error that names both', () => {
    const { tools } = rename()
    const transport = scriptedTransport()
    expect(() => inScope(() => useMessage({ transport, tools, plugins: [toolPlugin()] }))).toThrow(
      /option tools and, in plugins, a toolPlugin/,
    )
  })

  test('that are there without a value are none', () => {
    const transport = scriptedTransport()
    const plugins = [toolPlugin()]
    expect(inScope(() => useMessage({ transport, plugins, tools: undefined })).isPaused.value).toBe(
      false,
    )
  })

  test('that name no tool are an error', () => {
    const { tools } = rename()
    const transport = scriptedTransport()
    expect(() =>
      // @ts-expect-error -- a typo
      inScope(() => useMessage({ transport, tools, toolApproval: { renam: 'approved' } })),
    ).toThrow(expect.objectContaining({ code: 'unknown_tool' }))
  })
})

describe('a call', () => {
  function waiting(...names: string[]) {
    const { effects, tools } = rename()
    const transport = scriptedTransport([asks(...names), answer('Done'), asks('b'), answer('Done')])
    const chat = inScope(() => useMessage({ transport, tools }))
    return { chat, effects, transport }
  }

  test('runs after approve, and settled resolves when the turn is over', async () => {
    const { chat, effects } = waiting('b')
    await chat.sendMessage('Rename it')
    expect(await chat.settled()).toBe('paused')
    expect(await chat.approve(shownCall(chat, 'b'))).toMatchObject({ success: true })
    expect(await chat.settled()).toBe('completed')
    expect(effects).toEqual(['b'])
  })

  test('runs with the input that was given in place of the model’s', async () => {
    const { chat, effects } = waiting('b')
    await chat.sendMessage('Rename it')
    await chat.approve(shownCall(chat, 'b'), { input: { to: 'c' } })
    await chat.settled()
    expect(effects).toEqual(['c'])
  })

  test('does not run after deny, and the model is told why', async () => {
    const { chat, effects, transport } = waiting('b')
    await chat.sendMessage('Rename it')
    await chat.deny(shownCall(chat, 'b'), 'Keep it')
    await chat.settled()
    expect(effects).toEqual([])
    expect(JSON.stringify(transport.requests[1]?.messages)).toContain('Keep it')
  })

  test('is not asked about again after always', async () => {
    const { chat, effects } = waiting('b')
    await chat.sendMessage('Rename it')
    expect(await chat.always(shownCall(chat, 'b'))).toMatchObject({ success: true })
    await chat.settled()
    await chat.sendMessage('And again')
    expect(await chat.settled()).toBe('completed')
    expect(effects).toEqual(['b', 'b'])
  })

  test('may be one of useApprovals; one that changed since it was shown is refused', async () => {
    const { chat, effects } = waiting('b', 'c')
    const { waiting: calls } = inScope(() => useApprovals(chat))
    await chat.sendMessage('Rename it')
    const [first, second] = calls.value
    if (!first || !second) throw new Error('Two calls wait.')
    const changed = { ...first, fingerprint: '0'.repeat(64) }
    expect(await chat.approve(changed)).toMatchObject({ error: { code: 'call_changed' } })
    expect(await chat.deny(first)).toMatchObject({ success: true })
    expect(await chat.approve(second)).toMatchObject({ success: true })
    await chat.settled()
    expect(effects).toEqual(['c'])
  })
})

describe('settled', () => {
  test('waits for what is queued', async () => {
    const transport = scriptedTransport([answer('One'), answer('Two')])
    const chat = inScope(() => useMessage({ transport }))
    void chat.sendMessage('First')
    void chat.sendMessage('Second')
    expect(await chat.settled()).toBe('completed')
    expect(transport.requests).toHaveLength(2)
  })

  test('resolves when the conversation becomes another one, or ends', async () => {
    const id = ref('one')
    const never = () => new Promise<never>(() => {})
    const transport = scriptedTransport([never, never])
    const chat = inScope(() => useMessage({ id, transport }))
    void chat.sendMessage('Hello')
    const left = chat.settled()
    id.value = 'two'
    expect(await left).toBeTypeOf('string')
    void chat.sendMessage('Hello')
    const ended = chat.settled()
    scope?.stop()
    expect(await ended).toBeTypeOf('string')
  })
})
