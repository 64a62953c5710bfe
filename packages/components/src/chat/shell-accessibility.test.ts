import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { h } from 'vue'
import { axeFindings } from '../../test/axe-findings.ts'
import { shellScenes } from '../../test/scenes/shell.ts'
import { createChatDouble } from '../../test/chat-double.ts'
import { mountChat } from '../../test/mount.ts'
import AsConversationList from '../conversations/AsConversationList.vue'

const scenes = new Map(shellScenes)

beforeEach(() => {
  document.documentElement.lang = 'en'
  document.title = 'Chat'
})
afterEach(() => {
  delete document.documentElement.dataset['theme']
  document.documentElement.dir = 'ltr'
  document.body.style.background = ''
})

function dress(theme: string): void {
  document.documentElement.dataset['theme'] = theme
  document.body.style.background = 'var(--as-ground)'
}

async function show(name: string, width: number): Promise<void> {
  const scene = scenes.get(name)
  await mountChat(createChatDouble(scene), { width, height: 850, props: scene?.chat ?? {} })
  // What has code of its own has come.
  const lists = [
    ...(scene?.queue ? ['Queued messages'] : []),
    ...(scene?.chat?.files ? ['Attached files'] : []),
  ]
  for (const list of lists)
    await expect.element(page.getByRole('list', { name: list })).toBeVisible()
}

async function showList(width: number): Promise<void> {
  const { conversations = [] } = scenes.get('conversations') ?? {}
  await page.viewport(800, 900)
  await render(() =>
    h('div', { style: `block-size: 800px; inline-size: ${width}px` }, [
      h(AsConversationList, { conversations, activeId: 'c1' }),
    ]),
  )
  await expect.element(page.getByRole('button', { name: /^Trip to Lisbon/ })).toBeVisible()
}

/** What is wider than its place, or stands out of the page. */
function overflowing(): string[] {
  return [...document.querySelectorAll<HTMLElement>('.as-root, .as-root *')]
    .filter((element) => {
      const { overflowX, textOverflow } = getComputedStyle(element)
      const isCut = textOverflow === 'ellipsis' || overflowX === 'auto' || overflowX === 'scroll'
      const isHidden = element.closest('.as-hidden, [hidden], svg') !== null
      // Their items have room for rings at both sides, which is the page's margin.
      const isRoomy = element.matches('.as-list, .as-chat-column')
      if (isRoomy) return element.scrollWidth > element.clientWidth + 16
      return (
        !isCut &&
        !isHidden &&
        element.scrollWidth > element.clientWidth + 1 &&
        element.clientWidth > 0
      )
    })
    .map((element) => `${element.tagName} ${element.className}`)
}

for (const theme of ['light', 'dark']) {
  // Where there is less time, every scene in one of the themes only.
  const isTried = (_name: string, index: number) =>
    inject('ASSENT_DEEP') || index % 2 === (theme === 'light' ? 0 : 1)
  for (const name of [...scenes.keys()].filter(isTried)) {
    test(`axe finds nothing in "${name}", ${theme}`, async () => {
      dress(theme)
      await show(name, 760)
      expect(await axeFindings()).toEqual([])
    })
  }

  test(`axe finds nothing in an opened editor and in what was refused, ${theme}`, async () => {
    dress(theme)
    await show('attachments', 760)
    await page.getByRole('article').first().hover()
    await page.getByRole('article').first().getByRole('button', { name: 'Edit' }).click()
    await expect.element(page.getByRole('textbox', { name: 'Edit your message' })).toBeVisible()
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File([], 'void.txt', { type: 'text/plain' }))
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    page.getByRole('textbox', { name: 'Message', exact: true }).element().dispatchEvent(paste)
    await expect.element(page.getByRole('alert')).toBeVisible()
    expect(await axeFindings()).toEqual([])
  })

  test(`axe finds nothing in the list of conversations, ${theme}`, async () => {
    dress(theme)
    await showList(260)
    expect(await axeFindings()).toEqual([])
    await page.getByRole('button', { name: /^Rename/ }).click()
    await page.getByRole('button', { name: /^Trip to Lisbon/ }).hover()
    await page.getByRole('button', { name: 'Delete “Trip to Lisbon”' }).click()
    await expect.element(page.getByRole('button', { name: 'Cancel' })).toBeVisible()
    expect(await axeFindings()).toEqual([])
  })
}

for (const dir of ['ltr', 'rtl']) {
  test.each([...scenes.keys()])(`nothing is too wide in "%s" at 320 px, ${dir}`, async (name) => {
    document.documentElement.dir = dir
    await show(name, 320)
    expect(overflowing()).toEqual([])
  })
}

test('the list of conversations is laid out from the other side where text is', async () => {
  document.documentElement.dir = 'rtl'
  await showList(260)
  const row = page
    .getByRole('button', { name: /^Which reports/ })
    .element()
    .closest('li')!
  await page.getByRole('button', { name: /^Which reports/ }).hover()
  const actions = row.querySelector('.as-conversation-actions')!
  const gap = actions.getBoundingClientRect().left - row.getBoundingClientRect().left
  expect(gap).toBeLessThan(12)
  expect(overflowing()).toEqual([])
})
