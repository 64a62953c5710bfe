import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { page } from 'vitest/browser'
import { axeFindings } from '../../test/axe-findings.ts'
import { scenes } from '../../test/scenes/scenes.ts'
import { createChatDouble, type ChatDouble } from '../../test/chat-double.ts'
import { mountChat } from '../../test/mount.ts'

beforeEach(() => {
  document.documentElement.lang = 'en'
  document.title = 'Chat'
})
afterEach(() => {
  delete document.documentElement.dataset['theme']
  document.body.style.background = ''
})

async function show(name: string, theme: string, width: number): Promise<ChatDouble> {
  document.documentElement.dataset['theme'] = theme
  document.body.style.background = 'var(--as-ground)'
  const double = createChatDouble(scenes.get(name))
  await mountChat(double, { width, height: 850 })
  return double
}

const themes = ['light', 'dark'] as const

for (const theme of themes) {
  // Where there is less time, a third of the scenes in each theme, others in each, as a sample.
  const isTried = (_name: string, index: number) =>
    inject('ASSENT_DEEP') || index % 3 === themes.indexOf(theme)
  for (const name of [...scenes.keys()].filter(isTried)) {
    test(`axe finds nothing in "${name}", ${theme}`, async () => {
      await show(name, theme, 760)
      expect(await axeFindings()).toEqual([])
    })
  }

  test(`axe finds nothing in opened lines and cards, ${theme}`, async () => {
    await show('lines', theme, 760)
    const closed = () => page.getByRole('button', { expanded: false })
    while (closed().elements().length > 0) await closed().first().click()
    expect(await axeFindings()).toEqual([])
  })

  test(`axe finds nothing in what stands behind opened lines, ${theme}`, async () => {
    await show('provenance', theme, 760)
    const closed = () => page.getByRole('button', { expanded: false })
    while (closed().elements().length > 0) await closed().first().click()
    expect(await axeFindings()).toEqual([])
  })

  test(`axe finds nothing in the forms behind the buttons of a card, ${theme}`, async () => {
    await show('always', theme, 360)
    await page.getByRole('button', { name: 'Always…' }).click()
    await expect.element(page.getByText(/^Would have matched 6/)).toBeVisible()
    expect(await axeFindings()).toEqual([])
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('textbox', { name: 'Input as JSON' }).fill('{')
    await page.getByRole('button', { name: 'Approve with changes' }).click()
    await expect.element(page.getByRole('alert')).toBeVisible()
    expect(await axeFindings()).toEqual([])
  })

  test(`axe finds nothing in a denial, a refusal and a narrow chat, ${theme}`, async () => {
    const double = await show('asks', theme, 360)
    await page.getByRole('button', { name: 'Deny' }).last().click()
    await page.getByRole('button', { name: 'Not now' }).click()
    double.onCommand(() => ({ success: false, error: new Error('Refused') as never }))
    await page.getByRole('button', { name: 'Approve' }).click()
    await expect.element(page.getByRole('alert')).toBeVisible()
    expect(await axeFindings()).toEqual([])
  })
}
