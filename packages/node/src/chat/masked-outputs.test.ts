import { join } from 'node:path'
import { createRedactor, type RedactContext } from '@assent/engine/redaction'
import { jsonSchema, tool } from 'ai'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { answered, asked, callsOf, decided, question, saidIn } from '../../test/asking-server.ts'
import { rawChat } from '../../test/raw-chat.ts'
import { createScratch, type Scratch } from '../../test/scratch.ts'
import { scriptedModel } from '../../test/scripted-model.ts'
import { serveChat } from '../../test/serve-chat.ts'
import { watchTurns } from '../../test/watch-turns.ts'
import { openDatabase, type AssentDatabase } from '../sqlite/open-database.ts'
import type { ChatHandlerOptions } from './chat-options.ts'
import { createOutputMask } from './mask-outputs.ts'

const KEY = 'sk-proj-ABCDEFabcdef1234567890ABCDEFabcdef'
const PASSWORD = 'hunter2secret'
const inputSchema = jsonSchema<object>({ type: 'object' })

let scratch: Scratch
let database: AssentDatabase

beforeEach(() => {
  scratch = createScratch()
  database = openDatabase(join(scratch.path, 'data.db'))
})

afterEach(() => {
  database.close()
  scratch.remove()
})

class Custom extends Error {
  override readonly name = 'CustomError'
  override toString() {
    return `custom ${KEY}`
  }
}

const tools = {
  text: tool({ inputSchema, execute: () => `key ${KEY}` }),
  fields: tool({
    inputSchema,
    execute: async () => ({ password: PASSWORD, list: [{ [KEY]: KEY }] }),
  }),
  classes: tool({
    inputSchema,
    execute: () => ({ at: new URL(`https://user:${PASSWORD}@example.com/`) }),
  }),
  long: tool({
    inputSchema,
    execute: () => `${'word '.repeat(30_000)}${KEY}${' word'.repeat(30_000)}`,
  }),
  streamed: tool({
    inputSchema,
    async *execute() {
      for (const end of [8, 20, KEY.length]) yield `key ${KEY.slice(0, end)}`
      yield `key ${KEY} ends`
    },
  }),
  throws: tool({
    inputSchema,
    execute: (): string => {
      throw new Error(`password=${PASSWORD} ${KEY}`)
    },
  }),
  rejects: tool({
    inputSchema,
    execute: (): Promise<string> => Promise.reject(new Custom(`with ${KEY}`)),
  }),
  rejectsText: tool({ inputSchema, execute: (): Promise<string> => Promise.reject(`with ${KEY}`) }),
  breaks: tool({
    inputSchema,
    async *execute() {
      yield 'begun'
      throw new Error(`broken with ${KEY}`)
    },
  }),
}

async function start(name: string, options: Partial<ChatHandlerOptions> = {}) {
  const model = scriptedModel([[['1', name, {}]], 'Done.'])
  const served = await serveChat({ model, tools, database, ...options })
  return { ...served, model, chat: rawChat(served.api) }
}

/** All that the database holds, as text. */
function stored(): string {
  const tables = database.sqlite
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
  return tables
    .flatMap(({ name }) => database.sqlite.prepare(`SELECT * FROM "${String(name)}"`).all())
    .flatMap((row) => Object.values(row))
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString() : String(value)))
    .join('\n')
}

