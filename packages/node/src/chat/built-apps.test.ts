import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkMount } from '../../test/mount-checks.ts'
import { remoteModel } from '../../test/remote-model.ts'

const isDeep = process.env['ASSENT_DEEP'] === '1'
const ROOT = join(import.meta.dirname, '../../../..')

/** Apps that are built, as they are deployed. */
const apps = [
  { name: 'Nuxt 4', folder: 'apps/nuxt', build: ['nuxt/bin/nuxt.mjs', 'build'] },
  { name: 'Nitro 3', folder: 'apps/nitro', build: ['nitro/dist/cli/index.mjs', 'build'] },
] as const

describe.runIf(isDeep).each(apps)('a chat in a built app of $name', ({ name, folder, build }) => {
  const root = join(ROOT, folder)

  beforeAll(async () => {
    const [cli, ...args] = build
    const command = [join(root, 'node_modules', cli), ...args]
    const building = spawn(process.execPath, command, {
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

  checkMount(async ({ onDisconnect = 'continue' }) => {
    const { url, answer } = await remoteModel()
    const port = await freePort()
    // Nothing of the test's own environment, in which servers are silent.
    const env = { NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port) }
    const server = spawn(process.execPath, [join(root, '.output/server/index.mjs')], {
      env: { ...env, MODEL_URL: url, ON_DISCONNECT: onDisconnect },
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
    return { api: `http://127.0.0.1:${port}/api/chat`, answer }
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
