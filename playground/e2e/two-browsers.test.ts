import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { startKillableServer, type KillableServer } from './killable-server.ts'
import { setScene } from './scene.ts'
import { randomWord } from './visit.ts'

const folder = await mkdtemp(join(tmpdir(), 'assent-two-browsers-'))
const database = join(folder, 'assent.db')
let server: KillableServer

const scene = setScene(async () => {
  server = await startKillableServer(inject('builtPage').outDir, { database })
  return { url: server.url, close: () => server.kill() }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('two browsers see one conversation, decide in it, and one goes on when the other is gone', async () => {
  const [one, two] = [await scene.visit({ kept: 'server' }), await scene.visit({ kept: 'server' })]
  const title = randomWord()
  await one.say(`Write a note called “${title}” saying “hello”`)
  await one.until('paused')
  const listed = two.page
    .getByRole('navigation', { name: 'Conversations' })
    .getByRole('listitem')
    .filter({ hasText: title })
  await listed.getByText('1 needs you').waitFor()
  await listed.getByRole('button', { name: title }).first().click()
  await two.ask(`Write the note “${title}”`).getByRole('button', { name: 'Write' }).click()
  await two.until('completed')
  await one.until('completed')
  expect(await two.answer()).toContain(title)
  // The tool ran in the browser that leads the conversation.
  await one.note(title).waitFor()
  expect(await two.note(title).count()).toBe(0)

  await one.page.close()
  await two.say('What time is it on the server?')
  await expect.poll(() => two.answer()).toContain('The server’s clock')
})

test('everything is there after the server was killed: the page goes on, a new one finds it', async () => {
  const here = await scene.visit({ kept: 'server' })
  const word = randomWord()
  await here.say(`Send a report about the launch to ada@example.org saying “${word}”`)
  await here.until('paused')

  const { port } = new URL(server.url)
  await server.kill()
  await here.page.getByText('The server cannot be reached').waitFor()
  server = await startKillableServer(inject('builtPage').outDir, { port: Number(port), database })
  await expect.poll(() => here.page.getByText('The server cannot be reached').count()).toBe(0)

  const other = await scene.visit({ kept: 'server' })
  await other.page.goto(here.page.url())
  await other.ask('Send the report “the launch” to ada@example.org').waitFor()
  await other.page
    .getByRole('group', { name: /^Send the report/ })
    .getByRole('button', { name: 'Send' })
    .click()
  await other.until('completed')
  await here.until('completed')
  expect(await here.answer()).toContain('its receipt is')
  // The browser tells of the connections that it could not have, and of those that were cut.
  const isOfConnection = (text: string) => /WebSocket|net::ERR_|Failed to fetch/.test(text)
  expect(here.complaints.filter((text) => !isOfConnection(text)).join('\n')).toBe('')
  here.complaints.splice(0)
})
