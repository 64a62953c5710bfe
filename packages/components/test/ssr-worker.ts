import { renderToString } from 'vue/server-renderer'
import { createSsrApp } from './ssr-app.ts'

// A worker has no window and no document, like a server.
const scope: { window?: unknown; document?: unknown } = globalThis

self.addEventListener('message', async (event: MessageEvent<string>) => {
  try {
    const html = await renderToString(createSsrApp(event.data))
    self.postMessage({ html, hasDom: scope.window !== undefined || scope.document !== undefined })
  } catch (error) {
    self.postMessage({ error: String(error) })
  }
})
self.postMessage({ ready: true })
