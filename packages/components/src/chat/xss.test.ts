import type { UIMessage } from 'ai'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { commands, page } from 'vitest/browser'
import { h } from 'vue'
import { createChatDouble } from '../../test/chat-double.ts'
import { ask, call, denied, succeeded, withMetadata } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import { violationsIn, violationsOfPage } from '../../test/page-violations.ts'
import { XSS_CORPUS } from '../../test/xss-corpus.ts'
import { highlight } from '../markdown/highlight/index.ts'
import { loadHealing } from '../markdown/healing.ts'
import { math } from '../markdown/math/index.ts'
import type { MarkdownConfig } from '../markdown/markdown-plugin.ts'

type Part = UIMessage['parts'][number]

const markdown: MarkdownConfig = { plugins: [highlight(), math()] }
let evil = ''
const before = { title: '', href: '', head: 0 }

beforeAll(async () => {
  evil = await commands.watchNetwork()
  await loadHealing()
  before.title = document.title
  before.href = location.href
  before.head = document.head.querySelectorAll('base, meta, script').length
})
afterEach(() => {
  for (const name of ['hacked', 'evilclobber']) Reflect.deleteProperty(window, name)
})
afterAll(() => commands.unwatchNetwork())

/** A conversation that says this wherever others can say something. */
function everywhere(said: string): UIMessage[] {
  const name = said.replaceAll(/\s/g, '_')
  const assent = { summary: said, risk: 'destroy' as const }
  const input = { [said]: said, url: said, nested: { [name]: [said] } }
  const parts: unknown[] = [
    { type: 'text', text: said, state: 'done' },
    { type: 'reasoning', text: said, state: 'streaming' },
    ask(name, `ask ${name}`, input, assent, said),
    ask('plain', 'plain', said),
    succeeded(call(name, `done ${name}`, { state: 'input-available', input }), input),
    denied(ask('denied', 'denied', said, assent), said),
    call('failed', 'failed', { state: 'output-error', input, errorText: said }, assent),
    withMetadata(call('growing', 'growing', { state: 'input-streaming', input: said }), assent),
    { type: 'dynamic-tool', toolName: said, toolCallId: said, state: 'input-available', input },
    { type: 'file', mediaType: 'image/png', filename: said, url: `${evil}/file.png` },
    { type: 'file', mediaType: 'image/svg+xml', filename: said, url: said },
    { type: 'file', mediaType: said, filename: said, url: said },
    { type: 'file', mediaType: 'text/html', filename: said, url: `data:text/html,${said}` },
    { type: 'source-url', sourceId: said, url: said, title: said },
    { type: 'source-url', sourceId: '2', url: `${evil}/source` },
    { type: 'source-document', sourceId: said, mediaType: said, title: said, filename: said },
    { type: `data-${said}`, id: said, data: { [said]: said } },
    { type: 'custom', kind: said },
    { type: said, text: said },
    { type: 'error', errorText: said },
    { type: 'steering-message', id: said, parts: [{ type: 'text', text: said }] },
    { type: 'text', text: `See [1] and [2]. ${said}`, state: 'streaming' },
  ]
  return [
    { id: `u ${said}`, role: 'user', parts: [{ type: 'text', text: said }], metadata: { said } },
    { id: `a ${said}`, role: 'assistant', parts: parts as Part[], metadata: { [said]: said } },
  ]
}

/** Shows it, opens what can be opened, goes over what can be gone over, and tells what was wrong. */
async function offences(said: string, config: MarkdownConfig): Promise<string[]> {
  const messages = everywhere(said)
  const double = createChatDouble({ messages, requestState: 'paused' })
  const view = await mountChat(double, { config: { markdown: config } })
  const chat = slotElement('chat')
  for (let round = 0; round < 3; round += 1) {
    const closed = chat.querySelectorAll<HTMLElement>('.as-line-row[aria-expanded="false"]')
    for (const row of closed) row.click()
    await new Promise(requestAnimationFrame)
  }
  for (const element of chat.querySelectorAll('a, img, button, summary')) {
    for (const name of ['pointerover', 'mouseover', 'focus', 'mouseenter']) {
      element.dispatchEvent(new Event(name, { bubbles: true }))
    }
  }
  await new Promise(requestAnimationFrame)
  // What fails to load may run code then.
  await Promise.all(Array.from(chat.querySelectorAll('img'), loadedOrFailed))
  const found = [...violationsIn(chat), ...violationsOfPage(before)]
  await view.unmount()
  return [...found, ...(await commands.takeRequests()).map((url) => `request ${url}`)]
}

async function loadedOrFailed(image: HTMLImageElement): Promise<void> {
  if (image.complete) return
  await new Promise((resolve) => {
    image.addEventListener('load', resolve)
    image.addEventListener('error', resolve)
  })
}

const filled = (text: string): string => text.replaceAll('{evil}', evil)
const kinds = [...new Set(XSS_CORPUS.map(({ name }) => name.split(':')[0]!))]

test.each(kinds)(
  'nothing of kind %s runs, loads, leads away or changes the page, wherever it is said',
  { timeout: 120_000 },
  async (kind) => {
    const found: string[] = []
    const ofKind = XSS_CORPUS.filter(({ name }) => name.startsWith(`${kind}:`))
    for (const [index, { name, text }] of ofKind.entries()) {
      // A third of them, as a sample, where there is less time.
      if (!inject('ASSENT_DEEP') && index % 3 !== 0) continue
      const wrong = await offences(filled(text), markdown)
      found.push(...wrong.map((what) => `${name}: ${what}`))
    }
    expect(found).toEqual([])
  },
)

test('the corpus is large', () => {
  expect(XSS_CORPUS.length).toBeGreaterThanOrEqual(60)
})

test('an unsafe renderer is caught', { timeout: 60_000 }, async () => {
  const Unsafe = (props: { text: string }) => h('div', { innerHTML: props.text })
  Unsafe.props = ['text', 'streaming', 'sources']
  const caught = new Map<string, string[]>()
  const names = ['image that fails', 'image from elsewhere', 'style attribute', 'form', 'base']
  for (const { name, text } of XSS_CORPUS) {
    const [kind, short = ''] = name.split(': ')
    if (kind !== 'HTML' || !names.includes(short)) continue
    caught.set(short, await offences(filled(text), { renderer: Unsafe }))
  }
  expect(caught.get('image that fails')!.join()).toContain('code was run')
  expect(caught.get('image from elsewhere')!.join()).toMatch(/request .*evil\/c\.png/)
  expect(caught.get('style attribute')!.join()).toContain('style of')
  expect(caught.get('form')!.join()).toContain('element <form')
  expect(caught.get('base')!.join()).toContain('element <base')
})

test('an image is asked for when the reader wants it, and then only', async () => {
  const messages = everywhere(`![Chart](${evil}/wanted.png)`)
  await mountChat(createChatDouble({ messages: [messages[1]!] }), { config: { markdown } })
  expect(await commands.takeRequests()).toEqual([])
  await page
    .getByRole('button', { name: /^Chart Load image from/ })
    .first()
    .click()
  await expect.poll(() => commands.takeRequests()).toContainEqual(`${evil}/wanted.png`)
})
