import { expect, test } from 'vitest'
import { createApi, type PlaygroundInfo } from './api.ts'
import { EXAMPLE_REQUESTS } from './demo/answer.ts'
import { chooseModel } from './model.ts'

const api = createApi({ chosen: chooseModel({}) })
const get = (path: string, init?: RequestInit) => api(new Request(`http://localhost${path}`, init))

test('says what the model is, and what to ask it', async () => {
  const info = (await (await get('/api/info'))?.json()) as PlaygroundInfo
  expect(info).toEqual({
    model: 'Demo model: understands a few requests, no AI inside',
    mode: 'demo',
    examples: EXAMPLE_REQUESTS,
  })
})

test('shows what is on the server', async () => {
  expect(await (await get('/api/outbox'))?.json()).toEqual({ reports: [] })
  expect(await (await get('/api/backups'))?.json()).toMatchObject({
    backups: [{ name: 'nightly-17' }, { name: 'nightly-18' }, { name: 'before-migration' }],
  })
})

test('refuses an unknown path and a wrong method, and leaves the rest to the page', async () => {
  expect((await get('/api/nothing'))?.status).toBe(404)
  const wrong = await get('/api/info', { method: 'POST' })
  expect(wrong?.status).toBe(405)
  expect(wrong?.headers.get('allow')).toBe('GET')
  expect((await get('/api/chat'))?.status).toBe(405)
  expect(await get('/')).toBeUndefined()
  expect(await get('/apical')).toBeUndefined()
})
