import { httpTransport } from '@assent/engine'
import { jsonSchema, tool } from 'ai'
import { expect, test } from 'vitest'
import { connectEngine } from '../../test/chat-client.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { serveChat } from '../../test/serve-chat.ts'

test('a page that loses the server between two steps does not run the calls of the first again', async () => {
  const model = scriptedModel([[['1', 'note', {}]], 'Noted.'])
  const { api } = await serveChat({ model })
  let isOffline = false
  const ran: string[] = []
  const note = tool({
    inputSchema: jsonSchema({ type: 'object' }),
    execute: () => {
      isOffline = true
      ran.push('note')
      return 'noted'
    },
  })
  const transport = httpTransport({
    api,
    retry: false,
    fetch: async (...request) => {
      if (isOffline) throw new TypeError('offline')
      return fetch(...request)
    },
  })
  const page = connectEngine(api, { tools: { note } }, { transport })
  expect(await page.engine.sendMessage('note it')).toMatchObject({ requestState: 'error' })
  isOffline = false
  // Not even when it asks without the name of the request that it misses the answer to.
  await page.engine.reconnect()
  expect(page.engine.getState().requestState).toBe('error')
  expect(ran).toEqual(['note'])
  expect(await page.engine.retry()).toMatchObject({ requestState: 'completed' })
  expect(page.text()).toBe('Noted.')
  expect(ran).toEqual(['note'])
})
