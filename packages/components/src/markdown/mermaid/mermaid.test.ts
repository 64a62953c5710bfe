import script from 'mermaid/dist/mermaid.min.js?url'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { render } from 'vitest-browser-vue'
import { h } from 'vue'
import AsConfigProvider from '../../config/AsConfigProvider.vue'
import '../../style/index.css'
import AsMarkdown from '../AsMarkdown.vue'
import { createDrawingFrame } from './drawing-frame.ts'
import { mermaid } from './index.ts'
import { loadMarkdown } from '../markdown-code.ts'

beforeAll(loadMarkdown)

/** Loading several megabytes takes its time on a busy machine. */
const LOADING = { timeout: 20_000 }

afterEach(() => {
  document.querySelectorAll('iframe[sandbox]').forEach((frame) => frame.remove())
  delete document.documentElement.dataset['theme']
})

async function show(code: string, streaming = false): Promise<HTMLElement> {
  const markdown = { plugins: [mermaid({ script })] }
  const text = `\`\`\`mermaid\n${code}${streaming ? '' : '\n```'}`
  const { container } = await render(() =>
    h(AsConfigProvider, { markdown }, { default: () => h(AsMarkdown, { text, streaming }) }),
  )
  return container
}

test('draws a diagram as an image when its fence is closed', { timeout: 30_000 }, async () => {
  const container = await show('flowchart LR\n  A[Ask] --> B{Yes?}\n  B -->|yes| C[Run]')
  expect(container.querySelector('pre')).not.toBeNull()
  await expect.poll(() => container.querySelector('img')?.complete, LOADING).toBe(true)
  const image = container.querySelector('img')!
  expect(image.src).toMatch(/^data:image\/svg\+xml/)
  expect(image.naturalWidth).toBeGreaterThan(100)
  expect(decodeURIComponent(image.src)).toContain('Ask')
  expect(container.querySelector('svg:not(.as-icon)')).toBeNull()
})

test(
  'is drawn anew in the colours of the page when those change',
  { timeout: 30_000 },
  async () => {
    const page = document.documentElement
    page.dataset['theme'] = 'light'
    const container = await show('flowchart LR\n  A --> B')
    const source = () => decodeURIComponent(container.querySelector('img')?.src ?? '')
    /** The colour of its words. */
    const colour = () => /font-size:16px;fill:(#\w+)/.exec(source())?.[1]
    await expect.poll(colour, LOADING).toBeDefined()
    const light = colour()
    page.dataset['theme'] = 'dark'
    await expect.poll(colour, LOADING).toBe('#ccc')
    page.dataset['theme'] = 'light'
    await expect.poll(colour, LOADING).toBe(light)
    expect(light).not.toBe('#ccc')
    // Each drawing has a number of its own: what does not change the colours draws nothing.
    const drawn = source()
    page.classList.toggle('other')
    await new Promise(requestAnimationFrame)
    page.dataset['theme'] = 'dark'
    await expect.poll(colour, LOADING).toBe('#ccc')
    expect(/diagram\d+/.exec(source())?.[0]).toBe(
      /diagram\d+/.exec(drawn)?.[0].replace(/\d+/, (count) => String(Number(count) + 1)),
    )
    page.classList.toggle('other')
  },
)

test('code that still grows is no diagram yet', async () => {
  const container = await show('flowchart LR\n  A --> ', true)
  expect(container.querySelector('[data-slot="diagram"]')).toBeNull()
  expect(document.querySelector('iframe')).toBeNull()
})

test('what is no diagram stays the code that it is', { timeout: 30_000 }, async () => {
  const container = await show('flowchart LR\n  A --> [[[')
  await expect.poll(() => container.textContent, LOADING).toContain('Couldn’t draw the diagram')
  expect(container.querySelector('pre')!.textContent).toContain('A --> [[[')
})

test('a diagram can neither load nor run anything', { timeout: 60_000 }, async () => {
  const { draw } = createDrawingFrame(script, 20_000)
  const violations: string[] = []
  const loads: string[] = []
  const observer = new PerformanceObserver((list) =>
    loads.push(...list.getEntries().map((entry) => entry.name)),
  )
  observer.observe({ type: 'resource' })
  for (const code of [
    'flowchart LR\n  A@{ img: "https://evil.example/a.png", label: "x" }',
    'flowchart LR\n  A["<img src=https://evil.example/b.png onerror=parent.hacked=1>"]',
    'flowchart LR\n  A --> B\n  click A "javascript:parent.hacked=1"',
    'flowchart LR\n  A --> B\n  click A call alert(1)',
    '%%{init: {"securityLevel": "loose", "themeCSS": "* { background: url(https://evil.example/c) }"}}%%\nflowchart LR\n  A["<script>parent.hacked=1</script>"]',
    '---\nconfig:\n  fontFamily: "x; background: url(https://evil.example/d)"\n---\nflowchart LR\n  A',
    'flowchart LR\n  A\n  style A fill:url(https://evil.example/e)',
  ]) {
    const drawing = await draw(code, false).catch(() => undefined)
    if (!drawing) continue
    const image = new Image()
    image.src = drawing.src
    await image.decode().catch(() => violations.push(code))
    document.body.append(image)
  }
  const [frame] = document.querySelectorAll('iframe')
  expect(frame!.contentDocument).toBeNull()
  expect(frame!.getAttribute('sandbox')).toBe('allow-scripts')
  expect('hacked' in window).toBe(false)
  expect(loads.filter((url) => url.includes('evil'))).toEqual([])
  expect(violations).toEqual([])
  observer.disconnect()
})

test('a script that cannot be loaded leaves the code', { timeout: 30_000 }, async () => {
  const { draw } = createDrawingFrame('/no-such-script.js', 5_000)
  await expect(draw('flowchart LR\n A', false)).rejects.toThrow(/could not be loaded/)
  expect(document.querySelector('iframe')).toBeNull()
})
