import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { render } from 'vitest-browser-vue'
import { defineComponent, h } from 'vue'
import { axeFindings } from '../../test/axe-findings.ts'
import ApprovalPanels from '../../test/scenes/ApprovalPanels.vue'
import {
  button,
  frames,
  mountApprovalChat,
  readThrough,
  row,
  tray,
} from '../../test/approval-chat.ts'
import { slotElement } from '../../test/mount.ts'

const WAITING = ['write:a', 'send:b', 'wipe:c', 'question:d']

beforeEach(() => {
  document.documentElement.lang = 'en'
  document.title = 'Chat'
})
afterEach(() => {
  const { documentElement } = document
  delete documentElement.dataset['theme']
  documentElement.removeAttribute('dir')
  document.body.style.background = ''
})

/** The page shows each panel filled and empty, and no conversation above them. */
const findings = () => axeFindings('heading-order', 'landmark-unique')

function inTheme(theme: string): void {
  document.documentElement.dataset['theme'] = theme
  document.body.style.background = 'var(--as-ground)'
}

describe.each(['light', 'dark'])('in %s, axe finds nothing', (theme) => {
  test.each([760, 320])(
    'in the strip, the rows and the questions about all, %i pixels wide',
    async (width) => {
      inTheme(theme)
      await mountApprovalChat(WAITING, { width })
      await readThrough()
      await expect.element(tray()).toBeVisible()
      expect(await findings()).toEqual([])
      await button('Review').click()
      await expect.element(row('Write a')).toBeVisible()
      expect(await findings()).toEqual([])
      await row('Send b').getByRole('button', { name: 'Deny' }).click()
      await expect.element(row('Send b').getByRole('button', { name: 'Not now' })).toBeVisible()
      expect(await findings()).toEqual([])
      await button(/^Approve 2/).click()
      await expect.element(button('Approve 2')).toBeEnabled()
      expect(await findings()).toEqual([])
    },
  )

  test.each(['policies', 'audit'] as const)('in the panel of %s', async (panel) => {
    inTheme(theme)
    await render(defineComponent(() => () => h(ApprovalPanels, { panel })))
    const first = () =>
      document.querySelector<HTMLElement>('[data-slot="revoke"], [data-slot="audit-summary"]')
    await expect.poll(first).not.toBeNull()
    expect(await findings()).toEqual([])
    for (const summary of document.querySelectorAll<HTMLElement>('[data-slot="audit-summary"]')) {
      summary.click()
    }
    if (panel === 'policies') first()?.click()
    await frames(2)
    expect(await findings()).toEqual([])
  })
})

test('is to a screen reader a region of named groups, in the order of the page', async () => {
  await mountApprovalChat(WAITING)
  await button('Review').click()
  await expect.element(row('Write a')).toHaveFocus()
  await expect.element(button(/^Approve 2/)).toBeEnabled()
  await expect.element(tray()).toMatchAriaInlineSnapshot(`
    - region "Needs you":
      - list:
        - listitem:
          - group "Write a"
        - listitem:
          - group "Send b"
        - listitem:
          - group "Wipe c"
        - listitem:
          - group "Question d"
      - button "Deny all 4…"
      - paragraph: 4 actions need you
      - button "Hide" [expanded]
      - button /Approve \\d reviewed…/
  `)
})

test.each(['ltr', 'rtl'])('fits in 320 pixels, %s', async (dir) => {
  document.documentElement.dir = dir
  await mountApprovalChat(WAITING, { width: 320 })
  await expect.element(tray()).toBeVisible()
  const overflows = () =>
    [...slotElement('approval-tray').querySelectorAll<HTMLElement>('*')]
      .filter((element) => !element.closest('.as-hidden, .as-pending'))
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.left < -0.5 || box.right > 320.5))
      .map(({ element }) => element.outerHTML.slice(0, 80))
  expect(overflows()).toEqual([])
  await button('Review').click()
  await expect.element(row('Write a')).toBeVisible()
  expect(overflows()).toEqual([])
  const [dot, review] = [slotElement('tray-strip'), slotElement('review')].map((element) =>
    element.getBoundingClientRect(),
  )
  // The count begins the line, the buttons end it.
  const isAtEnd = (review?.left ?? 0) > (dot?.left ?? 0) + 100
  expect(isAtEnd).toBe(dir === 'ltr')
})
