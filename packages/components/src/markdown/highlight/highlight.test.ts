import { beforeAll, expect, test } from 'vitest'
import { render } from 'vitest-browser-vue'
import { defineComponent, h, ref, type Ref } from 'vue'
import AsConfigProvider from '../../config/AsConfigProvider.vue'
import '../../style/index.css'
import AsMarkdown from '../AsMarkdown.vue'
import { highlight } from './index.ts'
import { loadMarkdown } from '../markdown-code.ts'

beforeAll(loadMarkdown)

const code = "const answer: number = 42 // `all`\n\n/* two\nlines */ let x = 'y'"
const fence = `\`\`\`ts\n${code}\n\`\`\``

async function show(text: Ref<string>, streaming: Ref<boolean>, config: object) {
  const Shown = defineComponent(
    () => () =>
      h(AsConfigProvider, config, {
        default: () =>
          h('div', { class: 'as-root' }, [
            h(AsMarkdown, { text: text.value, streaming: streaming.value }),
          ]),
      }),
  )
  return render(Shown)
}

/** The first of all colours wait for the library. */
const LOADING = { timeout: 5_000 }
const spans = (root: Element): number => root.querySelectorAll('pre span').length

test('code gets its colours when its fence is closed, and not before', async () => {
  const plugin = highlight()
  const asked: string[] = []
  const { highlighter } = plugin
  const watched = {
    highlighter: {
      find: highlighter!.find,
      highlight: (text: string, language: string) => {
        asked.push(text)
        return highlighter!.highlight(text, language)
      },
    },
  }
  const text = ref('```ts\nconst ans')
  const { container } = await show(text, ref(true), { markdown: { plugins: [watched] } })
  await new Promise(requestAnimationFrame)
  expect(asked).toEqual([])
  text.value = fence
  await expect.poll(() => spans(container), LOADING).toBeGreaterThan(8)
  expect(asked).toEqual([code])
  expect(container.querySelector('code')!.textContent).toBe(code)
})

test('colours follow the theme', async () => {
  const { container } = await show(ref(fence), ref(false), {
    markdown: { plugins: [highlight()] },
  })
  await expect.poll(() => spans(container), LOADING).toBeGreaterThan(8)
  const word = container.querySelector('pre span')!
  const light = getComputedStyle(word).color
  document.documentElement.dataset['theme'] = 'dark'
  expect(getComputedStyle(word).color).not.toBe(light)
  delete document.documentElement.dataset['theme']
})

test('code that was shown before has its colours at once', async () => {
  const markdown = { plugins: [highlight()] }
  const first = await show(ref(fence), ref(false), { markdown })
  await expect.poll(() => spans(first.container), LOADING).toBeGreaterThan(8)
  await first.unmount()
  const { container } = await show(ref(fence), ref(false), { markdown })
  expect(spans(container)).toBeGreaterThan(8)
})

test('no more is remembered than was said, and what was used last is kept', async () => {
  const { highlighter } = highlight({ remembered: 2 })
  for (const name of ['a', 'b']) await highlighter!.highlight(`let ${name}`, 'ts')
  highlighter!.find('let a', 'ts')
  await highlighter!.highlight('let c', 'ts')
  const known = ['a', 'b', 'c'].map((name) => highlighter!.find(`let ${name}`, 'ts') !== undefined)
  expect(known).toEqual([true, false, true])
})

test('a language that is not known, and code that is too long, stay without colours', async () => {
  const { highlighter } = highlight({ maxLength: 20 })
  expect(await highlighter!.highlight('x', 'nonsense')).toBeUndefined()
  expect(await highlighter!.highlight('let x = 1 // much longer', 'ts')).toBeUndefined()
})

test('a comment over many lines is one, wherever the work was cut', async () => {
  const { highlighter } = highlight()
  const long = `/*\n${'word word\n'.repeat(50)}*/\nlet x`
  const lines = (await highlighter!.highlight(long, 'ts'))!
  expect(lines.map((line) => line.map(({ text }) => text).join('')).join('\n')).toBe(long)
  const colourOf = (index: number) => lines[index]?.[0]?.style?.['--as-code-light']
  expect(colourOf(45)).toBe(colourOf(1))
  expect(colourOf(45)).not.toBe(colourOf(52))
})

test('colours can bring nothing but colours', async () => {
  const evil = [
    [{ text: 'x', style: { 'background-image': 'url(https://evil.example)', '--a': 'b' } }],
  ]
  const markdown = {
    plugins: [{ highlighter: { find: () => evil, highlight: async () => evil } }],
  }
  const { container } = await show(ref(fence), ref(false), { markdown })
  expect(container.querySelector('pre span')!.getAttribute('style')).toBe('--a: b;')
})
