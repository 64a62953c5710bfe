import { expect, inject, test } from 'vitest'
import { violationsOf } from './axe.ts'
import { previewPlayground } from './playground.ts'
import { setScene } from './scene.ts'
import { answerToCommand, approveChangeByCommand, randomWord } from './visit.ts'

const scene = setScene(() => previewPlayground(inject('builtPage'), { ASSENT_DEMO_SPEED: '200' }))

test.each(['light', 'dark'] as const)(
  'is accessible in %s, empty, paused, and with a standing permission',
  async (theme) => {
    const here = await scene.visit({ colorScheme: theme, reducedMotion: 'reduce' })
    await here.page.getByRole('button', { name: /^Demo model/ }).click()
    await here.page.getByText('ASSENT_BASE_URL').waitFor()
    expect(await violationsOf(here.page)).toEqual([])
    await here.page.keyboard.press('Escape')
    await here.say('Clean up: archive “Trip to Lisbon” and delete “Scratchpad”')
    await here.until('paused')
    await here.ask('Delete the note “Scratchpad” for good').waitFor()
    expect(await violationsOf(here.page)).toEqual([])
    await here.always('Archive the note “Trip to Lisbon”', { which: 'All calls of archive_note' })
    await here.standing('Archive note').waitFor()
    expect(await violationsOf(here.page)).toEqual([])
  },
)

test('says what model it is, and explains it', async () => {
  const here = await scene.visit()
  const badge = here.page.getByRole('button', { name: 'Demo model — no AI inside' })
  await badge.click()
  await here.page.getByText('There is no AI inside, and it needs no key.').waitFor()
  await here.page.keyboard.press('Escape')
  expect(await here.page.getByRole('note').count()).toBe(0)
})

test('runs a command in the shell of the server, and shows what it printed', async () => {
  const answer = await answerToCommand(await scene.visit(), 'grep -c , sales.csv')
  expect(answer).toMatch(/The command printed:[^]+^4$/m)
  expect(answer).not.toContain('Failed')
})

test('asks about a command with the diff of what it changes, and writes exactly that', async () => {
  const answer = await approveChangeByCommand(await scene.visit(), await scene.visit())
  expect(answer).toMatch(/2026-08,north,1200\s+2026-09,south,860\s+2026-10,north,1500/)
})

test('keeps the chosen theme', async () => {
  const here = await scene.visit({ colorScheme: 'light' })
  const ground = () =>
    here.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const light = await ground()
  await here.page.getByRole('button', { name: 'Theme: system' }).click()
  await here.page.getByRole('button', { name: 'Theme: light' }).click()
  await here.page.getByRole('button', { name: 'Theme: dark' }).waitFor()
  await expect.poll(ground).not.toBe(light)
  await here.page.reload()
  await here.page.getByRole('button', { name: 'Theme: dark' }).waitFor()
  expect(await ground()).not.toBe(light)
})

test('shows one pane at a time where there is no room for two', async () => {
  const here = await scene.visit({ viewport: { width: 360, height: 740 } })
  const { page } = here
  const word = randomWord()
  await here.say(`Write a note called “${word}” saying “x”`)
  await here.ask(`Write the note “${word}”`).getByRole('button', { name: 'Write' }).click()
  await here.until('completed')
  expect(await here.note(word).isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Workspace changed' }).click()
  await here.note(word).waitFor()
  expect(await here.composer.isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Chat' }).click()
  await here.composer.waitFor()
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(await overflow()).toBe(0)
})

test('nothing of the AI SDK is in what a browser loads', () => {
  const { moduleIds } = inject('builtPage')
  expect(moduleIds.filter((id) => id.includes('/@vue/runtime-core/'))).not.toEqual([])
  expect(moduleIds.filter((id) => /\/node_modules\/(?:ai|@ai-sdk)\//.test(id))).toEqual([])
})
