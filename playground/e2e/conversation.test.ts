import type { Locator } from 'playwright'
import { expect, inject, test } from 'vitest'
import { previewPlayground } from './playground.ts'
import { setScene } from './scene.ts'
import { randomWord, type Visit } from './visit.ts'

// Slow enough for a person to step in while an answer streams.
const scene = setScene(() => previewPlayground(inject('builtPage'), { ASSENT_DEMO_SPEED: '20' }))
const LONG = 'Write a long answer about asking before acting'

/**
 * Tabs to a button of a card: onwards from a card, which took the focus when it came, and backwards
 * from the composer, where it stays for who has just typed.
 */
async function tabTo({ page }: Visit, button: Locator): Promise<void> {
  const isInCard = page.locator('[data-slot="ask"]:focus, [data-slot="ask"] :focus')
  const key = (await isInCard.count()) > 0 ? 'Tab' : 'Shift+Tab'
  for (let presses = 0; presses < 12; presses++) {
    if (await button.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press(key)
  }
  throw new Error(`${key} does not reach ${String(button)}.`)
}

test('needs no pointer: write, send, approve', async () => {
  const here = await scene.visit()
  const [title, content] = [randomWord(), randomWord()]
  const { keyboard } = here.page
  await expect
    .poll(() => here.composer.evaluate((field) => field === document.activeElement))
    .toBe(true)
  await keyboard.type(`Write a note called “${title}” saying “${content}”`)
  await keyboard.press('Enter')
  await here.until('paused')
  const approve = here.ask(`Write the note “${title}”`).getByRole('button', { name: 'Write' })
  await expect.poll(() => approve.isEnabled()).toBe(true)
  await tabTo(here, approve)
  await keyboard.press('Enter')
  await here.note(title).getByText(content).waitFor()
  await here.until('completed')
  expect(here.sentCalls('write_note')).toMatchObject([{ output: { title, content } }])
})

test('needs no pointer: hold a key for what cannot be undone, deny with a reason', async () => {
  const here = await scene.visit()
  const reason = randomWord()
  const { keyboard } = here.page
  await keyboard.type('Delete the note “Scratchpad” and delete the note “Ideas”')
  await keyboard.press('Enter')
  await here.until('paused')
  const [first, second] = ['Scratchpad', 'Ideas'].map((title) =>
    here.ask(`Delete the note “${title}” for good`),
  )
  // The second one first: the focus has to find its way back to what still waits.
  const deny = second!.getByRole('button', { name: 'Deny' })
  await expect.poll(() => deny.isEnabled()).toBe(true)
  await tabTo(here, deny)
  await keyboard.press('Enter')
  const other = second!.getByRole('button', { name: 'Something else…' })
  await other.waitFor()
  while (!(await other.evaluate((button) => button === document.activeElement))) {
    await keyboard.press('Tab')
  }
  await keyboard.press('Enter')
  await second!.getByRole('textbox').waitFor()
  await keyboard.type(reason)
  await keyboard.press('Enter')
  await second!.locator('[data-slot="receipt"]').waitFor()

  // The focus went on to the card that still waits: its keys act at once.
  await expect.poll(() => first!.getByRole('button', { name: 'Delete' }).isEnabled()).toBe(true)
  await keyboard.down('a')
  await first!.locator('[data-slot="receipt"]').waitFor()
  await keyboard.up('a')
  await here.until('completed')
  await expect.poll(here.noteTitles).toEqual(['Launch plan', 'Trip to Lisbon', 'Ideas'])
  expect(here.sentCalls('delete_note')).toMatchObject([
    { state: 'output-available', output: { deleted: 'Scratchpad' } },
    { state: 'output-denied', approval: { reason } },
  ])
})

test('an answer can be stopped, and the conversation goes on afterwards', async () => {
  const here = await scene.visit()
  await here.say(LONG)
  await here.page.getByRole('article').last().getByText('Why ask at all?').waitFor()
  await here.page.getByRole('button', { name: 'Stop', exact: true }).click()
  await here.until('aborted')
  await here.page.getByText('Stopped').first().waitFor()
  const stopped = await here.answer()
  expect(stopped).toContain('Why ask at all?')

  await here.say('What time is it on the server?')
  await here.until('completed')
  expect(await here.answer()).toMatch(/The server’s clock says \d{4}-\d\d-\d\dT/)
  // Nothing of the stopped answer came late.
  const articles = here.page.getByRole('article')
  expect(await articles.count()).toBe(4)
  expect(await articles.nth(1).innerText()).toBe(stopped)
})

test('an answer that broke off says why, and can be tried again', async () => {
  const here = await scene.visit()
  await here.say('Break off in the middle of your answer')
  await here.until('error')
  await here.page
    .getByRole('region', { name: 'Conversation' })
    .getByText('The demo model broke off its answer, as it was asked to.')
    .waitFor()
  await here.page.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => here.requests.length).toBe(2)
  await here.until('error')
  expect(await here.page.getByRole('article').count()).toBe(2)
  expect((await here.answer()).match(/This answer begins well/g)).toHaveLength(1)
})

test('a message written while an answer streams waits and is sent afterwards', async () => {
  const here = await scene.visit()
  const word = randomWord()
  await here.say(LONG)
  await here.page.getByRole('article').last().getByText('Why ask at all?').waitFor()
  await here.say(`Search my notes for “${word}”`)
  const waiting = here.page.getByRole('list', { name: 'Queued messages' })
  await waiting.getByText(word).waitFor()
  expect(here.requests).toHaveLength(1)
  await here.page.getByText(`No note speaks of “${word}”.`).waitFor()
  await here.until('completed')
  expect(await waiting.count()).toBe(0)
  expect(here.requests).toHaveLength(3)
})

test('a message written while a card waits is sent after the decision', async () => {
  const here = await scene.visit()
  const word = randomWord()
  await here.say('Delete the note “Ideas”')
  await here.until('paused')
  await here.say(`Search my notes for “${word}”`)
  await here.page.getByRole('list', { name: 'Queued messages' }).getByText(word).waitFor()
  expect(here.requests).toHaveLength(1)
  await here.deny('Delete the note “Ideas” for good', 'Still thinking')
  await here.page.getByText(`No note speaks of “${word}”.`).waitFor()
  await here.until('completed')
  expect(await here.noteTitles()).toContain('Ideas')
})

test('a new conversation begins empty, whatever the old one goes on doing', async () => {
  const here = await scene.visit()
  await here.say(LONG)
  await here.page.getByRole('article').last().getByText('Why ask at all?').waitFor()
  await here.page.getByRole('button', { name: 'New conversation' }).click()
  await here.page.getByRole('list', { name: 'Examples' }).waitFor()
  expect(await here.page.getByRole('article').count()).toBe(0)
  await here.page.getByRole('button', { name: 'Search my notes for “launch”' }).click()
  await here.until('completed')
  expect(await here.answer()).toContain('“launch” is in 2 notes:')
  expect(here.requests.at(-1)?.messages[0]).toMatchObject({
    role: 'user',
    parts: [{ type: 'text', text: 'Search my notes for “launch”' }],
  })
})
