import { createMessageEngine, EngineError } from '@assent/engine'
import { defineStorage, memoryStorage } from '@assent/engine/storage'
import { answer, scriptedTransport } from '@assent/engine/testing'
import type { UIMessage } from 'ai'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { computed, effectScope, isRef, watch, type EffectScope } from 'vue'
import { manualFrames } from './testing/manual-frames.ts'
import { observeEngine } from './testing/observed-engine.ts'
import { useMessage } from './use-message.ts'

const scopes: EffectScope[] = []
afterEach(() => {
  for (const scope of scopes.splice(0)) scope.stop()
})

/** Runs in a scope that the test may stop, and that is stopped after it. */
function inScope<RESULT>(run: () => RESULT): { result: RESULT; stop: () => void } {
  const scope = effectScope()
  scopes.push(scope)
  const result = scope.run(run)
  if (result === undefined) throw new Error('The scope is not active.')
  return { result, stop: () => scope.stop() }
}

function textMessage(id: string, role: UIMessage['role'], text: string): UIMessage {
  return { id, role, parts: [{ type: 'text', text }] }
}

function textOf(message: UIMessage | undefined): string | undefined {
  return message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

describe('a conversation', () => {
  test('that was read in part can be read to its beginning, page after page', async () => {
    const disk = memoryStorage()
    const turns = ['1', '2', '3', '4', '5', '6']
    const transport = scriptedTransport(turns.map((turn) => answer(`a${turn}`)))
    const writer = createMessageEngine({ id: 'c', transport, storage: defineStorage(disk) })
    for (const turn of turns) await writer.sendMessage(`q${turn}`)
    writer.dispose()
    const storage = defineStorage(disk, { pageSize: 4 })
    // No frame comes while it reads.
    const { scheduleFrame } = manualFrames()
    const { result: chat } = inScope(() =>
      useMessage({ id: 'c', transport: scriptedTransport(), storage, scheduleFrame }),
    )
    await chat.engine.value.ready
    chat.engine.value.flush()
    expect(chat.earlier.value?.count).toBe(8)
    while (chat.earlier.value) await chat.loadEarlier()
    expect(chat.messages.value).toHaveLength(12)
  })

  test('is idle and shows the messages it starts with', () => {
    const messages = [textMessage('a', 'user', 'Hi'), textMessage('b', 'assistant', 'Hello')]
    const { result: chat } = inScope(() =>
      useMessage({ id: 'c', messages, transport: scriptedTransport() }),
    )
    expect(chat.id.value).toBe('c')
    expect(chat.messages.value).toEqual(messages)
    expect(chat.messageIds.value).toEqual(['a', 'b'])
    expect(chat.requestState.value).toBe('idle')
    expect(chat.processingState.value).toBeUndefined()
    expect(chat.isProcessing.value).toBe(false)
    expect(chat.isPaused.value).toBe(false)
    expect(chat.error.value).toBeUndefined()
    expect(chat.queue.value).toEqual([])
    expect(chat.confirmations.value).toEqual([])
    expect(chat.state.value).toBe(chat.engine.value.getState())
  })

  test('shows other messages as soon as they are put in place', () => {
    const messages = [textMessage('a', 'user', 'Hi'), textMessage('b', 'assistant', 'Hello')]
    const { result: chat } = inScope(() =>
      useMessage({ id: 'c', messages, transport: scriptedTransport() }),
    )
    const second = chat.message('b')
    chat.setMessages((all) => [textMessage('z', 'user', 'Before'), ...all.slice(0, 1)])
    chat.engine.value.flush()
    expect(chat.messageIds.value).toEqual(['z', 'a'])
    expect(second.value).toBeUndefined()
    chat.setMessages([])
    chat.engine.value.flush()
    expect(chat.messages.value).toEqual([])
  })

  test('follows a turn from the question to the answer', async () => {
    const { result: chat } = inScope(() =>
      useMessage({ transport: scriptedTransport([answer(['Hel', 'lo'])]) }),
    )
    const states: string[] = []
    watch(chat.requestState, (state) => states.push(state), { flush: 'sync' })
    const sent = chat.sendMessage('Hi')
    expect(chat.isProcessing.value).toBe(true)
    expect(chat.processingState.value).toBe('requesting')
    const outcome = await sent
    expect(outcome.requestState).toBe('completed')
    expect(chat.turn.value?.id).toBe(outcome.turnId)
    expect(states).toEqual(['processing', 'completed'])
    expect(chat.messages.value.map(textOf)).toEqual(['Hi', 'Hello'])
  })

  test('shows a failed request as state, and retries it', async () => {
    const onError = vi.fn<(error: EngineError) => void>()
    const transport = scriptedTransport([new Error('offline'), answer('Back')])
    const { result: chat } = inScope(() => useMessage({ transport, onError }))
    const failed = await chat.sendMessage('Hi')
    expect(failed.requestState).toBe('error')
    expect(chat.requestState.value).toBe('error')
    expect(chat.error.value).toBeInstanceOf(EngineError)
    expect(chat.error.value).toBe(failed.error)
    expect(onError).toHaveBeenCalledWith(failed.error)
    await chat.retry()
    expect(chat.requestState.value).toBe('completed')
    expect(chat.error.value).toBeUndefined()
    expect(chat.messages.value.map(textOf)).toEqual(['Hi', 'Back'])
  })

  test('aborts, queues while busy, edits and removes what is queued', async () => {
    const transport = scriptedTransport()
    transport.hold()
    const { result: chat } = inScope(() => useMessage({ transport }))
    const first = chat.sendMessage('one')
    void chat.sendMessage('two')
    void chat.sendMessage('three')
    await transport.requested(1)
    chat.engine.value.flush()
    expect(chat.queue.value.map(({ message }) => textOf(message))).toEqual(['two', 'three'])
    chat.moveQueued(chat.queue.value[1]!.id, 0)
    chat.engine.value.flush()
    expect(chat.queue.value.map(({ message }) => textOf(message))).toEqual(['three', 'two'])
    chat.moveQueued(chat.queue.value[0]!.id, 1)
    chat.engine.value.flush()
    chat.holdQueued(chat.queue.value[1]!.id, true)
    chat.engine.value.flush()
    expect(chat.queue.value).toMatchObject([{ held: false }, { held: true }])
    chat.editQueued(chat.queue.value[0]!.id, 'two and a half')
    chat.removeQueued(chat.queue.value[1]!.id)
    await chat.abort()
    expect((await first).requestState).toBe('aborted')
    expect(chat.requestState.value).toBe('aborted')
    expect(chat.queue.value).toMatchObject([{ held: true }])
    transport.add(answer('Fine'))
    const completed = whenState(chat, 'completed')
    chat.sendQueued(chat.queue.value[0]!.id)
    await completed
    expect(chat.queue.value).toEqual([])
    expect(chat.messages.value.map(textOf)).toContain('two and a half')
  })

  test('edits a message and regenerates an answer', async () => {
    const transport = scriptedTransport([answer('A1'), answer('A2'), answer('A3')])
    const { result: chat } = inScope(() => useMessage({ transport }))
    await chat.sendMessage('Q1')
    await chat.regenerate()
    expect(chat.messages.value.map(textOf)).toEqual(['Q1', 'A2'])
    await chat.editMessage(chat.messageIds.value[0]!, 'Q2')
    expect(chat.messages.value.map(textOf)).toEqual(['Q2', 'A3'])
  })

  test('takes up a stream that the server still sends', async () => {
    const transport = scriptedTransport([], { reconnects: [answer('Still here')] })
    const messages = [textMessage('a', 'user', 'Hi')]
    const { result: chat } = inScope(() => useMessage({ messages, transport }))
    await chat.reconnect()
    expect(chat.messages.value.map(textOf)).toEqual(['Hi', 'Still here'])
  })

  test('runs commands of plugins by name', async () => {
    const echo = { name: 'echo', commands: { say: (payload: unknown) => payload } }
    const { result: chat } = inScope(() =>
      useMessage({ transport: scriptedTransport(), plugins: [echo] }),
    )
    const { runPluginCommand } = chat
    expect(await runPluginCommand('echo', 'say', 'hi')).toEqual({ success: true, result: 'hi' })
    expect(await runPluginCommand('nobody', 'say')).toMatchObject({
      success: false,
      error: { code: 'unknown_plugin' },
    })
  })

  test('lets a sync watcher see a whole publication, never half of one', async () => {
    const { result: chat } = inScope(() =>
      useMessage({ transport: scriptedTransport([answer('Hello')]) }),
    )
    const last = computed(() => textOf(chat.messages.value.at(-1)))
    const seen: unknown[] = []
    watch(
      chat.requestState,
      (state) => {
        const whole = chat.engine.value.getState()
        seen.push([
          state,
          last.value,
          chat.processingState.value === whole.processingState,
          chat.messageIds.value === whole.messageIds,
          chat.messages.value === whole.messages,
          chat.turn.value === whole.turn,
        ])
      },
      { flush: 'sync' },
    )
    await chat.sendMessage('Hi')
    expect(seen).toEqual([
      ['processing', 'Hi', true, true, true, true],
      ['completed', 'Hello', true, true, true, true],
    ])
  })
})

describe('message(id)', () => {
  test('is a ref that follows one message as it streams', async () => {
    const frames = manualFrames()
    const transport = scriptedTransport()
    const held = transport.hold()
    const { result: chat } = inScope(() =>
      useMessage({ transport, scheduleFrame: frames.scheduleFrame }),
    )
    const message = chat.message('answer')
    expect(isRef(message)).toBe(true)
    expect(message.value).toBeUndefined()
    const texts: (string | undefined)[] = []
    watch(message, (value) => texts.push(textOf(value)), { flush: 'sync' })
    const sent = chat.sendMessage('Hi')
    await held.push(
      { type: 'start', messageId: 'answer' },
      { type: 'start-step' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Hel' },
    )
    await until(frames, () => texts.at(-1) === 'Hel')
    await held.push({ type: 'text-delta', id: 't', delta: 'lo' })
    await until(frames, () => texts.at(-1) === 'Hello')
    await held.push(
      { type: 'text-end', id: 't' },
      { type: 'finish-step' },
      { type: 'finish', finishReason: 'stop' },
    )
    held.end()
    await sent
    expect(chat.requestState.value).toBe('completed')
    expect(texts).toContain('Hel')
    expect(message.value).toMatchObject({ parts: [{}, { text: 'Hello', state: 'done' }] })
  })

  test('fills when a message of its id arrives and empties when it goes', async () => {
    const transport = scriptedTransport([answer('A', { messageId: 'x' }), answer('B')])
    const { result: chat } = inScope(() => useMessage({ transport }))
    const message = chat.message('x')
    const texts: (string | undefined)[] = []
    watch(message, (value) => texts.push(textOf(value)), { flush: 'sync' })
    await chat.sendMessage('Hi')
    expect(texts.at(-1)).toBe('A')
    await chat.regenerate()
    expect(message.value).toBeUndefined()
    expect(texts.at(-1)).toBeUndefined()
  })

  test('subscribes only when it is read, and once for all who read it', () => {
    const messages = [textMessage('a', 'user', 'Hi'), textMessage('b', 'assistant', 'Hello')]
    const { engine, subscribedMessages } = observeEngine(
      createMessageEngine({ messages, transport: scriptedTransport() }),
    )
    const { result: chat } = inScope(() => useMessage({ engine }))
    const refs = [chat.message('a'), chat.message('a'), chat.message('nobody')]
    expect(subscribedMessages).toEqual([])
    for (const message of refs) void message.value
    expect(subscribedMessages).toEqual(['a'])
  })

  test('keeps no subscription to messages that left the list', async () => {
    const transport = scriptedTransport([answer('A'), answer('B'), answer('C')])
    const { engine, subscribedMessages } = observeEngine(createMessageEngine({ transport }))
    const { result: chat, stop } = inScope(() => useMessage({ engine }))
    const readAll = (): void => {
      for (const id of chat.messageIds.value) void chat.message(id).value
    }
    await chat.sendMessage('Hi')
    for (let round = 0; round < 2; round += 1) {
      readAll()
      expect(subscribedMessages.toSorted()).toEqual(chat.messageIds.value.toSorted())
      await chat.regenerate()
    }
    expect(subscribedMessages).toEqual([chat.messageIds.value[0]])
    readAll()
    stop()
    expect(subscribedMessages).toEqual([])
    readAll()
    expect(subscribedMessages).toEqual([])
  })
})

describe('disposal', () => {
  test('disposes its engine with the scope', async () => {
    const transport = scriptedTransport()
    transport.hold()
    const { result: chat, stop } = inScope(() => useMessage({ transport }))
    void chat.sendMessage('Hi')
    const { abortSignal } = await transport.requested(1)
    stop()
    expect(abortSignal?.aborted).toBe(true)
    expect((await chat.sendMessage('More')).error?.code).toBe('disposed')
  })

  test('leaves an engine that was handed in alone', async () => {
    const transport = scriptedTransport([answer('Hello')])
    const { engine, subscriptions } = observeEngine(createMessageEngine({ transport }))
    const { result: chat, stop } = inScope(() => useMessage({ engine }))
    expect(chat.engine.value).toBe(engine)
    expect(subscriptions()).toBe(1)
    stop()
    expect(subscriptions()).toBe(0)
    expect((await engine.sendMessage('Hi')).requestState).toBe('completed')
    expect(chat.requestState.value).toBe('idle')
  })

  test('warns where no scope is there to dispose it, and works nevertheless', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const chat = useMessage({ transport: scriptedTransport([answer('Hello')]) })
    expect(warn).toHaveBeenCalledOnce()
    expect(String(warn.mock.calls[0]?.[0])).toContain('effectScope()')
    warn.mockRestore()
    await chat.sendMessage('Hi')
    expect(chat.requestState.value).toBe('completed')
    chat.engine.value.dispose()
  })
})

/** Lets frames pass until something is seen. */
async function until(frames: { next: () => Promise<void> }, isSeen: () => boolean): Promise<void> {
  while (!isSeen()) await frames.next()
}

function whenState(
  chat: { requestState: { readonly value: string } },
  state: string,
): Promise<void> {
  return new Promise((resolve) => {
    const stop = watch(
      () => chat.requestState.value,
      (now) => {
        if (now !== state) return
        stop()
        resolve()
      },
      { flush: 'sync' },
    )
  })
}
