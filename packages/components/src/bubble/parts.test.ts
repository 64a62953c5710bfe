import type { UIMessage } from 'ai'
import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h, nextTick, shallowRef } from 'vue'
import { assistant, text, user } from '../../test/fixtures.ts'
import AsConfigProvider from '../config/AsConfigProvider.vue'
import '../style/index.css'
import AsBubble from './AsBubble.vue'

type Part = UIMessage['parts'][number]
type Slots = Record<string, (scope: never) => unknown>

async function show(
  message: UIMessage,
  config: object = {},
  slots: Slots = {},
  errorHandler?: (error: unknown) => void,
) {
  const shown = shallowRef(message)
  const view = await render(
    defineComponent(
      () => () =>
        h(AsConfigProvider, config, {
          default: () => h(AsBubble, { message: shown.value }, slots as never),
        }),
    ),
    errorHandler ? { global: { config: { errorHandler } } } : {},
  )
  return { ...view, put: (...parts: Part[]) => (shown.value = assistant('a', ...parts)) }
}

/** A part of a kind that types do not know. */
const odd = (part: object): Part => part as Part

test('thoughts are shown while they are thought, and folded afterwards with how long it took', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000)
  const thought = (value: string, state: 'streaming' | 'done'): Part => ({
    type: 'reasoning',
    text: value,
    state,
  })
  const { put } = await show(assistant('a', thought('Let me **see', 'streaming')))
  await expect.element(page.getByText(/Let me/)).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Thinking', expanded: true })).toBeVisible()
  now.mockReturnValue(5_200)
  put(thought('Let me **see**.', 'done'))
  const row = page.getByRole('button', { name: 'Thought for 4.2s', expanded: false })
  await expect.element(row).toBeVisible()
  expect(page.getByText(/Let me/).elements()).toHaveLength(0)
  await row.click()
  await expect.element(page.getByText(/Let me/)).toBeVisible()
  now.mockRestore()
})

test('thoughts that somebody reads, opened or closed stay as they are', async () => {
  const thought = (state: 'streaming' | 'done'): Part => ({ type: 'reasoning', text: 'Hm', state })
  const { put } = await show(assistant('a', thought('streaming')))
  document.getSelection()!.selectAllChildren(page.getByText('Hm').element())
  put(thought('done'))
  await expect.element(page.getByRole('button', { name: /^Thought for/ })).toBeVisible()
  await expect.element(page.getByText('Hm')).toBeVisible()
  document.getSelection()!.removeAllRanges()
  await page.getByRole('button', { name: /^Thought for/ }).click()
  put(thought('streaming'))
  await nextTick()
  expect(page.getByText('Hm').elements()).toHaveLength(0)
})

test('thoughts of before say no time, and those without words say only that there are some', async () => {
  await show(assistant('a', { type: 'reasoning', text: 'Hm', state: 'done' }))
  await expect.element(page.getByRole('button', { name: 'Thought' })).toBeVisible()
  const { container } = await show(assistant('b', { type: 'reasoning', text: '', state: 'done' }))
  expect(container.querySelector('[data-slot="reasoning"]')).toBeNull()
})

test('a part of an unknown kind is shown as such, with all of it on demand', async () => {
  await show(
    assistant('a', odd({ type: 'hologram', data: { depth: 3 } }), {
      type: 'custom',
      kind: 'openai.compaction',
    }),
  )
  const row = page.getByRole('button', { name: 'Unknown content: hologram' })
  await expect.element(row).toBeVisible()
  expect(page.getByText('depth').elements()).toHaveLength(0)
  await row.click()
  await expect.element(page.getByText(/"depth": 3/)).toBeVisible()
  await expect
    .element(page.getByRole('button', { name: /custom openai\.compaction/ }))
    .toBeVisible()
})

test('data is shown by a slot, else by a component of the configuration, else as unknown', async () => {
  const weather: Part = { type: 'data-weather', data: { degrees: 21 } }
  const Degrees = (props: { part: { data: { degrees: number } }; index: number }) =>
    h('p', `${props.part.data.degrees} degrees, part ${props.index}`)
  Degrees.props = ['part', 'index', 'message']
  const config = { parts: { 'data-weather': Degrees, 'data-noise': null } }
  const message = assistant('a', weather, { type: 'data-noise', data: 1 })
  await show(message, config)
  await expect.element(page.getByText('21 degrees, part 1')).toBeVisible()
  expect(page.getByText(/noise/).elements()).toHaveLength(0)
  await show(message, config, { 'part-data-weather': () => 'It is warm' })
  await expect.element(page.getByText('It is warm')).toBeVisible()
  await show(assistant('b', weather))
  await expect.element(page.getByText('Unknown content: data-weather')).toBeVisible()
})

