import { describe, expect, test, vi } from 'vitest'
import { connectEngine } from '../../test/chat-client.ts'
import { rawChat, readEvents, userMessage } from '../../test/raw-chat.ts'
import { serveChat } from '../../test/serve-chat.ts'
import { talkingModel } from '../../test/talking-model.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { memoryStreams } from './memory-streams.ts'

async function start(more: Partial<ChatHandlerOptions> = {}) {
  const { model, answer } = talkingModel()
  const ends: unknown[] = []
  const served = await serveChat({ model, onFinish: (end) => ends.push(end.outcome), ...more })
  return { ...served, model, answer, ends, chat: rawChat(served.api) }
}

const question = [userMessage('Say something')]

describe('an answer whose page goes away', () => {
  test('goes on, and is given from its beginning to the page that comes back', async () => {
    const { chat, answer, ends } = await start()
    const first = readEvents(await chat.post(question))
    const spoken = await answer(1)
    spoken.say('One ')
    await first.until('One ')
    await first.leave()
    spoken.say('two ')

    const back = await chat.resume()
    expect(back.headers.get('content-type')).toBe('text/event-stream')
    expect(back.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    const second = readEvents(back)
    await second.until('two ')
    expect(second.text.startsWith(first.text)).toBe(true)
    spoken.say('three.')
    spoken.finish()
    expect(await second.rest()).toMatch(/One .*two .*three\..*data: \[DONE\]\n\n$/s)
    expect(ends).toEqual(['finished'])
  })

  test('is there by its name for a while when it has ended meanwhile, then there is none', async () => {
    let now = 0
    const streams = memoryStreams({ keepMs: 1000, now: () => now })
    const { chat, answer } = await start({ streams })
    const named = { requestId: '1' }
    const first = readEvents(await chat.post(question, { body: named }))
    const spoken = await answer(1)
    spoken.say('All of it.')
    spoken.finish()
    const whole = await first.rest()
    now = 999
    expect(await readEvents(await chat.resume('chat', named)).rest()).toBe(whole)
    now = 1000
    const gone = await chat.resume('chat', named)
    expect(gone.status).toBe(204)
    expect(await gone.text()).toBe('')
  })

  test('that has ended is not given to who cannot name it, and may be at the next request', async () => {
    const { chat, answer } = await start()
    const first = readEvents(await chat.post(question, { body: { requestId: '1' } }))
    ;(await answer(1)).finish()
    await first.rest()
    expect((await chat.resume()).status).toBe(204)
    expect((await chat.resume('chat', { requestId: '2' })).status).toBe(204)
    const nameless = readEvents(await chat.post(question))
    ;(await answer(2)).finish()
    await nameless.rest()
    expect((await chat.resume('chat', { requestId: '2' })).status).toBe(204)
  })

  test('is taken up by an engine that was reloaded in the middle', async () => {
    const { api, answer } = await start()
    const before = connectEngine(api, {}, { id: 'chat' })
    void before.engine.sendMessage('Say something')
    const spoken = await answer(1)
    spoken.say('One ')
    await vi.waitFor(() => expect(before.text()).toBe('One '))
    const messages = structuredClone([...before.engine.getState().messages])
    before.engine.dispose()

    const after = connectEngine(api, {}, { id: 'chat', messages })
    const outcome = after.engine.reconnect()
    await vi.waitFor(() => expect(after.engine.getState().requestState).toBe('processing'))
    spoken.say('two.')
    spoken.finish()
    expect(await outcome).toMatchObject({ requestState: 'completed' })
    expect(after.text()).toBe('One two.')
    expect(after.engine.getState().messages).toHaveLength(2)
  })

  test('is read by several at once, who get the same bytes', async () => {
    const { chat, answer } = await start()
    const readers = [readEvents(await chat.post(question))]
    const spoken = await answer(1)
    for (const word of ['One ', 'two ', 'three ']) {
      spoken.say(word)
      readers.push(readEvents(await chat.resume()))
    }
    spoken.finish()
    const [own, ...others] = await Promise.all(readers.map((reader) => reader.rest()))
    expect(own).toMatch(/\[DONE\]/)
    expect(others).toEqual([own, own, own])
  })

  test('is not there for another conversation, nor for another user', async () => {
    const { chat, answer } = await start({
      authorize: (request) => request.headers.get('x-user'),
    })
    const ada = { 'x-user': 'ada' }
    const first = readEvents(await chat.post(question, { headers: ada }))
    const spoken = await answer(1)
    spoken.say('For Ada.')
    await first.until('For Ada.')
    expect((await chat.resume('chat', { headers: { 'x-user': 'eve' } })).status).toBe(204)
    expect((await chat.resume('other', { headers: ada })).status).toBe(204)
    expect((await chat.stop('chat', { headers: { 'x-user': 'eve' } })).status).toBe(204)
    spoken.finish()
    expect(await first.rest()).toContain('"finish"')
  })

  test('cannot be taken up once its beginning is too much to keep', async () => {
    const { chat, answer } = await start({ streams: memoryStreams({ maxStreamBytes: 2000 }) })
    const first = readEvents(await chat.post(question))
    const spoken = await answer(1)
    spoken.say('word '.repeat(50))
    await first.until('word ')
    spoken.say('x'.repeat(1900))
    await first.until('xxx')
    const gone = await chat.resume()
    expect(gone.status).toBe(410)
    expect(await gone.json()).toMatchObject({ error: { code: 'stream-gone' } })
    spoken.finish()
    expect(await first.rest()).toContain('[DONE]')
  })
})

describe('an answer that nobody reads', () => {
  test('is stopped after its time, and reaches the model', async () => {
    const { chat, answer, ends } = await start({ unreadMs: 30 })
    const named = { requestId: '1' }
    const first = readEvents(await chat.post(question, { body: named }))
    const spoken = await answer(1)
    spoken.say('One ')
    await first.until('One ')
    await first.leave()
    await spoken.aborted
    expect(ends).toEqual(['aborted'])
    const after = readEvents(await chat.resume('chat', named))
    expect(await after.rest()).toMatch(/"abort".*\[DONE\]/s)
  })

  test('is stopped at once when asked for', async () => {
    const { chat, answer, ends } = await start({ onDisconnect: 'abort' })
    const first = readEvents(await chat.post(question))
    const spoken = await answer(1)
    spoken.say('One ')
    await first.until('One ')
    await first.leave()
    await spoken.aborted
    expect(ends).toEqual(['aborted'])
  })

  test('makes room for the next message of its page', async () => {
    const { chat, answer, ends } = await start()
    const first = readEvents(await chat.post(question))
    const spoken = await answer(1)
    spoken.say('One ')
    await first.until('One ')
    await first.leave()
    const second = readEvents(await chat.post([userMessage('Something else')]))
    await spoken.aborted
    const other = await answer(2)
    other.say('Else.')
    other.finish()
    expect(await second.rest()).toContain('Else.')
    expect(ends).toEqual(['aborted', 'finished'])
  })
})

describe('stopping an answer', () => {
  test('reaches the model, and everybody who reads it', async () => {
    const { chat, answer, ends, errors } = await start()
    const readers = [readEvents(await chat.post(question)), readEvents(await chat.resume())]
    const spoken = await answer(1)
    spoken.say('One ')
    for (const reader of readers) await reader.until('One ')
    expect((await chat.stop()).status).toBe(204)
    await spoken.aborted
    for (const reader of readers) expect(await reader.rest()).toMatch(/"abort".*\[DONE\]/s)
    expect(ends).toEqual(['aborted'])
    expect(errors).toEqual([])
    expect((await chat.stop()).status).toBe(204)
  })

  test('that answers one request leaves the answer to another alone', async () => {
    const { chat, answer } = await start()
    const named = (requestId: string) => ({ requestId })
    const first = readEvents(await chat.post(question, { body: named('2') }))
    const spoken = await answer(1)
    await chat.stop('chat', named('1'))
    expect((await chat.resume('chat', named('1'))).status).toBe(204)
    expect((await chat.resume('chat', named('2'))).status).toBe(200)
    spoken.say('Still here.')
    await first.until('Still here.')
    await chat.stop('chat', named('2'))
    await spoken.aborted
    expect(await first.rest()).toContain('"abort"')
  })
})

describe('a second request of a conversation', () => {
  test('is refused while another page reads the answer to the first', async () => {
    const { chat, answer } = await start({ takeOverMs: 20 })
    const first = readEvents(await chat.post(question))
    const spoken = await answer(1)
    const second = await chat.post([userMessage('Me, too')])
    expect(second.status).toBe(409)
    expect(second.headers.get('retry-after')).toBe('1')
    expect(await second.json()).toMatchObject({ error: { code: 'busy' } })
    spoken.say('Undisturbed.')
    spoken.finish()
    expect(await first.rest()).toContain('Undisturbed.')
    expect((await chat.post([userMessage('Now?')])).status).toBe(200)
  })

  test('waits for an answer that is about to end', async () => {
    const { chat, answer } = await start({ takeOverMs: 10_000 })
    const first = readEvents(await chat.post(question))
    const spoken = await answer(1)
    const second = chat.post([userMessage('Me, too')])
    spoken.finish()
    await first.rest()
    const response = await second
    expect(response.status).toBe(200)
    ;(await answer(2)).finish()
    expect(await readEvents(response).rest()).toContain('"finish"')
  })

  test('is no second one when they have no id', async () => {
    const { api, chat, answer } = await start({ takeOverMs: 20 })
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ messages: question })
    const post = () => fetch(api, { method: 'POST', headers, body })
    const readers = [readEvents(await post()), readEvents(await post())]
    expect((await chat.resume()).status).toBe(204)
    for (const count of [1, 2]) (await answer(count)).finish()
    for (const reader of readers) expect(await reader.rest()).toContain('"finish"')
  })
})

test('a reader that is slow does not hold the answer back, and is cut off when it is too slow', async () => {
  const { chat, answer, ends } = await start({
    streams: memoryStreams({ maxStreamBytes: 100_000 }),
  })
  const slow = await chat.post(question)
  const reader = slow.body!.getReader()
  await reader.read()
  const spoken = await answer(1)
  // More than all buffers between the two hold.
  for (let count = 0; count < 300; count++) spoken.say('x'.repeat(60_000))
  spoken.finish()
  await vi.waitFor(() => expect(ends).toEqual(['finished']), { timeout: 5000 })
  const readAll = async () => {
    while (!(await reader.read()).done);
  }
  await expect(readAll()).rejects.toThrow('terminated')
})

test('a comment keeps the connection alive while the model thinks', async () => {
  const { chat, answer } = await start({ keepAliveMs: 10 })
  const response = await chat.post(question)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(': keep-alive\n\n')) text += (await reader.read()).value ?? ''
  ;(await answer(1)).finish()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    text += value
  }
  expect(text).toMatch(/\[DONE\]\n\n$/)
})
