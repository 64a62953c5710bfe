import type { ToolCallPart } from '@assent/engine'
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { approve, edit, settle } from '../../test/asks.ts'
import { createChatDouble } from '../../test/chat-double.ts'
import { AT, assistant, call, decided, denied, executing } from '../../test/fixtures.ts'
import { succeeded, text, withMetadata } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import { toolGroups } from './tool-groups.ts'

const open = (id: string, name = 'read_file'): ToolCallPart =>
  call(name, id, { state: 'input-available', input: { path: `${id}.ts` } })
const done = (id: string, name?: string): ToolCallPart => succeeded(open(id, name), 'text', 80)
const failed = withMetadata(
  { ...open('f'), state: 'output-error', errorText: 'No such file' } as never,
  { startedAt: AT, endedAt: AT },
)
const group = (count: number) =>
  page.getByRole('button', { name: new RegExp(`^Read ${count} files`) })
const folded = (...parts: Parameters<typeof toolGroups>[0]) =>
  toolGroups(parts).map((one) => [...one.folded])

describe('the groups of a message', () => {
  test('are three done calls or more that follow each other', () => {
    expect(folded(done('1'), done('2'))).toEqual([])
    expect(folded(done('1'), done('2'), done('3'))).toEqual([[0, 1, 2]])
    const step = { type: 'step-start' } as const
    expect(folded(done('1'), step, done('2'), step, done('3'), text('Then'), done('4'))).toEqual([
      [0, 1, 2, 3, 4],
    ])
  })

  test('never hold a call that asks, was asked about, failed, was denied or runs', () => {
    for (const other of [
      edit,
      failed,
      denied(edit),
      succeeded(decided(edit, true), 1),
      withMetadata(done('5'), { failure: 'Exit code 1' }),
      text('So far'),
    ]) {
      expect(folded(done('1'), done('2'), other, done('3'), done('4'))).toEqual([])
    }
    const [running] = toolGroups([done('1'), executing(open('2')), done('3'), done('4')])
    expect(running).toMatchObject({ start: 0, running: 1 })
    expect([...(running?.folded ?? [])]).toEqual([0, 2, 3])
  })

  test('keep their key while calls are added', () => {
    const parts = [done('1'), done('2'), done('3')]
    const [before] = toolGroups(parts)
    const [after] = toolGroups([...parts, done('4')])
    expect(after?.key).toBe(before?.key)
  })
})

describe('done lines', () => {
  test('are one line that says what was done how often and how long it took', async () => {
    const parts = [done('1'), done('2'), done('3'), done('4', 'search_files')]
    await mountChat(createChatDouble({ messages: [assistant('a1', ...parts)] }))
    await expect
      .element(page.getByRole('button', { name: /^Read 3 files · Search files/ }))
      .toBeVisible()
    expect(slotElement('tool-group').innerText).toMatch(/80ms/)
    for (const line of document.querySelectorAll<HTMLElement>('[data-slot="line"]')) {
      expect(line.checkVisibility()).toBe(false)
    }
  })

  test('are shown on demand, and stay shown while more come', async () => {
    const double = createChatDouble({
      requestState: 'processing',
      messages: [assistant('a1', done('1'), done('2'), done('3'), executing(open('4')))],
    })
    await mountChat(double)
    await expect
      .element(page.getByRole('button', { name: /^Read 3 files · 1 running/ }))
      .toBeVisible()
    const line = (name: string) =>
      page.getByRole('button', { name: new RegExp(`^Read file ${name}`) })
    await expect.element(line('4.ts')).toBeVisible()
    await expect.element(line('1.ts')).not.toBeInTheDocument()
    slotElement('tool-group').querySelector('button')?.focus()
    await userEvent.keyboard('{Enter}')
    await expect.element(line('1.ts')).toBeVisible()
    settle(double, '4', (part) => succeeded(part, 'text'))
    await expect.element(group(4)).toHaveAttribute('aria-expanded', 'true')
    await expect.element(line('4.ts')).toBeVisible()
  })

  test('do not take the focus with them when they fold', async () => {
    const double = createChatDouble({
      requestState: 'processing',
      messages: [assistant('a1', done('1'), done('2'), executing(open('3')))],
    })
    await mountChat(double)
    const last = page.getByRole('button', { name: /^Read file 3\.ts/ })
    await last.click()
    await expect.element(last).toHaveFocus()
    settle(double, '3', (part) => succeeded(part, 'text'))
    await expect.element(group(3)).toHaveFocus()
  })

  test('leave a card that asks where it is, from the question to the receipt', async () => {
    const double = createChatDouble({
      requestState: 'paused',
      messages: [assistant('a1', done('1'), done('2'), done('3'), edit)],
    })
    await mountChat(double)
    await expect.element(approve()).toBeEnabled()
    const card = slotElement('ask')
    settle(double, 'c2', (part) => succeeded(decided(part, true), 1))
    await expect.poll(() => slotElement('receipt').innerText).toMatch(/Done/)
    expect(slotElement('ask')).toBe(card)
    await expect.element(group(3)).toBeVisible()
  })
})
