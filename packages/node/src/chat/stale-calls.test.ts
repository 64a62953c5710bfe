import type { UIMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import { startAsking } from '../../test/asking-server.ts'
import { rawChat, userMessage } from '../../test/raw-chat.ts'

const call = { type: 'tool-send' as const, toolCallId: '1', input: { to: 'ada' } }
const approval = { id: 'a', approved: true as const }

describe('a history with a call that was left open', () => {
  test.each<[string, UIMessage['parts'][number], RegExp]>([
    ['an input', { ...call, state: 'input-available' }, /whether it ran is not known/],
    [
      'a question',
      { ...call, state: 'approval-requested', approval: { id: 'a' } },
      /before this call was decided; it did not run/,
    ],
    [
      'an approval',
      { ...call, state: 'approval-responded', approval },
      /whether it ran is not known/,
    ],
    [
      'a part of its output',
      { ...call, state: 'output-available', output: 'half', preliminary: true },
      /may have taken effect/,
    ],
  ])('is answered, and tells the model what is known: %s', async (_, part, text) => {
    const { api, model, effects, errors } = await startAsking(['Hello.'])
    const answer: UIMessage = { id: 'a', role: 'assistant', parts: [{ type: 'step-start' }, part] }
    const messages = [userMessage('go'), answer, userMessage('never mind')]
    const response = await rawChat(api).post(messages)
    expect(await response.text()).toContain('Hello.')
    expect([effects, errors]).toEqual([[], []])
    const prompt = model.doStreamCalls[0]?.prompt ?? []
    const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []))
    expect(results).toMatchObject([{ type: 'tool-result', toolCallId: '1' }])
    expect(JSON.stringify(results)).toMatch(text)
  })

  test('is answered when its input had not come to its end', async () => {
    const { api, errors } = await startAsking(['Hello.'])
    const part = { ...call, state: 'input-streaming' as const }
    const answer: UIMessage = { id: 'a', role: 'assistant', parts: [{ type: 'step-start' }, part] }
    const response = await rawChat(api).post([userMessage('go'), answer, userMessage('hm')])
    expect(await response.text()).toContain('Hello.')
    expect(errors).toEqual([])
  })
})
