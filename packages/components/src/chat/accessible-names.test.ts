import { beforeAll, describe, expect, inject, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h } from 'vue'
import { accessibilityTree, axLine, type AxItem } from '../../test/accessibility-tree.ts'
import { frames } from '../../test/approval-chat.ts'
import { edit, note, paused, remove } from '../../test/asks.ts'
import { createChatDouble } from '../../test/chat-double.ts'
import { mountChat } from '../../test/mount.ts'
import ApprovalPanels from '../../test/scenes/ApprovalPanels.vue'
import { scenes } from '../../test/scenes/scenes.ts'
import { loadMarkdown } from '../markdown/markdown-code.ts'
import { loadForms } from '../tool-call/load-forms.ts'

beforeAll(() => Promise.all([loadMarkdown(), loadForms(), import('../tool-call/preview/index.ts')]))

/** What is named by what it holds. */
const NAMED_BY_CONTENT = new Set(['button', 'link', 'heading', 'radio', 'checkbox', 'option'])
/** What nobody finds without a name. */
const NEED_NAMES = new Set([
  'button',
  'link',
  'group',
  'region',
  'dialog',
  'table',
  'textbox',
  'searchbox',
  'combobox',
  'radio',
  'checkbox',
])

/** The texts that stand in the page by themselves: what is in a name was in one of them. */
function textsOfPage(): string[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const texts: string[] = []
  while (walker.nextNode()) texts.push(walker.currentNode.textContent ?? '')
  for (const element of document.querySelectorAll('[aria-label], [alt], [title]')) {
    const { ariaLabel, title } = element as HTMLElement
    texts.push(ariaLabel ?? '', title, element.getAttribute('alt') ?? '')
  }
  return texts
}

/** Two words of two texts that have become one: "ApprovedDeploy". */
function jams(items: readonly AxItem[]): string[] {
  const texts = textsOfPage()
  // Hidden characters are labels in the middle of a word.
  const labels = [...document.querySelectorAll('.as-hidden-character')].map(
    (one) => one.textContent,
  )
  return items
    .filter(({ role }) => NAMED_BY_CONTENT.has(role))
    .flatMap((item) =>
      item.name
        .split(/\s+/)
        .filter((word) => /\p{Ll}\p{Lu}|\p{L}\d{1,2}:\d\d/u.test(word))
        .filter((word) => !labels.some((label) => word.includes(label)))
        .filter((word) => !texts.some((text) => text.includes(word)))
        .map((word) => `${axLine(item)} → ${word}`),
    )
}

function faultsOf(items: readonly AxItem[]): string[] {
  const nameless = items
    .filter(({ role, name }) => NEED_NAMES.has(role) && name.trim() === '')
    // What unfolds is named by what unfolds it, and a table of an answer by the region that scrolls it.
    .filter(
      (item) =>
        !items.some((one) => one.role === 'DisclosureTriangle' && one.within.at(-1) === item),
    )
    .filter(({ role, within }) => role !== 'table' || !within.at(-1)?.name)
    .map((item) => `no name: ${item.within.map(axLine).slice(-2).join(' > ')} > ${item.role}`)
  const lists = items
    .filter(({ role, name, within }) => role === 'list' && name === '' && !isContent(within))
    .map((item) => `no name: ${item.within.map(axLine).slice(-2).join(' > ')} > list`)
  const repeated = items
    .filter(({ name, description }) => description !== '' && name.includes(description))
    .map((item) => `says it twice: ${axLine(item)}`)
  // Whoever jumps from button to button hears a name, a description and what they are in.
  const places = new Map<string, number>()
  for (const { role, name, description, within } of items) {
    if (role !== 'button') continue
    const around = within.findLast(({ role: outer }) => OBJECTS.has(outer))
    const place = around ? `${items.indexOf(around)} ${axLine(around)}` : ''
    const heard = `${name} | ${description} < ${place}`
    places.set(heard, (places.get(heard) ?? 0) + 1)
  }
  const alike = [...places].filter(([, count]) => count > 1).map(([heard]) => `alike: ${heard}`)
  return [...new Set([...nameless, ...lists, ...repeated, ...alike, ...jams(items)])]
}

const OBJECTS = new Set(['group', 'article', 'listitem', 'region', 'form', 'table', 'dialog'])
/** What an answer says: its lists are the model's. */
const isContent = (within: readonly AxItem[]): boolean =>
  within.some(({ role }) => role === 'article')

/** The rest of them in the deep run: a scene in another look has the same names. */
const names = [...scenes.keys()].filter((_, index) => inject('ASSENT_DEEP') || index % 3 === 0)

test.each(names)('every name of "%s" is whole, and says what it is about', async (name) => {
  const scene = scenes.get(name)
  if (!scene) throw new Error(`There is no scene ${name}.`)
  await mountChat(createChatDouble(scene), { props: scene.chat ?? {} })
  await frames(4)
  expect(faultsOf(await accessibilityTree())).toEqual([])
})

test.each(['policies', 'audit'] as const)('so are those in the panel of %s', async (panel) => {
  await render(defineComponent(() => () => h(ApprovalPanels, { panel })))
  await expect.poll(() => document.querySelectorAll('button').length).toBeGreaterThan(1)
  expect(faultsOf(await accessibilityTree())).toEqual([])
})

describe('a card that asks', () => {
  const buttonsIn = async (group: string): Promise<AxItem[]> =>
    (await accessibilityTree()).filter(
      ({ role, within }) =>
        role === 'button' && within.some((outer) => outer.role === 'group' && outer.name === group),
    )

  test('names its object with every button that decides', async () => {
    await mountChat(paused(note, edit, remove))
    await expect.element(page.getByRole('group', { name: 'Delete 2 files' })).toBeVisible()
    for (const group of ['Write note Rent', 'Change the title in README.md', 'Delete 2 files']) {
      const buttons = (await buttonsIn(group)).filter(({ name }) => !name.startsWith('Show'))
      expect(buttons.length).toBeGreaterThan(3)
      for (const { name, description } of buttons) {
        expect(`${name}: ${description}`).toContain(group)
      }
    }
  })

  test('says of a button that is held that it is, before the first press', async () => {
    await mountChat(paused(remove))
    await expect.element(page.getByRole('group', { name: 'Delete 2 files' })).toBeVisible()
    const described = async () =>
      (await buttonsIn('Delete 2 files')).find(({ name }) => name === 'Delete')?.description
    await expect.poll(described).toBe('Delete 2 files hold')
  })
})

test('what is looked for is found', () => {
  const item = (role: string, name: string, description = ''): AxItem => ({
    role,
    name,
    description,
    within: [],
  })
  expect(
    faultsOf([
      item('button', 'Write noteRent'),
      item('button', ''),
      item('table', ''),
      item('list', ''),
      item('button', 'Edit a', 'Edit a'),
      item('button', 'Cancel'),
      item('button', 'Cancel'),
    ]),
  ).toEqual([
    'no name:  > button',
    'no name:  > table',
    'no name:  > list',
    'says it twice: button | Edit a | Edit a',
    'alike: Cancel |  < ',
    'button | Write noteRent → noteRent',
  ])
})
