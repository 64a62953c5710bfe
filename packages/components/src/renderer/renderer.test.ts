import { expect, expectTypeOf, test } from 'vitest'
import { page } from 'vitest/browser'
import { defineComponent, h } from 'vue'
import { commands, paused, settle } from '../../test/asks.ts'
import DeleteFileCall from '../../test/DeleteFileCall.vue'
import { ask, call, succeeded } from '../../test/fixtures.ts'
import { mountChat } from '../../test/mount.ts'
import type { tools } from '../../test/tools.ts'
import type { TypedMessage } from '../../test/typed-messages.ts'
import { defineDynamicToolRenderer, definePartRenderer, defineToolRenderer } from './index.ts'
import type { RenderedCall } from './index.ts'

const deletion = ask('delete_file', 'c1', { path: 'a.txt' })
const own = [defineToolRenderer<typeof tools>()('delete_file', DeleteFileCall)]

test('draws the calls of a tool by the component of the app, which can decide', async () => {
  const double = paused(deletion)
  await mountChat(double, { config: { renderers: own } })
  const button = page.getByRole('button', { name: 'Keep a.txt' })
  await button.click()
  expect(commands(double)).toEqual([
    ['tool', 'resumeToolCall', expect.objectContaining({ outcome: 'no', reason: 'Keep A.TXT' })],
  ])
  settle(double, 'c1', (part) => succeeded(part, { freed: 2 }))
  await expect.element(page.getByText('Freed 2.0')).toBeVisible()
})

test('leaves the calls of other tools to the kit', async () => {
  await mountChat(paused(deletion, ask('write_note', 'c2', { text: 'Rent' })), {
    config: { renderers: own },
  })
  await expect.element(page.getByRole('button', { name: 'Keep a.txt' })).toBeVisible()
  await expect.element(page.getByRole('heading', { name: 'Write note' })).toBeVisible()
})

test('a slot is stronger', async () => {
  await mountChat(paused(deletion), {
    config: { renderers: own },
    slots: { 'tool-delete_file': () => 'By the slot' },
  })
  await expect.element(page.getByText('By the slot')).toBeVisible()
  expect(page.getByRole('button', { name: 'Keep a.txt' }).elements()).toEqual([])
})

test('the renderer of a tool that is known by name draws its calls, and no typed ones', async () => {
  const renderer = defineDynamicToolRenderer('search', ({ call: { part, status } }) =>
    h('p', `${part.toolName} of a server, ${status}`),
  )
  const typed = call('search', 'c1', { state: 'input-available', input: {} })
  const dynamic = { ...typed, type: 'dynamic-tool', toolName: 'search', toolCallId: 'c2' } as const
  await mountChat(paused(typed, dynamic as never), { config: { renderers: [renderer] } })
  await expect.element(page.getByText('search of a server, validating')).toBeVisible()
  const densities = [...document.querySelectorAll<HTMLElement>('.as-tool')].map((element) => [
    element.dataset['call'],
    element.dataset['density'],
  ])
  expect(densities).toEqual([
    ['c1', 'line'],
    ['c2', 'own'],
  ])
})

test('knows the input and output of the tool', () => {
  type Call = RenderedCall<typeof tools, 'delete_file'>
  type Asking = Extract<Call['part'], { state: 'approval-requested' }>
  expectTypeOf<Asking['input']>().toEqualTypeOf<{ path: string }>()
  type Done = Extract<RenderedCall<typeof tools, 'ask_person'>['part'], { output: unknown }>
  expectTypeOf<Extract<Done, { state: 'output-available' }>['output']>().toEqualTypeOf<string>()
  type OfMessage = RenderedCall<TypedMessage, 'delete_file'>['part']
  expectTypeOf<Extract<OfMessage, { state: 'output-available' }>['output']>().toEqualTypeOf<{
    freed: number
  }>()

  const define = defineToolRenderer<typeof tools>()
  define('delete_file', ({ call: { part } }) =>
    part.state === 'output-available' ? part.output.freed.toFixed() : '',
  )
  // @ts-expect-error -- there is no such tool
  define('delete_files', () => '')
  // @ts-expect-error -- it draws the calls of another tool
  define('ask_person', DeleteFileCall)
})

test('knows the data of a part', () => {
  const Weather = defineComponent<{ part: { data: { degrees: number } } }>(() => () => '')
  const define = definePartRenderer<TypedMessage>()
  expectTypeOf(define('data-weather', Weather).type).toEqualTypeOf<string>()
  define('data-weather', ({ part, message }) => `${part.data.degrees} ${message.metadata?.model}`)
  // @ts-expect-error -- there is no such part
  define('data-news', () => '')
  // @ts-expect-error -- a text has no data
  define('text', Weather)
})
