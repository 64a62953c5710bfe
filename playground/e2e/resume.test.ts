import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import {
  startOpenAIEndpoint,
  type EndpointAnswer,
  type OpenAIEndpoint,
} from '../server/testing/openai-endpoint.ts'
import { previewPlayground } from './playground.ts'
import { setScene } from './scene.ts'
import { randomWord } from './visit.ts'

/** What the endpoint answers to the requests of the running test, in order. */
let answers: EndpointAnswer[] = []
let endpoint: OpenAIEndpoint
let asked = 0

beforeAll(async () => {
  endpoint = await startOpenAIEndpoint(
    () => answers.shift() ?? { status: 500, message: 'Nothing is left to answer.' },
  )
})
afterAll(() => endpoint.close())
beforeEach(() => {
  answers = []
  asked = endpoint.requests.length
})

const scene = setScene(() =>
  previewPlayground(inject('builtPage'), {
    ASSENT_BASE_URL: endpoint.url,
    ASSENT_MODEL: 'scripted',
  }),
)

test('an answer goes on after a reload in its middle, as if there had been none', async () => {
  const here = await scene.visit()
  const { page } = here
  const [beginning, end] = [randomWord(), randomWord()]
  const rest = Promise.withResolvers<string>()
  answers = [{ text: `It begins with ${beginning} `, rest: rest.promise }]
  await here.say('Tell me something')
  await page.getByText(beginning).waitFor()
  for (let count = 0; count < 2; count++) {
    await page.reload()
    await page.getByText(beginning).waitFor()
    await page.locator('[data-slot="chat"][data-state="processing"]').waitFor()
  }
  rest.resolve(`and ends with ${end}.`)
  await here.until('completed')
  expect(await here.answer()).toContain(`It begins with ${beginning} and ends with ${end}.`)
  expect(await page.getByRole('article').count()).toBe(2)
  expect(here.requests).toHaveLength(1)
  expect(endpoint.requests).toHaveLength(asked + 1)

  // What is over stays as it is.
  await page.reload()
  await page.getByText(end).waitFor()
  expect(await page.getByRole('article').count()).toBe(2)
  expect(endpoint.requests).toHaveLength(asked + 1)
})

test('an answer that follows an approved call goes on, too, and the call ran once', async () => {
  const here = await scene.visit()
  const { page } = here
  const [id, body, end] = [randomWord(), randomWord(), randomWord()]
  const rest = Promise.withResolvers<string>()
  const input = { to: 'ada@example.org', subject: 'News', body }
  answers = [
    { calls: [{ id, name: 'send_report', input }] },
    { text: 'It is sent, ', rest: rest.promise },
  ]
  await here.say('Send the news to Ada')
  await here.until('paused')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('It is sent,').waitFor()
  await page.reload()
  await page.locator('[data-slot="chat"][data-state="processing"]').waitFor()
  rest.resolve(`and ${end} knows.`)
  await here.until('completed')
  expect(await here.answer()).toContain(`It is sent, and ${end} knows.`)
  expect(await page.locator('[data-tool="send_report"]').getAttribute('data-state')).toBe('success')
  // The page may send its decision again; the model is asked for the call and for the answer, only.
  expect(endpoint.requests).toHaveLength(asked + 2)
  const outbox: { reports: { body: string }[] } = await (
    await page.request.get(`${scene.url}/api/outbox`)
  ).json()
  expect(outbox.reports.filter((report) => report.body === body)).toHaveLength(1)
})

test('a stop reaches the model, and a reload afterwards takes nothing up', async () => {
  const here = await scene.visit()
  const { page } = here
  answers = [{ text: 'Wait for it', hang: true }]
  await here.say('Tell me something')
  await page.getByText('Wait for it').waitFor()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await here.until('aborted')
  await endpoint.clientGone
  await page.reload()
  await here.until('aborted')
  expect(here.requests).toHaveLength(1)
})
