import { APICallError, RetryError } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { rawChat, userMessage } from '../../test/raw-chat.ts'
import { serveChat } from '../../test/serve-chat.ts'
import { talkingModel } from '../../test/talking-model.ts'
import { describeModelError, plainErrorText } from './error-text.ts'

const KEY = 'sk-proj-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg'
/** Looks like any word: only leaving it out helps. */
const PASSWORD = 'correct-horse'

/** An error of a provider that tells all it knows, everywhere. */
function leaky(statusCode: number | undefined): APICallError {
  const url = `https://user:${PASSWORD}@api.example.com/v1/chat?key=${KEY}`
  const cause = new Error(`fetch ${url} with ${KEY} ${PASSWORD}`)
  return new APICallError({
    message: `Incorrect API key provided: ${KEY} (${PASSWORD}) for ${url}`,
    url,
    requestBodyValues: { key: KEY, prompt: PASSWORD },
    statusCode,
    responseHeaders: { 'x-echo': KEY, authorization: `Bearer ${KEY}` },
    responseBody: `{"error":"${KEY} ${PASSWORD}"}`,
    cause,
    data: { key: KEY },
  })
}

function plain(): Error {
  const error = new Error(`connect with ${KEY} ${PASSWORD}`, { cause: leaky(401) })
  return Object.assign(error, { key: KEY })
}

const errors: [string, () => unknown][] = [
  ['a refusal', () => leaky(401)],
  ['a bad request', () => leaky(400)],
  ['a busy provider', () => leaky(429)],
  ['no answer', () => leaky(undefined)],
  ['a cut answer', () => leaky(200)],
  ['any error', plain],
  ['a text', () => `${KEY} ${PASSWORD}`],
  ['a plain object', () => ({ message: `${KEY} ${PASSWORD}`, code: KEY })],
  [
    'several tries',
    () =>
      new RetryError({
        message: `${KEY} ${PASSWORD}`,
        reason: 'maxRetriesExceeded',
        errors: [plain(), leaky(500)],
      }),
  ],
]

describe('what a page is told of', () => {
  test.each(errors)('%s before the first word has no secret', async (_, make) => {
    const model = new MockLanguageModelV4({ doStream: () => Promise.reject(make()) })
    const served = await serveChat({ model, maxRetries: 0 })
    const text = await (await rawChat(served.api).post([userMessage('Hi')])).text()
    expect(text).toContain('"type":"error"')
    expectClean(text)
    // The server has it all.
    expect(served.errors).toHaveLength(1)
  })

  test.each(errors)('%s in the middle has no secret', async (_, make) => {
    const { model, answer } = talkingModel()
    const served = await serveChat({ model })
    const response = await rawChat(served.api).post([userMessage('Hi')])
    const spoken = await answer(1)
    spoken.say('So far')
    spoken.fail(make())
    const text = await response.text()
    expect(text).toContain('"type":"error"')
    expectClean(text)
  })

  test.each(errors)('%s of a function of the app has no secret', async (_, make) => {
    const served = await serveChat({ model: () => Promise.reject(make()) })
    const response = await rawChat(served.api).post([userMessage('Hi')])
    expect(response.status).toBe(500)
    expectClean(await response.text())
    expectClean(JSON.stringify([...response.headers]))
  })

  test('any of them is in words that help', () => {
    expect(plainErrorText(leaky(401))).toBe(
      'The model’s provider answered with status 401. The server’s access to the model must be set right.',
    )
    expect(plainErrorText(leaky(503))).toMatch(/status 503. Try again later/)
    expect(plainErrorText(leaky(undefined))).toMatch(/cannot be reached/)
    expect(plainErrorText(plain())).toMatch(/the log of the server says why/)
  })
})

describe("the provider's own words", () => {
  test.each(errors)('of %s are told without what looks like a secret', (_, make) => {
    expect(describeModelError(make())).not.toContain(KEY)
  })

  test('are told without the secrets of the environment', () => {
    process.env['ASSENT_TEST_PASSWORD'] = PASSWORD
    try {
      expect(describeModelError(leaky(401))).not.toContain(PASSWORD)
      expect(describeModelError(leaky(401))).toContain('Incorrect API key provided')
    } finally {
      delete process.env['ASSENT_TEST_PASSWORD']
    }
  })

  test('reach the page of an app that wants them', async () => {
    const model = new MockLanguageModelV4({ doStream: () => Promise.reject(leaky(401)) })
    const served = await serveChat({ model, describeError: describeModelError })
    const text = await (await rawChat(served.api).post([userMessage('Hi')])).text()
    expect(text).toContain('Incorrect API key provided')
    expect(text).not.toContain(KEY)
  })
})

function expectClean(text: string): void {
  expect(text).not.toContain(KEY)
  expect(text).not.toContain(PASSWORD)
  expect(text).not.toContain('api.example.com')
  expect(text).not.toMatch(/\bat .*\.(ts|js):\d+/)
}
