import type { ToolPreview } from '@assent/engine'
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h } from 'vue'
import { approve, commands, edit, paused, settle } from '../../test/asks.ts'
import { createChatDouble } from '../../test/chat-double.ts'
import { assistant, ask, elsewhere, succeeded, withMetadata } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

const previewed = (preview: ToolPreview) => withMetadata(edit, { preview })
const before = Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n')
const diff = previewed({
  kind: 'diff',
  files: [{ path: 'README.md', before, after: before.replace('line 10', 'line ten') }],
})
const words = (element: HTMLElement): string => element.innerText.replaceAll(/\s+/g, ' ').trim()

async function shown(): Promise<HTMLElement> {
  await expect.poll(() => document.querySelector('[data-slot="preview"]')).not.toBeNull()
  return slotElement('preview')
}

describe('the preview of a call that asks', () => {
  test('is a diff that says in words what is added and removed', async () => {
    await mountChat(paused(diff))
    const table = page.getByRole('table', { name: 'Changes in README.md: 1 line added, 1 removed' })
    await expect.element(table).toBeVisible()
    const rows = table
      .getByRole('row')
      .elements()
      .map((row) => row.textContent?.trim())
    expect(rows).toContain('11Removed:line 10')
    expect(rows).toContain('11Added:line ten')
    expect([...document.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual([
      '10',
      'ten',
    ])
  })

  test('says of a file without a line what that means', async () => {
    const files = [
      { path: 'a', before: '' },
      { path: 'b', after: '' },
    ]
    await mountChat(paused(previewed({ kind: 'diff', files })))
    expect(words(await shown())).toBe('a deleted +0 −0 It is empty b new file +0 −0 It is empty')
  })

  test('is shown when it comes after its question', async () => {
    const double = paused(edit)
    await mountChat(double)
    await expect.element(page.getByRole('group', { name: /README/ })).toBeVisible()
    expect(document.querySelector('[data-slot="preview"]')).toBeNull()
    settle(double, 'c2', () => diff)
    await shown()
  })

  test('opens what a diff has folded by keyboard, and keeps the focus there', async () => {
    await mountChat(paused(diff))
    const unfold = page.getByRole('button', { name: 'Show 7 unchanged lines' })
    await expect.element(unfold).toBeVisible()
    ;(unfold.element() as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText('line 3', { exact: true })).toBeVisible()
    expect(document.activeElement?.textContent).toContain('line 0')
  })

  test('shows a command whole, and what it would change below it', async () => {
    const files = [{ path: 'a.txt', before: 'x\n' }]
    const rights = 'It may change files of the workspace.'
    await mountChat(paused(previewed({ kind: 'command', command: 'rm a.txt', rights, files })))
    await expect.element(page.getByRole('table', { name: /a\.txt/ })).toBeVisible()
    const kinds = [...document.querySelectorAll('[data-slot="preview"]')].map((one) => [
      one.getAttribute('data-kind'),
      one.textContent?.includes('new file'),
    ])
    expect(kinds).toEqual([
      ['command', false],
      ['diff', false],
    ])
    const shown = document.querySelector('[data-kind="command"]')?.textContent
    expect(shown).toContain('rm a.txt')
    expect(shown).toContain(rights)
  })

  test('has the input beside it, on demand', async () => {
    await mountChat(paused(diff))
    await shown()
    expect(document.querySelector('[data-slot="evidence"]')).toBeNull()
    const more = page.getByRole('button', { name: 'Show the input' })
    await more.click()
    expect(words(slotElement('evidence'))).toBe('path README.md')
    await expect.element(page.getByRole('button', { name: 'Hide the input' })).toHaveFocus()
  })

  test('shows hidden characters and hosts in disguise', async () => {
    await mountChat(
      paused(previewed({ kind: 'command', command: `ls\u202e${' '.repeat(40)}; curl аpple.com` })),
    )
    expect(words(await shown())).toBe('lsRLO40 spaces; curl аpple.comxn--pple-43d.com')
  })

  test('is taken from a server only as far as it is one', async () => {
    const request = { kind: 'request', method: 'delete', url: 'https://x@api.example.com/v1' }
    await mountChat(paused(elsewhere(edit, { preview: request })))
    expect(words(await shown())).toBe('DELETE https://x@api.example.com/v1')
    expect(slotElement('preview').querySelector('.as-request-address b')?.textContent).toBe(
      'api.example.com',
    )
    await expect.element(page.getByText('This preview comes from the server')).toBeVisible()
  })

  test('is the input where it is none', async () => {
    await mountChat(paused(elsewhere(edit, { preview: { kind: 'odd', html: '<b>x</b>' } })))
    await expect.element(approve()).toBeEnabled()
    expect(words(slotElement('evidence'))).toBe('path README.md')
  })

  test('may come from the app, which does not break when that throws', async () => {
    const config = {
      tools: {
        edit_file: { preview: () => ({ kind: 'text' as const, text: 'A new title' }) },
        write_note: {
          preview: () => {
            throw new Error('no such field')
          },
        },
      },
    }
    const note = ask('write_note', 'c9', { title: 'Rent' })
    await mountChat(paused(edit, note), { config })
    await expect.element(page.getByText('A new title')).toBeVisible()
    await expect.element(page.getByText('Rent', { exact: true }).last()).toBeVisible()
  })

  test('is the tool’s own slot, where there is one', async () => {
    const slots = {
      'tool-edit_file-preview': ({ part }: { part: { input: { path: string } } }) =>
        h('p', `The title of ${part.input.path}`),
    }
    await mountChat(paused(diff), { slots: slots as never })
    await expect.element(page.getByText('The title of README.md')).toBeVisible()
    expect(document.querySelector('[data-slot="preview"]')).toBeNull()
    await expect.element(approve()).toBeVisible()
  })

  test('makes the buttons begin anew when it moves them', async () => {
    const double = paused(diff)
    await mountChat(double)
    await shown()
    slotElement('approve').click()
    expect(commands(double)).toEqual([])
    await expect.element(approve()).toBeEnabled()
  })

  test('stays with the call when it is done', async () => {
    const { toolMetadata } = diff
    const done = { ...succeeded(edit, 'Saved'), toolMetadata } as typeof edit
    await mountChat(createChatDouble({ messages: [assistant('a1', done)] }))
    await page.getByRole('button', { name: /Change the title/ }).click()
    await expect.element(page.getByRole('table')).toBeVisible()
  })
})

describe('a long value', () => {
  const text = `${'a line of a plan\n'.repeat(60)}send it to https://collect.example.org`

  test('is folded, but not the hosts in it, and opens by keyboard', async () => {
    await mountChat(paused(ask('write_note', 'c1', { path: 'a.md', text })))
    const unfold = page.getByRole('button', { name: 'Show all 61 lines' })
    await expect.element(unfold).toBeVisible()
    expect(words(slotElement('telling'))).toBe('Also in the rest: https://collect.example.org')
    ;(unfold.element() as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('button', { name: 'Show less' })).toHaveFocus()
    expect(slotElement('evidence').innerText).toContain('send it to https://collect')
  })
})
