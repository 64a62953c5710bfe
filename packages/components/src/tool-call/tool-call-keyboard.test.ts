import { toolPlugin } from '@assent/engine'
import { answer, callTools, scriptedTransport } from '@assent/engine/testing'
import { useMessage } from '@assent/vue'
import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h } from 'vue'
import { z } from 'zod'
import { accessibilityTree, axLine } from '../../test/accessibility-tree.ts'
import { AsChat } from '../chat/index.ts'
import '../style/index.css'

const ran: string[] = []
afterEach(() => {
  ran.length = 0
})

const run = (name: string, inputSchema: z.ZodObject) => ({
  inputSchema,
  execute: (input: unknown) => {
    ran.push(`${name} ${JSON.stringify(input)}`)
    return { ok: true }
  },
})
const call = (toolCallId: string, toolName: string, input: unknown) => ({
  toolCallId,
  toolName,
  input,
})

/** A real conversation with four questions of all kinds; nothing of it is done by pointer. */
async function converse(): Promise<void> {
  const transport = scriptedTransport([
    callTools([
      call('1', 'rename', { path: 'notes/a.md' }),
      call('2', 'write', { path: 'notes/b.md', lines: 3 }),
      call('3', 'send', { to: 'dana@example.com' }),
      call('4', 'remove', { path: 'notes/c.md' }),
    ]),
    answer('All four are dealt with.'),
  ])
  const App = defineComponent(() => {
    const chat = useMessage({
      transport,
      plugins: [
        toolPlugin({
          tools: {
            rename: run('rename', z.object({ path: z.string() })),
            write: run('write', z.object({ path: z.string(), lines: z.int() })),
            send: run('send', z.object({ to: z.string() })),
            remove: run('remove', z.object({ path: z.string() })),
          },
          toolApproval: () => 'user-approval',
          toolOptions: {
            rename: { summary: () => 'Rename a note', risk: 'write' },
            write: {
              summary: () => 'Write a note',
              risk: 'write',
              preview: ({ path }) => ({
                kind: 'diff',
                files: [{ path: String(path), after: 'Rent\n' }],
              }),
            },
            send: { summary: () => 'Send a mail', risk: 'send' },
            remove: { summary: () => 'Remove a note', risk: 'destroy' },
          },
        }),
      ],
    })
    return () => h('div', { style: { blockSize: '800px' } }, h(AsChat, { chat }))
  })
  await page.viewport(800, 850)
  await render(App)
}

const card = (name: string) => page.getByRole('group', { name })
const armed = (name: string) => expect.element(card(name)).toHaveFocus()
/** Until what took the focus takes keys, too. */
const untilArmed = async (name: string): Promise<void> => {
  await armed(name)
  await expect.element(card(name).getByRole('button', { name: 'Deny' })).toBeEnabled()
}

/** Counts the frames in which nothing has the focus, from the first focus on. */
function watchFocus(): () => number {
  let count = 0
  let isOn = true
  const look = (): void => {
    if (!isOn) return
    if (document.activeElement === document.body) count += 1
    requestAnimationFrame(look)
  }
  document.addEventListener('focusin', look, { once: true })
  return () => {
    isOn = false
    return count
  }
}

