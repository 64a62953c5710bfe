import { expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
// Named here for the test server: what only a worker imports is found too late.
import 'vue/server-renderer'
import { createSsrApp } from '../../test/ssr-app.ts'
import '../style/index.css'

/** Renders a scene where there is neither window nor document. */
async function renderInWorker(scene: string): Promise<{ html: string; hasDom: boolean }> {
  const worker = new Worker(new URL('../../test/ssr-worker.ts', import.meta.url), {
    type: 'module',
  })
  const { port1, port2 } = new MessageChannel()
  const { promise, resolve, reject } = Promise.withResolvers<{ html: string; hasDom: boolean }>()
  worker.addEventListener('error', (event) => reject(new Error(event.message)))
  port1.addEventListener('message', ({ data }) => resolve(data))
  port1.start()
  worker.postMessage(scene, [port2])
  return promise.finally(() => worker.terminate())
}

test.each(['asks', 'lines', 'text', 'error', 'empty', 'answer', 'expired', 'provenance'])(
  'renders "%s" on a server, and is taken over without a difference',
  async (scene) => {
    const { html, hasDom } = await renderInWorker(scene)
    expect(hasDom).toBe(false)
    const warn = vi.spyOn(console, 'warn')
    const error = vi.spyOn(console, 'error')
    const root = document.createElement('div')
    root.innerHTML = html
    document.body.append(root)
    const app = createSsrApp(scene)
    app.mount(root)
    await expect.element(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
    expect(warn.mock.calls).toEqual([])
    expect(error.mock.calls).toEqual([])
    app.unmount()
    root.remove()
    vi.restoreAllMocks()
  },
)

test('says on a server what a call asks', async () => {
  const { html } = await renderInWorker('asks')
  expect(html).toContain('Delete 2 files from reports')
  expect(html).toContain('Cannot be undone')
})
