import { beforeAll, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { article } from '../../test/scenes/article.ts'
import AsMarkdown from './AsMarkdown.vue'
import { loadHealing } from './healing.ts'
import { loadMarkdown } from './markdown-code.ts'

beforeAll(loadMarkdown)
beforeAll(loadHealing)

async function show(text: string, streaming = false): Promise<HTMLElement> {
  const { container } = await render(AsMarkdown, { props: { text, streaming } })
  return container
}

const PAYLOADS = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '<svg onload="window.hacked = 1"></svg>',
  '<iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>',
  '<a href="javascript:window.hacked = 1">click</a>',
  '<form action="https://evil.example"><input name="password"><button>go</button></form>',
  '<style>* { display: none }</style>',
  '<base href="https://evil.example/">',
  '[click](javascript:window.hacked=1)',
  '[click](java&#115;cript:window.hacked=1)',
  '[click](JaVaScRiPt:window.hacked=1)',
  '[click](\u0001javascript:window.hacked=1)',
  '[click](data:text/html,<script>parent.hacked=1</script>)',
  '[click](vbscript:msgbox)',
  '<javascript:window.hacked=1>',
  '![x](javascript:window.hacked=1)',
  '![x](data:text/html;base64,PHNjcmlwdD4=)',
  '![x" onerror="window.hacked=1](https://evil.example/x.png)',
  '[x](https://a.example" onmouseover="window.hacked=1)',
  '```html\n<script>window.hacked = 1</script>\n```',
  '| <img src=x onerror=window.hacked=1> |\n|---|\n| <script>window.hacked=1</script> |',
  '[a]\n\n[a]: javascript:window.hacked=1',
  '<math><mtext><style><img src=x onerror=window.hacked=1></style></mtext></math>',
  '&lt;img src=x onerror=window.hacked=1&gt;',
  '[__proto__]\n\n[__proto__]: https://a.example\n\n[constructor]',
]

test.each(PAYLOADS)('shows %s as text: nothing runs, loads or navigates', async (payload) => {
  const loads: string[] = []
  const observer = new PerformanceObserver((list) =>
    loads.push(...list.getEntries().map((entry) => entry.name)),
  )
  observer.observe({ type: 'resource' })
  for (const streaming of [true, false]) {
    const container = await show(payload, streaming)
    const forbidden =
      'script, iframe, object, embed, form, style, base, link, meta, svg[onload], math'
    // Icons are ours.
    expect(container.querySelectorAll(forbidden)).toHaveLength(0)
    for (const element of container.querySelectorAll('*')) {
      const names = element.getAttributeNames()
      expect(names.filter((name) => name.startsWith('on'))).toEqual([])
    }
    for (const link of container.querySelectorAll('a')) {
      expect(link.protocol).toMatch(/^(?:https?|mailto):$/)
      expect(link.rel).toContain('noopener')
    }
    expect(container.querySelectorAll('img:not([src^="data:image/"])')).toHaveLength(0)
    for (const button of container.querySelectorAll('button')) button.dispatchEvent(new Event('x'))
  }
  await new Promise(requestAnimationFrame)
  expect('hacked' in window).toBe(false)
  expect(loads.filter((url) => url.includes('.example'))).toEqual([])
  observer.disconnect()
})

test('closes what is still open while text arrives, and not any more when it is whole', async () => {
  const { container, rerender } = await render(AsMarkdown, {
    props: { text: 'This is **bold', streaming: true },
  })
  await expect.poll(() => container.querySelector('strong')?.textContent).toBe('bold')
  await rerender({ text: 'This is **bold', streaming: false })
  expect(container.textContent).toBe('This is **bold')
})

test('shows raw HTML as the text that it is', async () => {
  expect((await show('a <b onclick="x()">b</b> c')).innerText.trim()).toBe(
    'a <b onclick="x()">b</b> c',
  )
})

test('renders the elements that the text means', async () => {
  const container = await show(article)
  const count = (selector: string): number => container.querySelectorAll(selector).length
  expect(count('h3') + count('h4')).toBe(2)
  expect(count('table tr')).toBe(4)
  expect(count('ol > li')).toBe(3)
  expect(count('pre code')).toBe(1)
  expect(count('input[type="checkbox"][disabled]')).toBe(2)
  expect(count('blockquote')).toBe(1)
  expect(count('strong') + count('em')).toBe(2)
})

test('goes on counting where a list goes on', async () => {
  expect((await show('3. three\n4. four')).querySelector('ol')!.start).toBe(3)
})

test('resolves character references in text but not in code', async () => {
  const container = await show('a &amp; b &#8364; &hellip; &nope; `&amp;`')
  expect(container.innerText.trim()).toBe('a & b € … &nope; &amp;')
})

test('says where a link leads when its text names another host', async () => {
  const text = (markdown: string) => show(markdown).then((element) => element.innerText.trim())
  expect(await text('[bank.example](https://evil.example/x)')).toBe('bank.example (evil.example)')
  expect(await text('[www.bank.example](https://bank.example)')).toBe('www.bank.example')
  expect(await text('[the bank](https://bank.example)')).toBe('the bank')
})

test('loads an image from elsewhere only when asked to, without telling where from', async () => {
  const container = await show('![A chart](https://charts.invalid/a.png)')
  expect(container.querySelectorAll('img')).toHaveLength(0)
  await page.getByRole('button', { name: /Load image from charts\.invalid/ }).click()
  await expect.poll(() => container.innerText).toMatch(/Couldn’t load/)
})

test('shows an image that carries its own data at once', async () => {
  const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='
  const image = (await show(`![dot](${pixel})`)).querySelector('img')!
  expect(image.alt).toBe('dot')
  expect(image.referrerPolicy).toBe('no-referrer')
})

test('copies code, and says so when it cannot', async () => {
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  await show('```js\nlet a\n```')
  await page.getByRole('button', { name: /^Copy:/ }).click()
  await expect.element(page.getByRole('button', { name: /^Copied/ })).toBeVisible()
  expect(write).toHaveBeenCalledWith('let a')
  write.mockRejectedValue(new Error('denied'))
  await page.getByRole('button', { name: /^Copied/ }).click()
  await expect.element(page.getByRole('button', { name: /^Couldn’t copy/ })).toBeVisible()
  write.mockRestore()
})

test('keeps the elements of closed blocks while the text grows', async () => {
  const { container, rerender } = await render(AsMarkdown, {
    props: { text: 'One\n\n- a\n- b\n\nTail', streaming: true },
  })
  const [first, list] = container.querySelectorAll('p, ul')
  await rerender({ text: 'One\n\n- a\n- b\n\nTail that **grows', streaming: true })
  const after = container.querySelectorAll('p, ul')
  expect(after[0]).toBe(first)
  expect(after[1]).toBe(list)
  expect(container.querySelector('strong')!.textContent).toBe('grows')
})
