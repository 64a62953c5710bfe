import { expect, inject, test } from 'vitest'
import { previewPlayground } from './playground.ts'
import { setScene } from './scene.ts'
import { randomWord, type Visit } from './visit.ts'

const scene = setScene(() => previewPlayground(inject('builtPage'), { ASSENT_DEMO_SPEED: '200' }))
const WRITE = 'Write the note “Packing”'
const write = (word: string) => `Write a note called “Packing” saying “${word}”`

const calls = ({ page }: Visit, tool: string) => page.locator(`[data-tool="${tool}"]`)
const said = ({ page }: Visit) => page.getByRole('article')

test('a card that waits is there again, and its call runs once after the yes', async () => {
  const here = await scene.visit()
  const word = randomWord()
  await here.say(write(word))
  await here.until('paused')
  await here.page.reload()
  await here.until('paused')
  expect(await here.page.title()).toBe('(1) Assent playground')
  expect(here.requests).toHaveLength(1)
  await here.ask(WRITE).getByRole('button', { name: 'Write', exact: true }).click()
  await here.note('Packing').getByText(word).waitFor()
  await here.until('completed')
  expect(here.sentCalls('write_note')).toMatchObject([
    { state: 'output-available', output: { revision: 1 } },
  ])
  expect(here.requests).toHaveLength(2)
  // What is over is not done again.
  await here.page.reload()
  await here.note('Packing').getByText(word).waitFor()
  await expect.poll(() => said(here).count()).toBe(2)
  expect(here.requests).toHaveLength(2)
  const kept = () => here.page.evaluate(() => localStorage.getItem('assent-notes') ?? '')
  expect(JSON.parse(await kept())).toContainEqual(
    expect.objectContaining({ title: 'Packing', revision: 1 }),
  )
})

test('a call of the server that waits is signed still', async () => {
  const here = await scene.visit()
  const word = randomWord()
  await here.say(`Send a report to ada@example.org saying “${word}”`)
  await here.until('paused')
  await here.page.reload()
  await here.until('paused')
  await here.page.getByRole('button', { name: 'Send', exact: true }).click()
  await here.until('completed')
  await here.page.getByRole('region', { name: 'Outbox' }).getByText(word).waitFor()
  expect(here.sentCalls('send_report')).toMatchObject([
    { approval: { approved: true, signature: expect.any(String) } },
  ])
})

test('a tool that ran is shown as interrupted, and does not run again', async () => {
  const here = await scene.visit()
  const { page } = here
  // So many that searching them takes a while.
  await page.evaluate(() => {
    const notes = Array.from({ length: 60 }, (_, index) => ({
      title: `Note ${index}`,
      content: 'text',
      archived: false,
      revision: 1,
      updatedAt: 0,
    }))
    localStorage.setItem('assent-notes', JSON.stringify(notes))
  })
  await page.reload()
  await here.say('Search my notes for “launch”')
  await expect.poll(() => calls(here, 'search_notes').getAttribute('data-state')).toBe('executing')
  await page.reload()
  await here.until('error')
  const call = calls(here, 'search_notes')
  expect(await call.getAttribute('data-state')).toBe('interrupted')
  expect(here.requests).toHaveLength(1)
  // It stays so, until a person says how to go on.
  await page.reload()
  await here.until('error')
  expect(here.requests).toHaveLength(1)
  await page.getByRole('button', { name: 'Try again' }).click()
  await here.until('completed')
  expect(here.sentCalls('search_notes')).toMatchObject([{ state: 'output-error' }])
  expect(await calls(here, 'search_notes').count()).toBe(1)
})

test('a queued message is there, and sent after the decision', async () => {
  const here = await scene.visit()
  const { page } = here
  const word = randomWord()
  await here.say('Delete the note “Ideas”')
  await here.until('paused')
  await here.say(`Search my notes for “${word}”`)
  const waiting = page.getByRole('list', { name: 'Queued messages' })
  await waiting.getByText(word).waitFor()
  await page.reload()
  await waiting.getByText(word).waitFor()
  expect(here.requests).toHaveLength(1)
  await here.deny('Delete the note “Ideas” for good', 'Still thinking')
  await page.getByText(`No note speaks of “${word}”.`).waitFor()
  expect(await here.noteTitles()).toContain('Ideas')
})

test('an error is there with its reason, and can be tried again', async () => {
  const here = await scene.visit()
  const reason = here.page
    .getByRole('region', { name: 'Conversation', exact: true })
    .getByText('The demo model broke off its answer, as it was asked to.')
  await here.say('Break off in the middle of your answer')
  await here.until('error')
  await here.page.reload()
  await here.until('error')
  await reason.waitFor()
  await here.page.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => here.requests.length).toBe(2)
  await here.until('error')
  expect((await here.answer()).match(/This answer begins well/g)).toHaveLength(1)
})

test('an answer that streamed is there as far as it came, and can be tried again', async () => {
  const here = await scene.visit()
  const { page } = here
  // The answer never ends: its connection is held open by the test.
  await page.route('**/api/chat', () => {})
  await here.say('List my notes')
  await expect.poll(() => here.requests.length).toBe(1)
  await expect
    .poll(() =>
      page.getByRole('navigation', { name: 'Conversations' }).getByText('Working…').count(),
    )
    .toBe(1)
  await page.reload()
  await here.until('error')
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await here.until('completed')
  expect(await said(here).count()).toBe(2)
})

test('an always of conversation A holds in B, also after a reload, and is taken back there', async () => {
  const here = await scene.visit()
  const { page } = here
  const permission = here.standing('Write note, when title is “Packing”')
  await here.say(write('a'))
  await here.always(WRITE, { which: 'When “title” is Packing', where: 'Everywhere' })
  await here.until('completed')
  const addressOfA = page.url()
  await page.getByRole('button', { name: 'New conversation' }).click()
  await permission.waitFor()
  await page.reload()
  await permission.getByText(/“Write the note “Packing””, in another conversation$/).waitFor()
  await here.say(write('b'))
  await here.until('completed')
  await here.note('Packing').getByText('b', { exact: true }).waitFor()

  await permission.getByRole('button', { name: /^Revoke/ }).click()
  await permission.getByRole('button', { name: 'Revoke', exact: true }).click()
  await expect.poll(() => permission.count()).toBe(0)
  await page.goto(addressOfA)
  await expect.poll(() => said(here).count()).toBe(2)
  await page.getByText('No standing permissions').waitFor()
  await here.say(write('c'))
  await here.until('paused')
  await here.ask(WRITE).getByText('c', { exact: true }).waitFor()
})
