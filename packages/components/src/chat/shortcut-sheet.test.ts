import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { commands, edit, note, paused, remove } from '../../test/asks.ts'
import { axeFindings } from '../../test/axe-findings.ts'
import { createChatDouble } from '../../test/chat-double.ts'
import { assistant, text, user } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import { zhCN } from '../locale/zh-cn.ts'
import { loadMarkdown } from '../markdown/markdown-code.ts'
import { loadForms } from '../tool-call/load-forms.ts'

beforeAll(() => Promise.all([loadMarkdown(), loadForms(), import('./chat-keys.ts')]))

const outside: HTMLElement[] = []
afterEach(() => outside.splice(0).forEach((element) => element.remove()))

const talk = (...parts: Parameters<typeof paused>) =>
  createChatDouble({
    requestState: 'paused',
    messages: [user('u', 'Tidy up'), assistant('a1', text('Right away.'), ...parts)],
  })
const sheet = () => page.getByRole('dialog', { name: 'Keyboard shortcuts' })
const field = () => page.getByRole('textbox', { name: 'Message' })
const focusList = () => slotElement('scroller').focus()
/** The keys of the chat are there once a hint is, and until then nothing is to be pressed. */
const untilListening = async () => {
  await expect.poll(() => slotElement('ask').getAttribute('aria-keyshortcuts')).not.toBeNull()
}
/** Each key of the sheet with what it is said to do. */
const listed = () =>
  [...document.querySelectorAll('.as-sheet-key')].map((row) => [
    [...row.querySelectorAll('kbd')].map((key) => key.textContent).join(' '),
    row.querySelector('dd')?.textContent,
  ])

describe('the sheet of shortcuts', () => {
  test('is shown by ?, takes the focus, and gives it back', async () => {
    await mountChat(talk(note))
    await untilListening()
    focusList()
    await userEvent.keyboard('?')
    await expect.element(sheet()).toBeVisible()
    await expect.element(sheet().getByRole('button', { name: 'Close' })).toHaveFocus()
    expect(await axeFindings()).toEqual([])
    await userEvent.keyboard('{Escape}')
    await expect.element(sheet()).not.toBeInTheDocument()
    await expect.poll(() => document.activeElement).toBe(slotElement('scroller'))
    // What is behind it takes no key while it is open.
    await userEvent.keyboard('?')
    await expect.element(sheet()).toBeVisible()
    await userEvent.keyboard('adlj?{F8}')
    expect(document.querySelectorAll('[data-slot="shortcuts"]')).toHaveLength(1)
    await sheet().getByRole('button', { name: 'Close' }).click()
    await expect.element(sheet()).not.toBeInTheDocument()
  })

  test('is no key where somebody writes, in another part of the page, or without shortcuts', async () => {
    const rendered = await mountChat(talk(note))
    await untilListening()
    await field().click()
    await userEvent.keyboard('?')
    await expect.element(field()).toHaveValue('?')
    outside.push(document.body.appendChild(document.createElement('button')))
    outside[0]?.focus()
    await userEvent.keyboard('?')
    expect(document.querySelector('[data-slot="shortcuts"]')).toBeNull()
    await rendered.unmount()
    await mountChat(talk(note), { config: { shortcuts: false } })
    await untilListening()
    focusList()
    await userEvent.keyboard('?')
    // The next key that works shows that this one was nothing.
    await userEvent.keyboard('{F8}')
    await expect.element(page.getByRole('group', { name: /Write note/ })).toHaveFocus()
    expect(document.querySelector('[data-slot="shortcuts"]')).toBeNull()
  })

  test('lists the keys as they are set here, in the language of the chat', async () => {
    await mountChat(talk(note), {
      config: { locale: zhCN, nextKey: 'Alt+N', always: false },
      props: { composer: { sendKey: 'mod+enter' } },
    })
    await untilListening()
    focusList()
    await userEvent.keyboard('?')
    await expect.element(page.getByRole('dialog', { name: '键盘快捷键' })).toBeVisible()
    const keys = listed().map(([key]) => key)
    expect(keys).toContain('Alt+N')
    expect(keys).toContain('Ctrl+Enter ⌘+Enter')
    expect(keys).not.toContain('L')
    expect(keys).not.toContain('F8')
  })
})

/** What is to be seen after each key of the sheet was pressed, by what the sheet says of it. */
const DOES: Record<string, (double: ReturnType<typeof talk>) => Promise<unknown>> = {
  'Go to the next call that needs you': async () => {
    await field().click()
    await userEvent.keyboard('{F8}')
    await expect.element(page.getByRole('group', { name: /Write note/ })).toHaveFocus()
  },
  'Show this list': async () => {
    focusList()
    await userEvent.keyboard('?')
    await expect.element(sheet()).toBeVisible()
  },
  'Approve. Hold it if it can’t be undone': async (double) => {
    await untilReady('Write note')
    await userEvent.keyboard('a')
    await expect.poll(() => commands(double)).toHaveLength(1)
    expect(commands(double)[0]).toMatchObject(['tool', 'resumeToolCall', { outcome: 'yes' }])
  },
  Deny: async () => {
    await untilReady('Write note')
    await userEvent.keyboard('d')
    await expect.element(page.getByRole('button', { name: 'Not now' })).toHaveFocus()
  },
  'Always allow…': async () => {
    await untilReady('Write note')
    await userEvent.keyboard('l')
    await expect.element(page.getByRole('button', { name: 'Always allow' })).toBeVisible()
  },
  'Back, or undo': async () => {
    await untilReady('Write note')
    await userEvent.keyboard('d')
    await expect.element(page.getByRole('button', { name: 'Not now' })).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(card('Write note').getByRole('button', { name: 'Deny' })).toHaveFocus()
  },
  'Next message': async () => {
    focusList()
    await userEvent.keyboard('j')
    await expect.poll(() => document.activeElement).toBe(slotElement('bubble'))
  },
  'Previous message': async () => {
    focusList()
    await userEvent.keyboard('jjk')
    await expect.poll(() => document.activeElement).toBe(slotElement('bubble'))
  },
  Send: async (double) => {
    await field().fill('Go on')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => double.calls.map(({ method }) => method)).toContain('sendMessage')
  },
  'New line': async () => {
    await field().fill('a')
    await userEvent.keyboard('{Shift>}{Enter}{/Shift}')
    await expect.element(field()).toHaveValue('a\n')
  },
  'Your last message, when the field is empty': async () => {
    await field().click()
    await userEvent.keyboard('{ArrowUp}')
    await expect.element(field()).toHaveValue('Tidy up')
  },
}

