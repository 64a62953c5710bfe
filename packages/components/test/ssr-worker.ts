import { renderToString } from 'vue/server-renderer'
import { createSsrApp } from './ssr-app.ts'

// A worker has no window and no document, like a server.
const scope: { window?: unknown; document?: unknown } = globalThis

self.addEventListener(
  'message',
  async ({ data, ports }: MessageEvent<[scene: string, config: string]>) => {
    const [reply] = ports
    if (!reply) throw new Error('The worker needs a port to answer to.')
    const html = await renderToString(createSsrApp(...data))
    const hasDom = scope.window !== undefined || scope.document !== undefined
    reply.postMessage({ html, hasDom }, [])
  },
)
