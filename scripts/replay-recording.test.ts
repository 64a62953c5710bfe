import { expect, test } from 'vitest'
import { replayRecording } from './replay-recording.ts'

const CHAT = 'packages/openai/src/chat/__fixtures__/made.chunks.txt'

/** A stream in the language of OpenAI's chat, written here. */
function recorded(...deltas: readonly object[]): string {
  const events = deltas.map((delta) => ({
    id: 'r',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: null }],
  }))
  const last = { ...events[0], choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
  return [...events, last].map((event) => JSON.stringify(event)).join('\n')
}

const call = (index: number, name: string, text: string) => ({
  tool_calls: [{ index, id: `c${index}`, type: 'function', function: { name, arguments: text } }],
})

test('a recorded text is read as the AI SDK reads it', async () => {
  const replay = await replayRecording(CHAT, recorded({ content: 'Hel' }, { content: 'lo.' }))
  expect(replay).toMatchObject({ result: 'same', asked: 0 })
  expect(replay.chunks).toBeGreaterThan(5)
})

test('recorded calls wait for a yes, and each runs once after it', async () => {
  const calls = recorded(
    call(0, 'send', '{"to":"ada"}'),
    call(1, 'send', '{}'),
    call(2, 'wipe', '{}'),
  )
  expect(await replayRecording(CHAT, calls)).toMatchObject({ result: 'same', asked: 3 })
})

test('what no provider reads is told', async () => {
  const error = JSON.stringify({
    error: { message: 'Too much.', type: 'x', param: null, code: null },
  })
  expect(await replayRecording(CHAT, error)).toMatchObject({ result: 'unread' })
  const other = CHAT.replace('openai', 'unheard-of')
  expect(await replayRecording(other, '')).toMatchObject({ result: 'skipped' })
})
