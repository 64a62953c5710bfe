import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { answered, decided } from '../../test/asking-server.ts'
import { streamOf } from '../../test/kills/model-answer.ts'
import { openWorld, type World } from '../../test/kills/world.ts'
import { startNode, type NodeProcess } from '../../test/node-process.ts'
import { rawChat, userMessage, type RawChat } from '../../test/raw-chat.ts'
import { createScratch, type Scratch } from '../../test/scratch.ts'

const FIXTURE = join(import.meta.dirname, '../../test/chat-kills/server-process.fixture.ts')

let scratch: Scratch
let world: World
let processes: NodeProcess[] = []

beforeEach(async () => {
  scratch = createScratch()
  world = await openWorld((prompt) =>
    prompt.at(-1)?.role === 'user'
      ? streamOf('tool-calls', [
          { type: 'tool-call', toolCallId: '1', toolName: 'send', input: '{"key":"k"}' },
        ])
      : streamOf('stop', [
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: 'Sent.' },
          { type: 'text-end', id: 't' },
        ]),
  )
})

afterEach(async () => {
  for (const one of processes) one.kill()
  await Promise.all(processes.map(({ ended }) => ended))
  processes = []
  await world.close()
  scratch.remove()
})

/** A server in a process of its own, on the database that all of them share. */
async function serve(name: string): Promise<RawChat> {
  const server = startNode(FIXTURE, join(scratch.path, 'data.db'), world.url, name)
  processes.push(server)
  await server.line()
  server.say('serve')
  return rawChat(`${await server.line()}/api/chat`)
}

test(
  'a yes that is replayed 20 times, to two processes with one database, runs once',
  {
    timeout: 60_000,
  },
  async () => {
    const chats = [await serve('one'), await serve('two')]
    const chatOf = (index: number) => chats[index % 2] ?? rawChat('')
    const question = [userMessage('Send it')]
    const paused = await answered(question, await chatOf(0).post(question))
    const approved = decided(paused, true)
    expect(world.effects.size).toBe(0)

    const replay = async (index: number) => {
      const headers = { 'x-assent-request': `${index}` }
      const response = await chatOf(index).post(approved, { headers })
      return { status: response.status, text: await response.text() }
    }
    // All at once, then one after the other.
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => replay(index)))
    for (let index = 10; index < 20; index++) answers.push(await replay(index))

    expect([...world.effects]).toEqual([['k', 1]])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    // What became of it is in every later answer, whichever process it comes from.
    expect(answers.slice(10).filter(({ text }) => !text.includes('done: k'))).toEqual([])
  },
)
