import { createMessageEngine, type ConfirmationRecord } from '@assent/engine'
import { answer, scriptedTransport } from '@assent/engine/testing'
import type { UIMessage } from 'ai'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { computed, effectScope, reactive, ref, shallowRef, watch, type EffectScope } from 'vue'
import { useMessage } from './use-message.ts'

let scope: EffectScope | undefined
afterEach(() => scope?.stop())

function inScope<RESULT>(run: () => RESULT): RESULT {
  scope = effectScope()
  const result = scope.run(run)
  if (result === undefined) throw new Error('The scope is not active.')
  return result
}

function textMessage(id: string, text: string): UIMessage {
  return { id, role: 'user', parts: [{ type: 'text', text }] }
}

describe('an option', () => {
  test('may be a value, a ref or a getter', async () => {
    const plugin = { name: 'echo', commands: { say: (payload: unknown) => payload } }
    const chat = inScope(() =>
      useMessage({
        id: ref('c'),
        messages: () => [textMessage('a', 'Hi')],
        transport: shallowRef(scriptedTransport([answer('Hello')])),
        plugins: computed(() => [plugin]),
        maxSteps: () => 3,
        whenBusy: ref('reject'),
      }),
    )
    expect(chat.id.value).toBe('c')
    expect(chat.messageIds.value).toEqual(['a'])
    expect(await chat.runPluginCommand('echo', 'say', 1)).toEqual({ success: true, result: 1 })
    const sent = chat.sendMessage('One')
    expect((await chat.sendMessage('Two')).error?.code).toBe('busy')
    await sent
    expect(chat.turn.value?.maxSteps).toBe(3)
  })

  test('holds messages and confirmations themselves, no proxies of a deep ref', () => {
    const message = textMessage('a', 'Hi')
    const messages = ref([message])
    const confirmation: ConfirmationRecord = {
      id: 'no',
      conversationId: 'c',
      messageId: 'a',
      step: 1,
      toolCallId: 'call',
      toolName: 'write',
      fingerprint: '0'.repeat(64),
      at: 0,
      outcome: 'no',
    }
    const confirmations = ref([confirmation])
    const transport = scriptedTransport()
    const chat = inScope(() => useMessage({ messages, confirmations, transport }))
    expect(chat.message('a').value).toBe(message)
    expect(chat.confirmations.value[0]).toBe(confirmation)
  })

  test('keeps functions as they are', async () => {
    let count = 0
    const generateId = vi.fn<() => string>(() => `id-${(count += 1)}`)
    const onData = vi.fn<(part: { type: string }) => void>()
    const data = { type: 'data-note' as const, data: 1, transient: true }
    const transport = scriptedTransport([[{ type: 'start' }, data, { type: 'finish' }]])
    const chat = inScope(() =>
      useMessage({ transport, generateId, onData, now: () => 0, onError: () => {} }),
    )
    expect(chat.id.value).toMatch(/^id-/)
    await chat.sendMessage('Hi')
    expect(onData).toHaveBeenCalledWith(expect.objectContaining({ type: 'data-note' }))
  })
})

describe('request', () => {
  test.each([
    ['a getter', (token: () => string) => ({ request: () => headers(token()) })],
    ['a ref', (token: () => string) => ({ request: computed(() => headers(token())) })],
    [
      'part of a getter for all options',
      (token: () => string) => () => ({ request: headers(token()) }),
    ],
  ])('is read anew for every request as %s', async (_, make) => {
    const transport = scriptedTransport([answer('One'), answer('Two')])
    const token = ref('first')
    const given = make(() => token.value)
    const chat = inScope(() =>
      useMessage(
        typeof given === 'function' ? () => ({ transport, ...given() }) : { transport, ...given },
      ),
    )
    await chat.sendMessage('Hi')
    token.value = 'second'
    await chat.sendMessage('Hi again')
    expect(transport.requests.map((request) => request.headers['x-token'])).toEqual([
      'first',
      'second',
    ])
  })
})

describe('transport', () => {
  test('is taken anew for every request when it is a ref', async () => {
    const [first, second] = [scriptedTransport([answer('1')]), scriptedTransport([answer('2')])]
    const transport = shallowRef(first)
    const chat = inScope(() => useMessage({ transport }))
    const { engine } = chat
    const before = engine.value
    await chat.sendMessage('Hi')
    transport.value = second
    await chat.sendMessage('Hi again')
    expect([first.requests.length, second.requests.length]).toEqual([1, 1])
    expect(engine.value).toBe(before)
  })
})

describe('id', () => {
  test.each(['ref', 'getter', 'getter of all options'])(
    'disposes the engine and makes another one when it changes, as a %s',
    async (form) => {
      const id = ref('one')
      const histories: Record<string, UIMessage[]> = {
        one: [textMessage('a', 'First')],
        two: [textMessage('b', 'Second')],
      }
      const transport = scriptedTransport()
      transport.hold()
      const messages = (): UIMessage[] => histories[id.value] ?? []
      const chat = inScope(() => {
        if (form === 'ref') return useMessage({ id, messages, transport })
        if (form === 'getter') return useMessage({ id: () => id.value, messages, transport })
        return useMessage(() => ({ id: id.value, messages: messages(), transport }))
      })
      const former = chat.engine.value
      const message = chat.message('b')
      const ids: string[] = []
      watch(chat.messageIds, (list) => ids.push(list.join()), { flush: 'sync' })
      void chat.sendMessage('Hi')
      const { abortSignal } = await transport.requested(1)
      expect(chat.isProcessing.value).toBe(true)
      ids.length = 0

      id.value = 'two'
      expect(chat.engine.value).not.toBe(former)
      expect(chat.id.value).toBe('two')
      expect(chat.requestState.value).toBe('idle')
      expect(ids).toEqual(['b'])
      expect(message.value).toBe(histories['two']?.[0])
      expect(abortSignal?.aborted).toBe(true)
      expect((await former.sendMessage('Late')).error?.code).toBe('disposed')

      transport.add(answer('To two'))
      await chat.sendMessage('Hi two')
      expect(transport.requests.at(-1)?.chatId).toBe('two')
      expect(chat.messages.value).toHaveLength(3)
    },
  )

  test('makes no other engine when something else in the options changes', () => {
    const options = reactive({ id: 'one', token: 'x' })
    const transport = scriptedTransport()
    const chat = inScope(() =>
      useMessage(() => ({ id: options.id, transport, request: headers(options.token) })),
    )
    const before = chat.engine.value
    options.token = 'y'
    expect(chat.engine.value).toBe(before)
  })
})

describe('engine', () => {
  test('as a ref is followed, and none of them is disposed', async () => {
    const make = (id: string) =>
      createMessageEngine({ id, transport: scriptedTransport([answer(`From ${id}`)]) })
    const [first, second] = [make('one'), make('two')]
    const engine = shallowRef(first)
    const chat = inScope(() => useMessage({ engine }))
    expect(chat.id.value).toBe('one')
    engine.value = second
    expect(chat.id.value).toBe('two')
    await chat.sendMessage('Hi')
    expect(second.getState().messages).toHaveLength(2)
    expect((await first.sendMessage('Hi')).requestState).toBe('completed')
    expect(chat.messages.value).toBe(second.getState().messages)
  })
})

function headers(token: string): { headers: Record<string, string> } {
  return { headers: { 'x-token': token } }
}
