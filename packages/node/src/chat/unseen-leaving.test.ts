import { createApp, defineEventHandler, toNodeListener, toWebRequest } from 'h3-v1'
import { expect, test, vi } from 'vitest'
import { connectEngine } from '../../test/chat-client.ts'
import { rawChat, readEvents, userMessage } from '../../test/raw-chat.ts'
import { SECRET, serveListener } from '../../test/serve-chat.ts'
import { talkingModel } from '../../test/talking-model.ts'
import { createChatHandler } from './create-chat-handler.ts'

/** A chat on a server that never tells that a page has gone. */
async function serveBlindly() {
  const { model, answer } = talkingModel()
  const chat = createChatHandler({ model, approvalSecret: SECRET, takeOverMs: 20 })
  const app = createApp()
  app.use(defineEventHandler((event) => chat(toWebRequest(event))))
  return { api: `${await serveListener(toNodeListener(app))}/api/chat`, answer }
}

test('an engine that has left an answer is answered at once where its leaving is not seen', async () => {
  const { api, answer } = await serveBlindly()
  const { engine, text } = connectEngine(api)
  const aborted = engine.sendMessage('Say something')
  const spoken = await answer(1)
  spoken.say('One ')
  await vi.waitFor(() => expect(text()).toBe('One '))
  await engine.abort()
  await aborted
  const outcome = engine.sendMessage('Something else')
  await spoken.aborted
  const other = await answer(2)
  other.say('Else.')
  other.finish()
  expect(await outcome).toMatchObject({ requestState: 'completed' })
  expect(text()).toBe('Else.')
})

test('a page without an engine is refused there, unless it asks for the same', async () => {
  const { api, answer } = await serveBlindly()
  const chat = rawChat(api)
  const first = readEvents(await chat.post([userMessage('Say something')]))
  const spoken = await answer(1)
  spoken.say('One ')
  await first.until('One ')
  await first.leave()
  expect((await chat.post([userMessage('Something else')])).status).toBe(409)
  const again = readEvents(await chat.post([userMessage('Say something')]))
  spoken.finish()
  expect(await again.rest()).toMatch(/One .*"finish"/s)
})
