import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, createServer, preview } from 'vite'
import { afterEach, expect, test } from 'vitest'
import { createConversation } from './testing/conversation.ts'
import { playgroundServer } from './vite-plugin.ts'

const CONFIG = join(import.meta.dirname, '../vite.config.ts')
const close: (() => Promise<void>)[] = []

afterEach(async () => {
  delete process.env['ASSENT_DEMO_SPEED']
  for (const stop of close.splice(0)) await stop()
})

function recorder() {
  const lines: string[] = []
  const logger = createLogger('info')
  logger.info = (line) => void lines.push(line)
  return { lines, logger }
}

function addressOf(server: unknown): string {
  const { port } = (server as Server).address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

async function talk(url: string): Promise<void> {
  const chat = createConversation(url)
  await chat.say('What time is it on the server?')
  expect(chat.answer()).toContain('The server’s clock')
}

test('serves the API in dev, next to the page, and says which model it is', async () => {
  process.env['ASSENT_DEMO_SPEED'] = '1000'
  const { lines, logger } = recorder()
  const server = await createServer({
    configFile: CONFIG,
    customLogger: logger,
    server: { port: 0, hmr: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  })
  close.push(() => server.close())
  await server.listen()
  const url = addressOf(server.httpServer)
  expect(lines.join('\n')).toContain('Model: Demo model: understands a few requests')
  await talk(url)
  const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
  expect(page).toContain('<div id="app">')
})

test('serves the API in preview', async () => {
  const root = await mkdtemp(join(tmpdir(), 'playground-'))
  close.push(() => rm(root, { recursive: true }))
  await writeFile(join(root, '.env.local'), 'ASSENT_DEMO_SPEED=1000\n')
  await mkdir(join(root, 'dist'))
  await writeFile(join(root, 'dist/index.html'), 'the page')
  const { logger } = recorder()
  const server = await preview({
    configFile: false,
    root,
    customLogger: logger,
    plugins: [playgroundServer()],
    preview: { host: '127.0.0.1', port: 0 },
  })
  close.push(() => server.close())
  const url = addressOf(server.httpServer)
  await talk(url)
  expect(await (await fetch(url)).text()).toBe('the page')
})

test('does not start when the model is not clear', async () => {
  process.env['ASSENT_DEMO_SPEED'] = 'fast'
  await expect(
    createServer({ configFile: CONFIG, customLogger: recorder().logger, server: { port: 0 } }),
  ).rejects.toThrow('ASSENT_DEMO_SPEED must be a positive number')
})