const card = (name: string) => page.getByRole('group', { name: new RegExp(name) })
async function untilReady(name: string): Promise<void> {
  await expect.element(card(name).getByRole('button', { name: /^Write/ })).toBeEnabled()
  document.querySelector<HTMLElement>('[data-slot="ask"]')?.focus()
}

describe('every key that the sheet names', () => {
  test('is one that is pressed below', async () => {
    await mountChat(talk(note))
    await untilListening()
    focusList()
    await userEvent.keyboard('?')
    await expect.element(sheet()).toBeVisible()
    expect(listed().map(([, does]) => does)).toEqual(expect.arrayContaining(Object.keys(DOES)))
    expect(listed()).toHaveLength(Object.keys(DOES).length)
  })

  test.each(Object.entries(DOES))('does what it says: %s', async (_, press) => {
    const double = talk(note)
    await mountChat(double, { props: { tray: false } })
    await untilListening()
    await expect(press(double)).resolves.toBeUndefined()
  })
})

/** Which hints are to be seen in a card, in each of its states. */
const hints = (index = 0) =>
  [...slotElement('ask', index).querySelectorAll<HTMLElement>('.as-kbd')]
    .filter((key) => key.checkVisibility({ visibilityProperty: true }))
    .map((key) => key.innerText.replaceAll(/\s+/g, ' ').trim())

describe('every hint on a card', () => {
  test('of a call that can be undone is pressed, and does what its button says', async () => {
    for (const [hint, seen] of [
      ['A', () => expect.poll(() => slotElement('approve').ariaBusy).toBe('true')],
      ['D', () => expect.element(page.getByRole('button', { name: 'Not now' })).toHaveFocus()],
      ['L', () => expect.element(page.getByRole('button', { name: 'Always allow' })).toBeVisible()],
    ] as const) {
      const double = paused(edit)
      double.onCommand(() => new Promise(() => {}))
      const rendered = await mountChat(double, { props: { tray: false } })
      await expect
        .element(page.getByRole('button', { name: 'Edit', exact: true }).last())
        .toBeEnabled()
      await expect.poll(() => slotElement('approve').ariaDisabled).toBeNull()
      slotElement('ask').focus()
      expect(hints()).toEqual(['D', 'L', 'A'])
      await userEvent.keyboard(hint.toLowerCase())
      await seen()
      await rendered.unmount()
    }
  })

  test('of a call that cannot be undone is held, and a short press does nothing', async () => {
    const double = paused(remove)
    await mountChat(double, { props: { tray: false } })
    await expect.poll(() => slotElement('approve').ariaDisabled).toBeNull()
    slotElement('ask').focus()
    expect(hints()).toEqual(['D', 'L', 'hold A'])
    await userEvent.keyboard('a')
    await expect.poll(() => slotElement('approve').innerText).toContain('Hold: Delete')
    expect(commands(double)).toEqual([])
    await userEvent.keyboard('{a>}')
    await expect.poll(() => commands(double)).toHaveLength(1)
    await userEvent.keyboard('{/a}')
  })

  test('goes where its key is typed, and comes back with the buttons', async () => {
    await mountChat(paused(edit), { props: { tray: false } })
    await expect.poll(() => slotElement('approve').ariaDisabled).toBeNull()
    slotElement('ask').focus()
    await userEvent.keyboard('d')
    await expect.element(page.getByRole('button', { name: 'Not now' })).toHaveFocus()
    expect(hints()).toEqual(['D'])
    await page.getByRole('button', { name: 'Something else…' }).click()
    expect(hints()).toEqual([])
    await userEvent.keyboard('adl')
    expect(slotElement('deny-form').querySelector('textarea')?.value).toBe('adl')
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('button', { name: 'Deny', exact: true })).toHaveFocus()
    expect(hints()).toEqual(['D', 'L', 'A'])
  })
})

describe('without "Always…"', () => {
  test.each([
    ['as a whole', { always: false }],
    ['for the tool', { tools: { edit_file: { always: false } } }],
  ])('no card offers it, by button, key or hint: %s', async (_, config) => {
    await mountChat(paused(edit), { config, props: { tray: false } })
    await expect.poll(() => slotElement('approve').ariaDisabled).toBeNull()
    slotElement('ask').focus()
    expect(hints()).toEqual(['D', 'A'])
    await userEvent.keyboard('l')
    await userEvent.keyboard('d')
    await expect.element(page.getByRole('button', { name: 'Not now' })).toHaveFocus()
    expect(document.querySelector('[data-slot="always-form"]')).toBeNull()
  })

  test('other tools offer it all the same', async () => {
    await mountChat(paused(note), { config: { tools: { edit_file: { always: false } } } })
    await expect.element(page.getByRole('button', { name: 'Always…' })).toBeVisible()
  })
})
