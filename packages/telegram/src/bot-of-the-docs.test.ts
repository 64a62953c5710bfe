import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../node/test/scratch.ts'
import { startBotApi, type FakeBotApi } from '../test/fake-bot-api.ts'

const PACKAGES = join(import.meta.dirname, '../..')
const DOCS = readFileSync(join(PACKAGES, '../docs/node-telegram.md'), 'utf8')
const [, BOT = ''] = /```ts \[bot\.ts\]\n([^]*?)```/.exec(DOCS) ?? []
const ADA = 11

/** Adds a note and says so, then says what was in the note. */
const MODEL = `
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
export const model = new MockLanguageModelV4({
  doStream: async ({ prompt }) => {
    const isDone = prompt.at(-1).role === 'tool'
    const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'addNote', input: '{"text":"Buy milk"}' }
    const text = [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'It is noted.' },
      { type: 'text-end', id: 't' },
    ]
    const unified = isDone ? 'stop' : 'tool-calls'
    return {
      stream: convertArrayToReadableStream([
        { type: 'stream-start', warnings: [] },
        ...(isDone ? text : [call]),
        { type: 'finish', usage, finishReason: { unified, raw: unified } },
      ]),
    }
  },
})
`

let scratch: Scratch
let api: FakeBotApi

beforeEach(async () => {
  scratch = createScratch()
  api = await startBotApi(Date.now)
  mkdirSync(join(scratch.path, 'node_modules/@assent'), { recursive: true })
  for (const name of ['node', 'telegram', 'worker']) {
    symlinkSync(join(PACKAGES, name), join(scratch.path, 'node_modules/@assent', name))
  }
  symlinkSync(join(PACKAGES, 'telegram/node_modules/ai'), join(scratch.path, 'node_modules/ai'))
  // The only thing that is not as printed: where Telegram is.
  const redirect = `
    const { fetch } = globalThis
    globalThis.fetch = (url, init) =>
      fetch(String(url).replace('https://api.telegram.org', '${api.url}'), init)`
  scratch.write({
    'bot.ts': BOT,
    'model.ts': MODEL,
    'redirect.js': redirect,
    'package.json': '{"type":"module"}',
  })
})

afterEach(async () => {
  await api.close()
  scratch.remove()
})

function run(token: string) {
  const flags = ['--conditions=@assent/source', '--import', './redirect.js']
  const child = spawn(process.execPath, [...flags, 'bot.ts'], {
    cwd: scratch.path,
    env: { ...process.env, TELEGRAM_TOKEN: token, TELEGRAM_USERS: String(ADA) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let complaints = ''
  child.stderr.on('data', (text) => (complaints += String(text)))
  const ended = once(child, 'exit').then(([code]) => ({ code: Number(code), complaints }))
  return { child, ended, line: async () => (await lines.next()).value as unknown }
}

it('runs as printed: asks, acts, answers and ends', { timeout: 60_000 }, async () => {
  const ada = api.person(ADA)
  const { child, ended, line } = run(api.token)
  try {
    expect(await line()).toBe('The bot is working.')
    ada.says('Note: buy milk')
    const until = async (isSo: () => boolean) => {
      while (!isSo()) await api.nextCall(AbortSignal.timeout(30_000))
    }
    await until(() => api.shown(ADA).some(({ buttons }) => buttons.length > 0))
    const [question] = api.shown(ADA)
    expect(question?.text).toContain('Add the note “Buy milk”')
    ada.presses(question!.id, 'Approve')
    await until(() => api.shown(ADA).some(({ text }) => text === 'It is noted.'))
    expect(readFileSync(join(scratch.path, 'notes.txt'), 'utf8')).toBe('Buy milk\n')
  } finally {
    child.kill('SIGTERM')
  }
  expect((await ended).code).toBe(0)
})

it.each([
  ['missing', ''],
  ['none', 'the token'],
  ['wrong', '4242:another-token'],
])('ends with a word when the token is %s', { timeout: 60_000 }, async (_, token) => {
  const { ended } = run(token)
  const { code, complaints } = await ended
  expect(code).toBe(1)
  expect(complaints).toMatch(/token/)
  expect(complaints).not.toMatch(/^ +at /m)
})
