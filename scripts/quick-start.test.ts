import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { createMessageEngine, httpTransport, toolPlugin, waitingCalls } from '@assent/engine'
import { untilState } from '@assent/engine/testing'
import { build, defaultClientConditions } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkAppTypes } from './consumer-app.ts'
import { ROOT } from './child.ts'

const SOURCE = '@assent/source'
/** Each file of the page, as three backticks, `ts [server.ts]`. */
const FILES = /^```\w+ \[([\w./-]+)\]\n(.*?)^```$/gms

const app = mkdtempSync(join(ROOT, '.quick-start-'))

beforeAll(() => {
  const page = readFileSync(join(ROOT, 'docs/quick-start.md'), 'utf8')
  for (const [, name = '', text = ''] of page.matchAll(FILES)) {
    mkdirSync(dirname(join(app, name)), { recursive: true })
    writeFileSync(join(app, name), text)
  }
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }')
})

afterAll(() => rmSync(app, { recursive: true, force: true }))

async function freePort(): Promise<number> {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  taken.close()
  await once(taken, 'close')
  return port
}

/** The server of the quick start, once it listens. */
async function serve(): Promise<{ url: string; stop: () => void }> {
  const args = [`--conditions=${SOURCE}`, 'server.ts']
  const env = { ...process.env, PORT: String(await freePort()) }
  const server = spawn(process.execPath, args, { cwd: app, env })
  const stop = () => void server.kill('SIGKILL')
  let said = ''
  server.stderr.on('data', (bytes) => (said += String(bytes)))
  for await (const bytes of server.stdout) {
    said += String(bytes)
    const [url] = /http:\S+/.exec(said) ?? []
    if (url) return { url, stop }
  }
  throw new Error(`The server ended: ${said}`)
}

test('the server of the quick start asks before it deletes, and does so after the yes', async () => {
  const { url, stop } = await serve()
  const engine = createMessageEngine({
    transport: httpTransport({ api: `${url}/api/chat` }),
    plugins: [toolPlugin()],
  })
  try {
    expect(await engine.sendMessage('Tidy up')).toMatchObject({ requestState: 'paused' })
    const [call] = waitingCalls(engine.getState())
    expect(call).toMatchObject({ summary: 'Delete the note “Old list”', risk: 'destroy' })
    const { messageId = '', step = 0, toolCallId = '', fingerprint = '' } = call ?? {}
    const target = { messageId, step, toolCallId, fingerprint }
    await engine.runPluginCommand('tool', 'resumeToolCall', target)
    await untilState(engine, ({ requestState }) => requestState === 'completed')
    const said = JSON.stringify(engine.getState().messages)
    expect(said).toContain('Deleted Old list.')
    expect(said).toContain('I have looked after your notes.')
  } finally {
    engine.dispose()
    stop()
  }
})

// Type checks take their time.
test.runIf(process.env['ASSENT_DEEP'] === '1')(
  'its page is built, and its types hold',
  async () => {
    await build({
      root: app,
      configFile: join(app, 'vite.config.ts'),
      logLevel: 'warn',
      resolve: { conditions: [SOURCE, ...defaultClientConditions] },
    })
    expect(readFileSync(join(app, 'dist/index.html'), 'utf8')).toContain('<div id="app">')
    // As it is written, against the sources of the packages.
    const own = JSON.parse(readFileSync(join(app, 'tsconfig.json'), 'utf8'))
    own.compilerOptions.customConditions = [SOURCE]
    writeFileSync(join(app, 'tsconfig.json'), JSON.stringify(own))
    expect(checkAppTypes(app)).toEqual([])
  },
  180_000,
)