test('the whole flow is done by keyboard alone, and the focus is never lost', async () => {
  await converse()
  const lost = watchFocus()
  await userEvent.tab()
  while (!(document.activeElement instanceof HTMLTextAreaElement)) await userEvent.tab()
  await userEvent.keyboard('Tidy up{Enter}')
  await expect.element(card('Rename a note')).toBeVisible()
  // The first card, by Tab from the composer backwards or forwards.
  while (!document.activeElement?.closest('[data-slot="ask"]')) {
    await userEvent.keyboard('{Shift>}{Tab}{/Shift}')
  }
  while (
    document.activeElement?.closest('[data-slot="ask"]')?.querySelector('h3')?.textContent !==
    'Rename a note'
  ) {
    await userEvent.keyboard('{Shift>}{Tab}{/Shift}')
  }

  // An always, with its choices. What lies over the cards when it comes makes them arm anew.
  await expect.element(page.getByRole('button', { name: 'Review' })).toBeVisible()
  await expect.element(card('Rename a note').getByRole('button', { name: 'Rename' })).toBeEnabled()
  await userEvent.keyboard('l')
  await expect.element(page.getByRole('radio', { name: /notes\// })).toHaveFocus()
  await userEvent.keyboard('{Tab}{Tab}{Tab}{ArrowRight}{Enter}')

  // An edit in the form, with its diff above it.
  await untilArmed('Write a note')
  await expect.element(page.getByRole('table', { name: /^Changes in notes\/b\.md/ })).toBeVisible()
  const edit = card('Write a note').getByRole('button', { name: 'Edit' })
  while (document.activeElement !== edit.element()) await userEvent.tab()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('textbox', { name: 'path' })).toHaveFocus()
  await userEvent.tab()
  await userEvent.keyboard('{Control>}a{/Control}5')
  const send = card('Write a note').getByRole('button', { name: 'Approve with changes' })
  while (document.activeElement !== send.element()) await userEvent.tab()
  await userEvent.keyboard('{Enter}')

  // A denial with a reason of one's own.
  await untilArmed('Send a mail')
  await userEvent.keyboard('d')
  await expect.element(page.getByRole('button', { name: 'Not now' })).toHaveFocus()
  const other = page.getByRole('button', { name: 'Something else…' })
  while (document.activeElement !== other.element()) await userEvent.tab()
  await userEvent.keyboard('{Enter}')
  await expect
    .element(page.getByRole('textbox', { name: /should the assistant know/ }))
    .toHaveFocus()
  await userEvent.keyboard('I write it myself{Enter}')

  // What cannot be undone is held.
  await untilArmed('Remove a note')
  await userEvent.keyboard('{a>}')
  await expect.element(page.getByText('All four are dealt with.')).toBeVisible()
  await userEvent.keyboard('{/a}')

  expect(ran).toEqual([
    'rename {"path":"notes/a.md"}',
    'write {"path":"notes/b.md","lines":5}',
    'remove {"path":"notes/c.md"}',
  ])
  await expect.poll(() => document.activeElement?.closest('[data-slot="tool-call"]')).not.toBeNull()
  expect(lost()).toBe(0)
  await expect.element(page.getByText(/Denied: I write it myself/)).toBeVisible()
})

/** What the browser tells assistive technology from the first node of a role and name on. */
async function treeOf(role: string, name: string): Promise<string[]> {
  const items = await accessibilityTree()
  const start = items.find((item) => item.role === role && item.name === name)
  return items.filter((item) => item === start || item.within.includes(start!)).map(axLine)
}

test('a key is shown only while it works', async () => {
  await converse()
  await page.getByRole('textbox', { name: 'Message' }).click()
  await userEvent.keyboard('Tidy up{Enter}')
  await expect.element(card('Rename a note')).toBeVisible()
  const shown = () =>
    [...document.querySelectorAll<HTMLElement>('.as-ask .as-kbd:not(.as-kbd-hold), .as-kbd-key')]
      .filter((key) => key.checkVisibility({ visibilityProperty: true }))
      .map((key) => key.innerText)
  await page.getByRole('textbox', { name: 'Message' }).click()
  await expect.poll(shown).toEqual(['F8'])
  await userEvent.keyboard('{F8}')
  await expect.poll(shown).toEqual(['D', 'L', 'A'])
  await untilArmed('Rename a note')
  await userEvent.keyboard('d')
  await expect.poll(shown).toEqual(['D'])
  // There the letter would be typed.
  await page.getByRole('button', { name: 'Something else…' }).click()
  await expect.poll(shown).toEqual([])
})

test('a screen reader is told what is asked, what it shows and what each button is for', async () => {
  await converse()
  await page.getByRole('textbox', { name: 'Message' }).click()
  await userEvent.keyboard('Tidy up{Enter}')
  await expect.element(page.getByRole('table', { name: /^Changes/ })).toBeVisible()
  const frame = await treeOf('group', 'Write a note')
  expect(frame).toEqual([
    'group | Write a note | Changes data write',
    'sectionheader',
    'heading | Write a note',
    'paragraph',
    'code',
    'table | Changes in notes/b.md: 1 line added, 0 removed',
    'caption',
    'row',
    'cell',
    'cell | 1',
    expect.stringMatching(/^cell \| Added: ?Rent$/),
    'button | Show the input',
    'button | Edit | Write a note',
    'button | Deny | Write a note',
    'button | Always… | Write a note',
    'button | Write | Write a note',
  ])
})
