import { beforeAll, expect, test } from 'vitest'
import { render } from 'vitest-browser-vue'
import { h } from 'vue'
import AsConfigProvider from '../../config/AsConfigProvider.vue'
import AsMarkdown from '../AsMarkdown.vue'
import { math } from './index.ts'
import { loadMarkdown } from '../markdown-code.ts'

beforeAll(loadMarkdown)

const markdown = { plugins: [math()] }

async function show(text: string, config: object = { markdown }): Promise<HTMLElement> {
  const { container } = await render(() =>
    h(AsConfigProvider, config, { default: () => h(AsMarkdown, { text }) }),
  )
  return container
}

/** The first of all formulas waits for the library. */
const LOADING = { timeout: 5_000 }
const formulas = (root: HTMLElement): string[] =>
  [...root.querySelectorAll('math annotation')].map((element) => element.textContent)

test.each([
  ['in dollars', 'The root $x^2$ of it', ['x^2']],
  ['in double dollars', 'The root $$x^2$$ of it', ['x^2']],
  ['in round brackets', String.raw`The root \(x^2\) of it`, ['x^2']],
  ['on lines of its own', 'So:\n\n$$\n\\frac{a}{b}\n$$\n\nThen', [String.raw`\frac{a}{b}`]],
  ['in square brackets', 'So:\n\n\\[\n\\sum_i i\n\\]\n', [String.raw`\sum_i i`]],
])('shows a formula %s', async (_, text, expected) => {
  const container = await show(text)
  await expect.poll(() => formulas(container), LOADING).toEqual(expected)
  const [element] = container.querySelectorAll('math')
  expect(element!.namespaceURI).toBe('http://www.w3.org/1998/Math/MathML')
  expect(element!.getBoundingClientRect().height).toBeGreaterThan(5)
})

test('prices are no formulas', async () => {
  const container = await show('It is $5 and $10, or $3-$4, never $x^2$.')
  await expect.poll(() => formulas(container), LOADING).toEqual(['x^2'])
  expect(container.textContent).toContain('It is $5 and $10, or $3-$4, never')
})

test('what is not valid stays the source that it is', async () => {
  const container = await show(String.raw`$$\frac{$$ and $y$`)
  await expect.poll(() => formulas(container), LOADING).toEqual(['y'])
  expect(container.querySelector('code')!.textContent).toBe(String.raw`\frac{`)
})

test('a formula can neither link, load, nor style', async () => {
  const container = await show(
    [
      String.raw`$\href{javascript:window.hacked=1}{x}$`,
      String.raw`$\url{https://evil.example}$`,
      String.raw`$\includegraphics{https://evil.example/x.png}$`,
      String.raw`$\htmlStyle{position:fixed;inset:0}{x}$`,
      String.raw`$\htmlId{login}{x}$`,
      String.raw`$\htmlData{onclick=x}{x}$`,
      String.raw`$\text{<img src=x onerror=window.hacked=1>}$`,
      String.raw`$\def\x{\x\x}\x$`,
      '$z$',
    ].join('\n\n'),
  )
  await expect.poll(() => formulas(container), LOADING).toContain('z')
  expect(
    container.querySelectorAll('a, img, [href], [src], [style], [id], [onclick]'),
  ).toHaveLength(0)
  expect('hacked' in window).toBe(false)
})

test('without the plugin nothing of it is there', async () => {
  const container = await show('The root $x^2$ of it', {})
  expect(container.textContent).toBe('The root $x^2$ of it')
})
