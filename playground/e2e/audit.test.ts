import type { Page } from 'playwright'
import { expect, inject, test } from 'vitest'
import { violationsOf } from './axe.ts'
import { previewPlayground } from './playground.ts'
import { setScene } from './scene.ts'
import { randomWord, type Visit } from './visit.ts'

const scene = setScene(() => previewPlayground(inject('builtPage'), { ASSENT_DEMO_SPEED: '200' }))

/** The audit, as whoever was in the chat sees it. */
async function openAudit({ page }: Visit, query = ''): Promise<Page> {
  await page.goto(`${scene.url}/audit.html${query}`)
  await page.getByText(/chain valid, checked at \d/).waitFor()
  return page
}

/** The rows of the list that say this. */
const rows = (page: Page, text: string) =>
  page
    .getByRole('list', { name: /^(Calls|Entries)$/ })
    .locator(':scope > li')
    .filter({ hasText: text })

test('shows a call of the chat with who decided it, and what came of it', async () => {
  const here = await scene.visit({ kept: 'server' })
  const [title, reason] = [randomWord(), randomWord()]
  await here.say(`Write a note called “${title}” saying “hello”, and delete “Scratchpad”`)
  await here.ask(`Write the note “${title}”`).getByRole('button', { name: 'Write' }).click()
  await here.deny('Delete the note “Scratchpad” for good', reason)
  await here.until('completed')

  const page = await openAudit(here)
  const written = rows(page, title)
  await written.getByText('Done', { exact: true }).first().waitFor()
  await written.getByRole('button').click()
  await written.getByText('"content": "hello"').waitFor()
  const way = written.getByRole('list', { name: 'Its way' })
  await way.getByText('Approved').waitFor()
  await way.getByText(/^by guest-/).waitFor()
  const denied = rows(page, 'Scratchpad')
  await denied.getByText('Denied').waitFor()
  await denied.getByRole('button').click()
  await denied.getByText(new RegExp(`^by guest-.*${reason}$`)).waitFor()
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Denied')
  await written.waitFor({ state: 'detached' })
  await denied.getByText('Denied').first().waitFor()
  expect(await violationsOf(page)).toEqual([])
})

test('shows once what a tool of the server did, with the person who let it run', async () => {
  const here = await scene.visit({ kept: 'server' })
  const name = `${randomWord()}.md`
  await here.say(`Write a file called “${name}” saying “hello”`)
  const card = here.ask(`Write “${name}”`)
  await card.getByRole('table', { name: `Changes in ${name}: 1 line added` }).waitFor()
  await card.getByRole('button', { name: 'Write', exact: true }).click()
  await here.until('completed')
  expect(await here.answer()).toContain(name)

  const page = await openAudit(here, `?tool=write`)
  const written = rows(page, name)
  await written.getByText('Done', { exact: true }).first().waitFor()
  expect(await written.count()).toBe(1)
  await written.getByRole('button').click()
  await written.getByRole('list', { name: 'Its way' }).getByText('Approved').waitFor()
})

test('is narrowed by what is asked for, and exported so', async () => {
  const here = await scene.visit({ kept: 'server' })
  const word = randomWord()
  await here.say(`Search my notes for “${word}”`)
  await here.until('completed')
  await here.say('What time is it on the server?')
  await here.until('completed')

  const page = await openAudit(here)
  await page.getByRole('searchbox', { name: 'Text' }).fill(word)
  await rows(page, word).first().waitFor()
  await expect.poll(() => rows(page, 'server_time').count()).toBe(0)
  await page.getByRole('searchbox').fill('')
  await page.getByRole('textbox', { name: 'Tool' }).fill('server_time')
  await rows(page, 'server_time').first().waitFor()
  await expect.poll(() => rows(page, word).count()).toBe(0)
  const saved = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export' }).click()
  const lines = (await (await (await saved).createReadStream()).toArray())
    .join('')
    .trim()
    .split('\n')
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) {
    expect(JSON.parse(line)).toMatchObject({ payload: { toolName: 'server_time' } })
  }
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Failed')
  await page.getByText('No matches.').waitFor()
})

test('tells everything that happened, and keeps up with it', async () => {
  const here = await scene.visit({ kept: 'server' })
  const page = await openAudit(here, '?list=entries')
  const other = await scene.visit({ kept: 'server' })
  const word = randomWord()
  await other.say(`Search my notes for “${word}”`)
  await rows(page, word).first().waitFor()
  await page.setViewportSize({ width: 360, height: 740 })
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(overflow).toBe(0)
  expect(await violationsOf(page)).toEqual([])
})