test('a summary of earlier messages is a line that opens, and nothing in it is more than text', async () => {
  const summary = 'They spoke of the **harbour**. <img src=x onerror=alert(1)>'
  const data = { text: summary, messages: 20, until: 'm20' }
  await show(assistant('a', { type: 'data-assent-summary', data }, text('The answer')))
  const row = page.getByRole('button', { name: 'Summary of earlier messages', expanded: false })
  await expect.element(row).toBeVisible()
  expect(page.getByText('harbour').elements()).toHaveLength(0)
  await row.click()
  await expect.element(page.getByText('harbour')).toBeVisible()
  expect(document.querySelectorAll('[data-slot="summary"] img')).toHaveLength(0)
  await expect.element(page.getByText('The answer')).toBeVisible()
})

test('a part whose own component fails takes nothing else down, and the app is told', async () => {
  const told: unknown[] = []
  const failing = (): never => {
    throw new Error('No such chart')
  }
  const { put } = await show(
    assistant('a', text('Before')),
    {},
    { 'part-data-chart': failing },
    (error) => told.push(error),
  )
  put(text('Before'), { type: 'data-chart', data: [1] }, text('After'))
  await expect.element(page.getByText('Couldn’t show this: data-chart')).toBeVisible()
  await expect.element(page.getByText('Before')).toBeVisible()
  await expect.element(page.getByText('After')).toBeVisible()
  expect(told.map(String)).toEqual(['Error: No such chart'])
})

test('an error that came as a part is said in words', async () => {
  await show(assistant('a', odd({ type: 'error', errorText: 'The model is overloaded' })))
  await expect.element(page.getByText('The model is overloaded')).toBeVisible()
})

test('what a message carries can be saved under a harmless name, other files are opened', async () => {
  await show(
    assistant(
      'a',
      {
        type: 'file',
        mediaType: 'text/plain',
        filename: 'a\u202Etxt.exe',
        url: 'data:text/plain,x',
      },
      { type: 'file', mediaType: 'text/plain', filename: 'b.txt', url: 'https://a.example/b.txt' },
      { type: 'file', mediaType: 'text/html', filename: 'c.html', url: 'javascript:alert(1)' },
    ),
  )
  await expect.element(page.getByText('RLO')).toBeVisible()
  const links = page.getByRole('link').elements() as HTMLAnchorElement[]
  expect(links.map((link) => [link.textContent, link.download, link.target])).toEqual([
    ['Save', 'a_txt.exe', ''],
    ['Open', '', '_blank'],
  ])
})

test('texts of two steps are told apart, and the person’s words in between are shown as theirs', async () => {
  const { container } = await show(
    assistant('a', text('One'), { type: 'step-start' }, text('Two'), {
      type: 'steering-message',
      id: 's',
      parts: [{ type: 'text', text: 'Rather **this**' }],
    }),
  )
  expect(container.querySelectorAll('[data-slot="step"]')).toHaveLength(1)
  expect(container.querySelector('[data-slot="steering"]')!.textContent).toBe('Rather **this**')
})

test('numbers in the text lead to the sources of the message', async () => {
  const url = 'https://www.example.com/report'
  await show(assistant('a', text('So it is [1].'), { type: 'source-url', sourceId: 's', url }))
  const chip = page.getByRole('link', { name: 'Source 1: www.example.com' })
  await expect.element(chip).toHaveAttribute('href', url)
})

test('one’s own renderer of Markdown gets the text and whether it grows', async () => {
  const renderer = (props: { text: string; streaming?: boolean }) =>
    h('pre', `${props.text}|${props.streaming}`)
  await show(assistant('a', text('**Hi', 'streaming')), {
    markdown: { renderer: Object.assign(renderer, { props: ['text', 'streaming'] }) },
  })
  await expect.element(page.getByText('**Hi|true')).toBeVisible()
  await show(user('u', '**plain**'))
  await expect.element(page.getByText('**plain**')).toBeVisible()
  await userEvent.keyboard('{Escape}')
})
