import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { connectConversations } from '@assent/engine/remote'
import { namespaceOf } from '@assent/engine/storage'
import { checkMount } from '../../test/mount-checks.ts'
import { remoteModel } from '../../test/remote-model.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const ROOT = join(import.meta.dirname, '../../../..')

/** Apps that are built, as they are deployed, and served while somebody works on them. */
const apps = [
  { name: 'Nuxt 4', folder: 'apps/nuxt', cli: 'nuxt/bin/nuxt.mjs' },
  { name: 'Nitro 3', folder: 'apps/nitro', cli: 'nitro/dist/cli/index.mjs' },
] as const

describe.runIf(isDeep).each(apps)('a chat in a built app of $name', ({ name, folder, cli }) => {
  const root = join(ROOT, folder)

  beforeAll(async () => {
    const building = spawn(process.execPath, [join(root, 'node_modules', cli), 'build'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [building.stdout, building.stderr]) {
      stream.on('data', (bytes) => (output += String(bytes)))
    }
    const [code] = await once(building, 'close')
    if (code !== 0) throw new Error(`${name} was not built:\n${output}`)
  }, 300_000)

  async function start(env: Readonly<Record<string, string>>): Promise<number> {
    const port = await freePort()
    // Nothing of the test's own environment, in which servers are silent.
    const own = { NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port) }
    const server = spawn(process.execPath, [join(root, '.output/server/index.mjs')], {
      env: { ...own, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const gone = once(server, 'exit')
    onTestFinished(async () => {
      server.kill('SIGKILL')
      await gone
    })
    for await (const line of createInterface({ input: server.stdout })) {
      if (line.includes('istening')) break
    }
    server.stdout.resume()
    return port
  }

  checkMount(async ({ onDisconnect = 'continue' }) => {
    const { url, answer } = await remoteModel()
    const port = await start({ MODEL_URL: url, ON_DISCONNECT: onDisconnect })
    return { api: `http://127.0.0.1:${port}/api/chat`, answer }
  })

  test('shares conversations between pages', async () => {
    const port = await start({ MODEL_URL: 'http://127.0.0.1' })
    const stranger = new WebSocket(`ws://127.0.0.1:${port}/conversations`)
    const [closed] = await once(stranger, 'close')
    expect(closed).toMatchObject({ code: 4401 })
    const url = `ws://127.0.0.1:${port}/conversations?user=ada`
    const listed: (string | undefined)[] = []
    const one = connectConversations({ url })
    const other = connectConversations({ url, onListed: (id) => void listed.push(id) })
    onTestFinished(() => {
      one.close()
      other.close()
    })
    expect(await other.storage.list('about')).toEqual(new Map())
    const namespace = namespaceOf('c')
    const put = new Map([['about', { title: 'Notes' }]])
    await one.storage.write(namespace, { put }, { fence: await one.storage.fence(namespace) })
    await vi.waitUntil(() => listed.includes('c'))
    expect(await other.storage.list('about')).toEqual(new Map([[namespace, { title: 'Notes' }]]))
  })
})

describe.runIf(isDeep).each(apps)('a chat in the dev server of $name', ({ folder, cli }) => {
  const root = join(ROOT, folder)
  // They take long to start, so tests share them.
  const started = new Map<string, ReturnType<typeof start>>()
  const ends: (() => unknown)[] = []
  afterAll(async () => {
    for (const end of ends) await end()
  })

  async function start(onDisconnect: string) {
    const model = await remoteModel((end) => void ends.push(end))
    const port = await freePort()
    const command = [join(root, 'node_modules', cli), 'dev', '--host', '127.0.0.1']
    const { PATH, HOME } = process.env
    const server = spawn(process.execPath, [...command, '--port', String(port)], {
      cwd: root,
      env: { PATH, HOME, MODEL_URL: model.url, ON_DISCONNECT: onDisconnect },
      stdio: ['ignore', 'pipe', 'pipe'],
      // It starts processes of its own, which have to go with it.
      detached: true,
    })
    let output = ''
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (bytes) => (output += String(bytes)))
    }
    const gone = once(server, 'close')
    let hasEnded = false
    void gone.then(() => (hasEnded = true))
    ends.push(() => {
      if (server.pid !== undefined && !hasEnded) process.kill(-server.pid, 'SIGKILL')
      return gone
    })
    const api = `http://127.0.0.1:${port}/api/chat`
    const status = () =>
      fetch(`${api}/none/stream`).then(
        (response) => response.status,
        () => (hasEnded ? output : 0),
      )
    // Nothing that it prints says that its routes are there.
    const isThere = async () => {
      const said = await status()
      return said === 204 || typeof said === 'string' ? said : undefined
    }
    expect(await vi.waitUntil(isThere, { timeout: 60_000 })).toBe(204)
    return { api, model }
  }

  checkMount(async ({ onDisconnect = 'continue' }) => {
    const starting = started.get(onDisconnect) ?? start(onDisconnect)
    started.set(onDisconnect, starting)
    const { api, model } = await starting
    const before = model.asked()
    return { api, answer: (count) => model.answer(before + count) }
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

test('the documentation shows the tested route of shared conversations', async () => {
  const docs = await readFile(join(ROOT, 'docs/shared-conversations.md'), 'utf8')
  const route = await readFile(join(ROOT, 'apps/nuxt/server/routes/conversations.ts'), 'utf8')
  expect(docs).toContain(route)
  const nitro = await readFile(join(ROOT, 'apps/nitro/server/routes/conversations.ts'), 'utf8')
  const body = (file: string) => file.slice(file.indexOf('const pages'))
  expect(body(nitro)).toBe(body(route))
})

test('the documentation shows what is tested: the lines of the mounts, the files of the apps', async () => {
  const docs = await readFile(join(ROOT, 'docs/node-chat-handler.md'), 'utf8')
  const [section = ''] = /^## Where it is mounted.*?(?=^## )/ms.exec(docs) ?? []
  const snippets = [...section.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)
  const files = apps.map(({ folder }) => `${folder}/server/api/chat/[...].ts`)
  const tested = await Promise.all(
    ['packages/node/test/mounts.ts', 'apps/nuxt/server/api/chat/index.ts', ...files].map((file) =>
      readFile(join(ROOT, file), 'utf8'),
    ),
  )
  const shown = snippets
    .flatMap((code) => code.split('\n'))
    .filter((line) => /\bchat\)|^export/.test(line))
  expect(shown.length).toBeGreaterThan(6)
  for (const line of shown) expect(tested.join('\n')).toContain(line.trim())
})
