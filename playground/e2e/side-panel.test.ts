import { expect, inject, test } from 'vitest'
import { previewPlayground } from './playground.ts'
import { setScene } from './scene.ts'
import { visit } from './visit.ts'

const scene = setScene(() => previewPlayground(inject('builtPage'), { ASSENT_DEMO_SPEED: '200' }))

test('“Stop everything” keeps the focus, and its words follow what is paused', async () => {
  const here = await scene.visit()
  const { page } = here
  const stop = page.getByRole('button', { name: 'Stop everything' })
  await stop.click()
  // Nothing ran that could have been stopped.
  await page.getByText('Stopped in all tabs of this browser.').waitFor()
  await here.say('Write a note called “Packing” saying “hat”')
  await here.until('paused')
  const fixed = page.getByText('Can be changed when nothing runs or waits.')
  await expect.poll(() => fixed.count()).toBe(2)
  await here.always('Write the note “Packing”', { which: 'All calls of write_note' })
  await here.until('completed')
  await expect.poll(() => fixed.count()).toBe(0)

  const words = page.getByText('Permissions stay paused until you resume them.')
  await stop.click()
  await words.waitFor()
  expect(await stop.evaluate((button) => button === document.activeElement)).toBe(true)
  await page.getByRole('button', { name: 'Resume' }).click()
  await words.waitFor({ state: 'detached' })
  await page.getByText('Ends replies and tools').waitFor()
})

test('“Stop everything” stops what another tab of this browser has open', async () => {
  const here = await scene.visit()
  const other = await visit(here.page.context(), scene.url)
  await other.say('Write a note called “Packing” saying “hat”')
  await other.until('paused')
  await here.page.getByRole('button', { name: 'Stop everything' }).click()
  await other.until('aborted')
  await here.page.getByText('Stopped in all tabs of this browser.').waitFor()
  expect(await other.page.getByText('Stopped in all tabs of this browser.').count()).toBe(0)
})

test('more suggestions take the focus of the button that showed them', async () => {
  const { page } = await scene.visit()
  const examples = page.getByRole('list', { name: 'Examples' }).getByRole('button')
  const few = await examples.count()
  await page.getByRole('button', { name: /^\d+ more$/ }).click()
  await expect
    .poll(() => examples.nth(few).evaluate((button) => button === document.activeElement))
    .toBe(true)
})