describe('a secret that a tool of the server comes to', () => {
  test.each(Object.keys(tools))('reaches no page, model or ledger: %s', async (name) => {
    const raw: string[] = []
    const server = await start(name, {
      onToolCall: (event) => {
        if ('output' in event) raw.push(JSON.stringify(event.output))
        if ('error' in event) raw.push(String(event.error))
      },
    })
    const text = await (await server.chat.post(question)).text()
    const told = JSON.stringify(server.model.doStreamCalls[1]?.prompt)
    for (const place of [text, told, stored()]) {
      expect(place).not.toContain(KEY.slice(0, 12))
      expect(place).not.toContain(PASSWORD)
    }
    expect(text).toContain('[secret: ')
    expect(told).toContain('[secret: ')
    // The app's own hook is told what was.
    expect(raw.join()).toMatch(/sk-proj|hunter2/)
  })

  test('is masked when the call was approved, and when what came of it is told again', async () => {
    const server = await start('text', { toolApproval: { text: 'user-approval' } })
    const yes = decided(await asked(server), true)
    for (let times = 0; times < 2; times++) {
      const text = await (await server.chat.post(yes)).text()
      expect(text).not.toContain(KEY)
      expect(saidIn(text)).toContain('tool-output-available')
    }
    expect(stored()).not.toContain(KEY)
  })

  test('is left where the app says so, by a function or for all', async () => {
    const all = await start('text', { redact: false })
    expect(await (await all.chat.post(question)).text()).toContain(KEY)
    const own = await start('text', {
      database: openDatabase(':memory:'),
      redact: (text, { toolName }) => text.replaceAll(KEY, `[of ${toolName}]`),
    })
    expect(callsOf(await answered(question, await own.chat.post(question)))).toMatchObject([
      { output: 'key [of text]' },
    ])
  })

  test('keeps the whole output back when looking for it fails', async () => {
    const server = await start('text', {
      redact: () => {
        throw new Error('no pattern')
      },
    })
    const text = await (await server.chat.post(question)).text()
    expect(text).toContain('The output is withheld')
    expect(text).not.toContain(KEY)
    expect(server.errors).toMatchObject([{ message: 'no pattern' }])
  })

  test('is masked in what a failure of an output says', async () => {
    const options = { toolOptions: { text: { failure: () => `No: ${KEY}` } } }
    const text = await (await (await start('text', options)).chat.post(question)).text()
    expect(text).toContain('"failure":"No: [secret: ')
  })

  test('of a rule that fails is told to the server and to nobody else', async () => {
    const toolApproval = () => Promise.reject(new Error(`policy at ${KEY} ${PASSWORD} is down`))
    const server = await start('text', { toolApproval })
    const text = await (await server.chat.post(question)).text()
    expect(text).toContain('tool-approval-request')
    for (const secret of [KEY, PASSWORD, 'policy at']) expect(text).not.toContain(secret)
    expect(String(server.errors[0])).toContain('policy at')
  })

  test.each([
    ['beside its name', { env: [{ name: 'DB_PASSWORD', value: PASSWORD }] }],
    ['beside its key', [{ key: 'API_KEY', value: PASSWORD }]],
    ['below its name', { password: { value: PASSWORD } }],
    ['in a Secret of Kubernetes', { kind: 'Secret', data: { login: [PASSWORD] } }],
    ['in one of its texts', { kind: 'Secret', stringData: { a: { b: PASSWORD } } }],
  ])('is masked in an output that is an object, %s', async (_name, output) => {
    const server = await start('object', {
      tools: { object: tool({ inputSchema, execute: () => output }) },
    })
    const text = await (await server.chat.post(question)).text()
    expect(text).not.toContain(PASSWORD)
    expect(text).toContain('[secret: ')
  })

  test.each([
    ['one long text', () => 'word password=x1y2z3a4 and more\n'.repeat(60_000)],
    ['one line', () => 'word,'.repeat(200_000)],
    ['many short texts', () => Array.from({ length: 40_000 }, (_, n) => `token=abc${n}def`)],
    [
      'many fields',
      () => Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 'x'])),
    ],
  ])('is looked for piece by piece, others run between: %s', async (name, make) => {
    let inThisTurn = 0
    let most = 0
    let turns = 0
    const redact = createRedactor()
    const mask = createOutputMask(
      Object.assign(
        (text: string, context: RedactContext) => {
          inThisTurn += text.length + 100
          most = Math.max(most, inThisTurn)
          return redact(text, context)
        },
        { holdsBack: true },
      ),
      () => {},
    )
    const output = make()
    const watched = watchTurns()
    let isOver = false
    const count = () => {
      inThisTurn = 0
      turns++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const masked = await mask.run('big', () => output)
    isOver = true
    process.stdout.write(`${name}: ${turns} turns, the longest ${watched.stop().toFixed(1)} ms\n`)
    expect(masked).toBeDefined()
    // A slice, what is behind it, and both together.
    expect(most).toBeLessThan(150_000)
    expect(turns).toBeGreaterThan(20)
  })

  test('leaves bytes and what has no secret as they are', async () => {
    const seen: unknown[] = []
    const image = tool({
      inputSchema,
      execute: () => ({ bytes: new Uint8Array([1, 2]), name: 'a.png', count: 2, none: null }),
      toModelOutput: ({ output }) => {
        seen.push(output)
        return { type: 'text', value: 'image' }
      },
    })
    await (await (await start('image', { tools: { image } })).chat.post(question)).text()
    expect(seen[0]).toEqual({ bytes: new Uint8Array([1, 2]), name: 'a.png', count: 2, none: null })
  })
})
