import { afterAll, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
// Named here for the test server: what only a worker imports is found too late.
import 'vue/server-renderer'
import { createSsrApp } from '../../test/ssr-app.ts'
import '../style/index.css'

// As on a server, one for all: what a scene left behind would show in the next.
const worker = new Worker(new URL('../../test/ssr-worker.ts', import.meta.url), { type: 'module' })
afterAll(() => worker.terminate())

/** Renders a scene where there is neither window nor document. */
async function renderInWorker(
  scene: string,
  config = 'plain',
): Promise<{ html: string; hasDom: boolean }> {
  const { port1, port2 } = new MessageChannel()
  const { promise, resolve, reject } = Promise.withResolvers<{ html: string; hasDom: boolean }>()
  const fail = (event: ErrorEvent) => reject(new Error(event.message))
  worker.addEventListener('error', fail)
  port1.addEventListener('message', ({ data }) => resolve(data))
  port1.start()
  worker.postMessage([scene, config], [port2])
  return promise.finally(() => worker.removeEventListener('error', fail))
}

/** Renders a scene on a server, and has the browser take it over. */
async function takeOver(scene: string, config = 'plain'): Promise<string> {
  const { html, hasDom } = await renderInWorker(scene, config)
  expect(hasDom).toBe(false)
  const warn = vi.spyOn(console, 'warn')
  const error = vi.spyOn(console, 'error')
  const root = document.createElement('div')
  root.innerHTML = html
  document.body.append(root)
  const app = createSsrApp(scene, config)
  app.mount(root)
  await expect.element(page.getByRole('textbox').last()).toBeVisible()
  expect(warn.mock.calls).toEqual([])
  expect(error.mock.calls).toEqual([])
  app.unmount()
  root.remove()
  vi.restoreAllMocks()
  return html
}

test.each([
  'asks',
  'lines',
  'text',
  'error',
  'empty',
  'answer',
  'expired',
  'provenance',
  'queue',
  'queue-held',
  'actions',
  'prompts',
  'unanswered',
  'draft',
])('renders "%s" on a server, and is taken over without a difference', async (scene) => {
  expect(await takeOver(scene)).toContain('data-slot="chat"')
})

test('every kind of part is taken over without a difference, in every state of a call', async () => {
  const html = await takeOver('every part')
  for (const said of ['This is the file.', 'Half a sen', 'Which one?', 'a.pdf', 'No such file']) {
    expect(html).toContain(said)
  }
})

test('everything that a provider sets is there on a server, too', async () => {
  const html = await takeOver('every part', 'everything set')
  expect(html).toContain('21 degrees')
  expect(html).toMatch(/data-theme="dark" data-as-density="compact" dir="rtl" lang="zh-CN"/)
  expect(html).toContain('<b class="as-icon"')
})

test('says on a server what a call asks', async () => {
  const { html } = await renderInWorker('asks')
  expect(html).toContain('Delete 2 files from reports')
  expect(html).toContain('Cannot be undone')
})
