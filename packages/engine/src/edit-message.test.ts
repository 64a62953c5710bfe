import { describe, expect, it } from 'vitest'
import { createMessageEngine } from './engine.ts'
import { textOf } from './message/message-input.ts'
import { answer, scriptedTransport } from './testing/index.ts'

/** An engine that has answered two messages. */
async function answered() {
  const transport = scriptedTransport([answer('one'), answer('two')])
  const engine = createMessageEngine({ transport, onError: () => undefined })
  await engine.sendMessage({ id: 'q1', parts: [{ type: 'text', text: 'first' }] })
  await engine.sendMessage({ id: 'q2', parts: [{ type: 'text', text: 'second' }] })
  return { engine, transport, said: () => engine.getState().messages.map(textOf) }
}

describe('editMessage', () => {
  it('replaces the message, drops all after it, and asks again', async () => {
    const { engine, transport, said } = await answered()
    transport.add(answer('other'))
    const before = engine.getState().turn?.id
    const edited = engine.editMessage(
      'q1',
      { text: 'first, but better', metadata: { edited: true } },
      { body: { own: true } },
    )
    expect(engine.getState()).toMatchObject({
      requestState: 'processing',
      messages: [{ id: 'q1' }],
    })
    expect(await edited).toMatchObject({ requestState: 'completed' })
    expect(engine.getState().turn?.id).not.toBe(before)
    expect(said()).toEqual(['first, but better', 'other'])
    expect(transport.requests[2]).toMatchObject({
      trigger: 'submit-message',
      messageId: 'q1',
      body: { own: true },
      messages: [{ id: 'q1', role: 'user', metadata: { edited: true } }],
    })
  })

  it.each([
    ['an unknown message', 'nobody', 'unknown_message'],
    ['a name of every object', '__proto__', 'unknown_message'],
    ['nothing', '', 'unknown_message'],
  ])('refuses %s', async (_name, messageId, code) => {
    const { engine } = await answered()
    const before = engine.getState()
    expect(await engine.editMessage(messageId, 'x')).toMatchObject({
      turnId: undefined,
      error: { code },
    })
    expect(engine.getState()).toBe(before)
  })

  it('refuses an answer, and an edit that leaves nothing', async () => {
    const { engine } = await answered()
    const before = engine.getState()
    const answerId = before.messages[1]?.id ?? ''
    expect(await engine.editMessage(answerId, 'x')).toMatchObject({
      error: { code: 'unknown_message' },
    })
    expect(await engine.editMessage('q1', ' ')).toMatchObject({
      error: { code: 'invalid_argument' },
    })
    expect(engine.getState()).toBe(before)
  })

  it('is refused while a turn is open', async () => {
    const { engine, transport } = await answered()
    const held = transport.hold()
    const sent = engine.sendMessage('third')
    const before = engine.getState().messages
    expect(await engine.editMessage('q1', 'x')).toMatchObject({
      error: { code: 'busy', retryable: true },
    })
    expect(engine.getState().messages).toBe(before)
    void held.push(...answer('three'))
    held.end()
    expect(await sent).toMatchObject({ requestState: 'completed' })
  })
})
