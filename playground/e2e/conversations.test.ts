import { readFile } from 'node:fs/promises'
import { expect, inject, test } from 'vitest'
import { previewPlayground } from './playground.ts'
import { setScene } from './scene.ts'
import { randomWord, type Visit } from './visit.ts'

const scene = setScene(() => previewPlayground(inject('builtPage'), { ASSENT_DEMO_SPEED: '20' }))
const LONG = 'Write a long answer about asking before acting'
const WRITE = 'Write the note “Packing”'

const list = ({ page }: Visit) => page.getByRole('navigation', { name: 'Conversations' })
/** The entry of a conversation in the list. */
const entry = (here: Visit, title: string) =>
  list(here).getByRole('listitem').filter({ hasText: title })
const begin = (here: Visit) => list(here).getByRole('button', { name: 'New conversation' }).click()
const open = (here: Visit, title: string) =>
  entry(here, title).getByRole('button', { name: title }).first().click()
const titles = async (here: Visit) =>
  (await list(here).getByRole('listitem').allInnerTexts()).map((text) => text.split('\n')[0])

test('goes on in the background, shows what is unread and what waits, and is found again', async () => {
  const here = await scene.visit()
  const { page } = here
  await here.say('Write a note called “Packing” saying “hat”')
  await here.until('paused')
  await begin(here)
  await here.say(LONG)
  await page.getByRole('article').last().getByText('Why ask at all?').waitFor()
  await begin(here)
  await page.getByRole('list', { name: 'Examples' }).waitFor()
  await entry(here, 'Write a note').getByText('1 needs you').waitFor()
  await entry(here, LONG).getByText('Working…').waitFor()
  await entry(here, LONG).getByText('1 unread').waitFor({ timeout: 20_000 })
  expect(here.requests).toHaveLength(2)

  await page.reload()
  await entry(here, LONG).getByText('1 unread').waitFor()
  await open(here, LONG)
  await page.getByRole('article').last().getByText('Why ask at all?').waitFor()
  await expect.poll(() => entry(here, LONG).getByText('unread').count()).toBe(0)

  await open(here, 'Write a note')
  await here.ask(WRITE).getByRole('button', { name: 'Write' }).click()
  await here.note('Packing').getByText('hat').waitFor()
  await expect.poll(() => entry(here, 'Write a note').getByText('needs you').count()).toBe(0)
  await expect
    .poll(() => titles(here))
    .toEqual(['Write a note called “Packing” saying “hat”', LONG])
})

test('is named, found by what was said in it, exported, deleted, and imported', async () => {
  const here = await scene.visit()
  const { page } = here
  const word = randomWord()
  await here.say(`Search my notes for “${word}”`)
  await here.until('completed')
  await begin(here)
  await here.say('List my notes')
  await here.until('completed')

  await entry(here, word).hover()
  await list(here)
    .getByRole('button', { name: /^Rename “Search/ })
    .click()
  await list(here)
    .getByRole('textbox', { name: /^New name/ })
    .fill('Looking around')
  await page.keyboard.press('Enter')
  await expect.poll(() => titles(here)).toEqual(['List my notes', 'Looking around'])

  await list(here).getByRole('searchbox').fill(word.toUpperCase())
  await expect.poll(() => titles(here)).toEqual(['Looking around'])
  await list(here).getByRole('searchbox').fill('nothing like this')
  await list(here).getByText('No results').waitFor()
  await list(here).getByRole('searchbox').fill('')
  await expect.poll(() => titles(here)).toHaveLength(2)

  await entry(here, 'Looking around').hover()
  const downloading = page.waitForEvent('download')
  await list(here).getByRole('button', { name: 'Export “Looking around”' }).click()
  const file = await (await downloading).path()
  expect(await readFile(file, 'utf8')).toContain(word)

  await list(here).getByRole('button', { name: 'Delete “Looking around”' }).click()
  await list(here).getByRole('button', { name: 'Cancel' }).click()
  await entry(here, 'Looking around').hover()
  await list(here).getByRole('button', { name: 'Delete “Looking around”' }).click()
  await list(here).getByRole('button', { name: 'Delete', exact: true }).click()
  await expect.poll(() => titles(here)).toEqual(['List my notes'])
  await page.reload()
  await expect.poll(() => titles(here)).toEqual(['List my notes'])

  const choosing = page.waitForEvent('filechooser')
  await list(here).getByRole('button', { name: 'Import…' }).click()
  await (await choosing).setFiles(file)
  await page.getByRole('article').getByText(`No note speaks of “${word}”.`).waitFor()
  expect((await titles(here)).toSorted()).toEqual(['List my notes', 'Looking around'])
})

test('stays deleted when it is deleted while its answer streams', async () => {
  const here = await scene.visit()
  const { page } = here
  await here.say(LONG)
  await page.getByRole('article').last().getByText('Why ask at all?').waitFor()
  const address = page.url()
  await list(here)
    .getByRole('button', { name: /^Delete “Write a long/ })
    .click()
  await list(here).getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('list', { name: 'Examples' }).waitFor()
  await expect.poll(() => titles(here)).toEqual([])
  // Others are stored meanwhile, and its address leads nowhere.
  await here.say('List my notes')
  await here.until('completed')
  await page.goto(address)
  await page.reload()
  await expect.poll(() => titles(here)).toEqual(['List my notes'])
  await expect.poll(() => page.url()).not.toBe(address)
  await page.getByRole('list', { name: 'Examples' }).waitFor()
})

test('is behind a button where there is no room', async () => {
  const here = await scene.visit({ viewport: { width: 390, height: 780 } })
  const { page } = here
  await here.say('Write a note called “Packing” saying “hat”')
  await here.until('paused')
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByRole('button', { name: 'Conversations waiting or new' }).click()
  const drawer = page.getByRole('dialog', { name: 'Conversations' })
  await drawer.getByRole('button', { name: 'Write a note' }).first().click()
  await expect.poll(() => drawer.count()).toBe(0)
  await here.ask(WRITE).waitFor()
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(await overflow()).toBe(0)
})
