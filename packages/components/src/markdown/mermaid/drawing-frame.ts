/** A picture of a diagram. */
export interface Drawing {
  /** A `data:` address of an image. */
  src: string
  /** In pixels. */
  width: number
  height: number
}

/** Draws diagrams out of sight. */
export interface DrawingFrame {
  /** Rejects for what is no valid diagram, when it takes too long, and when Mermaid cannot be loaded. */
  draw(code: string, isDark: boolean): Promise<Drawing>
}

/**
 * One frame for all diagrams, made with the first. It has an origin of its own, no network, and a
 * channel on which text goes in and text comes out.
 */
export function createDrawingFrame(script: string, timeoutMs: number): DrawingFrame {
  let opening: Promise<MessagePort> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let count = 0

  function open(): Promise<MessagePort> {
    opening ??= openFrame(new URL(script, document.baseURI), timeoutMs).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }

  async function drawNow(code: string, isDark: boolean): Promise<Drawing> {
    const port = await open()
    count += 1
    port.postMessage({ id: count, code, theme: isDark ? 'dark' : 'neutral' })
    const reply = await next(port, timeoutMs)
    const svg = typeof reply === 'object' && reply && 'svg' in reply ? reply.svg : undefined
    if (typeof svg !== 'string') throw new Error('The diagram could not be drawn.')
    return toDrawing(svg)
  }

  return {
    draw(code, isDark) {
      // One after the other: Mermaid keeps its configuration in one place.
      const drawing = last.then(() => drawNow(code, isDark))
      last = drawing.catch(() => {})
      return drawing
    },
  }
}

async function openFrame(script: URL, timeoutMs: number): Promise<MessagePort> {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.setAttribute('aria-hidden', 'true')
  frame.tabIndex = -1
  frame.inert = true
  // Laid out, because text is measured in it, and out of sight.
  frame.style.cssText =
    'position:fixed;inset:0 auto auto -9999px;width:1200px;height:900px;border:0;visibility:hidden'
  frame.srcdoc = pageOf(script)
  try {
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
    document.body.append(frame)
    await within(loaded, timeoutMs)
    const { port1, port2 } = new MessageChannel()
    port1.start()
    const ready = next(port1, timeoutMs)
    // The frame's origin is opaque; nothing that is sent there is secret.
    frame.contentWindow?.postMessage('draw', '*', [port2])
    if ((await ready) !== 'ready') throw new Error('Mermaid could not be loaded.')
    return port1
  } catch (error) {
    frame.remove()
    throw error
  }
}

/** The page in the frame. Its policy names the one script that it may load. */
function pageOf(script: URL): string {
  const address = script.href.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  const [policyAddress = ''] = script.href.split(/[?#;,\s]/)
  const nonce = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
  const policy = `default-src 'none'; script-src ${policyAddress} 'nonce-${nonce}'; style-src 'unsafe-inline'`
  return `<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<body><script src="${address}"></script><script nonce="${nonce}">${FRAME_SCRIPT}</script></body>`
}

const FRAME_SCRIPT = `
addEventListener('message', ({ ports: [port] }) => {
  const { mermaid } = globalThis
  port.onmessage = async ({ data: { id, code, theme } }) => {
    try {
      mermaid.initialize({
        startOnLoad: false, securityLevel: 'strict', theme, htmlLabels: false, flowchart: { htmlLabels: false },
        secure: ['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'theme', 'themeCSS', 'themeVariables',
          'fontFamily', 'htmlLabels', 'flowchart'],
        maxTextSize: 20000, suppressErrorRendering: true,
      })
      const { svg } = await mermaid.render('diagram' + id, code)
      port.postMessage({ svg })
    } catch {
      port.postMessage({})
    }
    document.body.replaceChildren()
  }
  port.postMessage(mermaid ? 'ready' : 'missing')
}, { once: true })`

function next(port: MessagePort, timeoutMs: number): Promise<unknown> {
  const reply = new Promise<unknown>((resolve) => {
    port.addEventListener('message', ({ data }) => resolve(data), { once: true })
  })
  return within(reply, timeoutMs)
}

async function within<RESULT>(work: Promise<RESULT>, timeoutMs: number): Promise<RESULT> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Drawing took too long.')), timeoutMs)
  })
  return Promise.race([work, end]).finally(() => clearTimeout(timer))
}

/** The size is in the picture; an image without one would be as wide as it may be. */
function toDrawing(svg: string): Drawing {
  const size = /viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"/.exec(svg)
  return {
    src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`,
    width: Math.ceil(Number(size?.[1] ?? 600)),
    height: Math.ceil(Number(size?.[2] ?? 400)),
  }
}
