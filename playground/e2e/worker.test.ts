import type { Locator, Page, Route } from 'playwright'
import { expect, inject, test } from 'vitest'
import { violationsOf } from './axe.ts'
import { previewPlayground } from './playground.ts'
import { setScene } from './scene.ts'
import { randomWord } from './visit.ts'

const scene = setScene(() =>
  previewPlayground(inject('builtPage'), { ASSENT_DEMO_SPEED: '500', TASK_RETRY_BASE_MS: '50' }),
)

async function openWorker(): Promise<Page> {
  const { page } = await scene.visit({ kept: 'server' })
  await page.goto(`${scene.url}/worker.html`)
  await page.getByRole('form', { name: 'New task' }).waitFor()
  return page
}

async function add(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Task' }).fill(text)
  await page.getByRole('button', { name: 'Add task' }).click()
}

/** The tasks of a section that say this. */
const tasks = (page: Page, section: string, text: string): Locator =>
  page
    .getByRole('region', { name: new RegExp(`^${section}`) })
    .getByRole('listitem')
    .filter({ hasText: text })

test('a task that waits for a person is decided on its page, runs, and is done', async () => {
  const page = await openWorker()
  const name = `${randomWord()}.md`
  const request = `Write a file called “${name}” saying “hello”`
  await add(page, request)
  const waiting = tasks(page, 'Needs approval', name)
  const card = waiting.getByRole('group', { name: `Write “${name}”` })
  await card.getByText('hello').waitFor()
  expect(await violationsOf(page)).toEqual([])
  await card.getByRole('button', { name: 'Write' }).click()
  await tasks(page, 'Finished', name).getByText('Done').waitFor()
  expect(await waiting.count()).toBe(0)

  await add(page, `Read the file “${name}”`)
  await tasks(page, 'Finished', `Read the file “${name}”`).getByText('Done').waitFor()
  await tasks(page, 'Finished', request).getByRole('link', { name: 'in the audit' }).click()
  await page.getByRole('list', { name: 'Entries' }).getByText('by guest-').first().waitFor()

  await page.goBack()
  await tasks(page, 'Finished', request)
    .getByRole('link', { name: 'Open the conversation' })
    .click()
  await page.getByRole('article').filter({ hasText: request }).first().waitFor()
})

test('a dead task says why, and is replayed or discarded', async () => {
  const page = await openWorker()
  const [one, other] = [randomWord(), randomWord()]
  const typed = Promise.withResolvers<void>()
  const isAdded = (route: Route) => typed.promise.then(() => route.continue())
  await page.route('**/api/admin/tasks', isAdded, { times: 1 })
  await add(page, `Be broken 4 times, then search the files for “${one}”`)
  // What is typed while the first one is still on its way is not lost.
  const next = `Be broken 4 times, then search the files for “${other}”`
  const field = page.getByRole('textbox', { name: 'Task' })
  await field.fill(next)
  typed.resolve()
  await tasks(page, '', one).waitFor()
  expect(await field.inputValue()).toBe(next)
  await page.getByRole('button', { name: 'Add task' }).click()
  const dead = tasks(page, 'Failed', one)
  await dead.getByText('gave up after 3 of 3 attempts').waitFor()
  await dead.getByText('The demo model is broken').waitFor()
  await dead.getByRole('button', { name: 'Replay' }).click()
  await tasks(page, 'Finished', one).getByText('Done').waitFor()
  await tasks(page, 'Failed', other).getByRole('button', { name: 'Discard' }).click()
  await tasks(page, 'Finished', other).getByText('Discarded').waitFor()
  const heading = page.getByRole('heading', { name: 'Worker' })
  await expect.poll(() => heading.evaluate((it) => it === document.activeElement)).toBe(true)
  expect(await tasks(page, 'Failed', '').count()).toBe(0)
})

test('a task whose tool failed says so, and what it said, in the place of “Done”', async () => {
  const page = await openWorker()
  const name = `${randomWord()}.md`
  await add(page, `Read the file “${name}”`)
  const failed = tasks(page, 'Finished', name)
  await failed.getByText('1 tool call failed').waitFor()
  await failed.getByText(`read: Refused: ${name} does not exist.`).waitFor()
  expect(await failed.getByText('Done').count()).toBe(0)

  await add(page, 'Run the command “grep -c , sales.csv”')
  await tasks(page, 'Finished', 'grep -c').getByText('Done').waitFor()
})

test('fits a narrow screen, and is usable by keyboard', async () => {
  const page = await openWorker()
  await page.setViewportSize({ width: 360, height: 740 })
  const name = `${randomWord()}.md`
  await page.getByRole('textbox', { name: 'Task' }).focus()
  await page.keyboard.type(`Write a file called “${name}” saying “x”`)
  await page.keyboard.press('Control+Enter')
  const card = tasks(page, 'Needs approval', name).getByRole('group', { name: `Write “${name}”` })
  await card.waitFor()
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(overflow).toBe(0)
  expect(await violationsOf(page)).toEqual([])
  const press = async (button: string) => {
    const target = card.getByRole('button', { name: button })
    // Buttons take nothing in the moment in which they come or move.
    await expect.poll(() => target.isEnabled()).toBe(true)
    await target.press('Enter')
  }
  await press('Deny')
  await press('Not now')
  await press('Deny')
  await tasks(page, 'Finished', name).waitFor()
})
