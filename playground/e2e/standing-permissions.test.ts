import { expect, inject, test } from 'vitest'
import { previewPlayground } from './playground.ts'
import { setScene } from './scene.ts'
import { randomWord, type Visit } from './visit.ts'

const scene = setScene(() => previewPlayground(inject('builtPage'), { ASSENT_DEMO_SPEED: '200' }))
const THREE_CALLS =
  'List my notes, write a note called “Packing” saying “sunglasses”, and archive “Trip to Lisbon”'
const WRITE = 'Write the note “Packing”'
const ARCHIVE = 'Archive the note “Trip to Lisbon”'

/** What the side panel lists as waiting. */
const waiting = ({ page }: Visit) =>
  page.getByRole('list', { name: 'Approvals' }).getByRole('listitem')
const calls = ({ page }: Visit, tool: string) => page.locator(`[data-tool="${tool}"]`)

test('an always lets the next such call run by itself, which says why, until it is taken back', async () => {
  const here = await scene.visit({})
  const { page } = here
  const [first, second] = [randomWord(), randomWord()]

  // Three calls in one step: one that is free, two to decide.
  await page.getByRole('button', { name: THREE_CALLS }).click()
  await here.until('paused')
  await expect.poll(() => calls(here, 'list_notes').getAttribute('data-state')).toBe('scheduled')
  await expect.poll(() => waiting(here).allInnerTexts()).toEqual([WRITE, ARCHIVE])
  expect(await page.title()).toBe('(2) Assent playground')

  await here.always(WRITE, { which: 'When “title” is Packing' })
  const permission = here.standing('Write note, when title is “Packing”')
  await permission.getByText('not used yet').waitFor()
  await permission.getByText(/^You chose Always on .+ for “Write the note “Packing””$/).waitFor()
  await expect.poll(() => waiting(here).allInnerTexts()).toEqual([ARCHIVE])
  expect(here.requests).toHaveLength(1)
  await here.ask(ARCHIVE).getByRole('button', { name: 'Archive', exact: true }).click()
  await here.until('completed')
  await here.note('Packing').getByText('sunglasses').waitFor()
  expect(here.requests).toHaveLength(2)

  // The next call that it covers is not asked about, and its line says what it rests on.
  await here.say(`Write a note called “Packing” saying “${first}”`)
  await here.note('Packing').getByText(first).waitFor()
  await here.until('completed')
  const line = calls(here, 'write_note').last()
  expect(await line.getAttribute('data-density')).toBe('line')
  await line.getByText(/Standing permission/).waitFor()
  expect(here.sentCalls('write_note').at(-1)).toMatchObject({
    state: 'output-available',
    approval: {
      approved: true,
      isAutomatic: true,
      reason: expect.stringMatching(/^Always allowed: confirmation .+\.$/),
    },
  })
  await permission.getByText('used once').waitFor()

  // Another note is another matter.
  await here.say('Write a note called “Other” saying “x”')
  await here.until('paused')
  await here.deny('Write the note “Other”', 'Not that one')
  await here.until('completed')
  // It is the same conversation under another gate.
  await page.getByRole('radio', { name: /One by one/ }).check()
  await permission.waitFor()

  await permission.getByRole('button', { name: 'Revoke: Write note, when title is' }).click()
  await permission.getByText('You’ll be asked again before each of these calls.').waitFor()
  await permission.getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByText('No standing permissions').waitFor()
  await here.say(`Write a note called “Packing” saying “${second}”`)
  await here.until('paused')
  expect(await here.note('Packing').innerText()).toContain(first)
  await here.ask(WRITE).getByText(second).waitFor()
  await here.ask(WRITE).getByRole('button', { name: 'Write', exact: true }).click()
  await here.note('Packing').getByText(second).waitFor()
  await here.until('completed')
})

test('what is allowed everywhere holds in the next conversation and after a reload, until it is taken back', async () => {
  const here = await scene.visit({})
  const { page } = here
  const words = [randomWord(), randomWord(), randomWord()]
  const say = (word: string | undefined) =>
    here.say(`Write a note called “Packing” saying “${word}”`)
  const permission = here.standing('Write note, when title is “Packing”')

  await say('x')
  await here.always(WRITE, {
    which: 'When “title” is Packing',
    where: 'Everywhere',
    howLong: '5 times',
  })
  await here.until('completed')
  await permission.getByText('5 more times').waitFor()

  await page.getByRole('button', { name: 'New conversation' }).click()
  await permission
    .getByText(/^You chose .+ for “Write the note “Packing””, in another conversation$/)
    .waitFor()
  await say(words[0])
  await here.note('Packing').getByText(words[0]!).waitFor()
  await here.until('completed')
  await permission.getByText('4 more times').waitFor()

  await page.reload()
  await permission.getByText('4 more times').waitFor()
  await say(words[1])
  await here.note('Packing').getByText(words[1]!).waitFor()
  await permission.getByText('3 more times').waitFor()

  await permission.getByRole('button', { name: /^Revoke/ }).click()
  await permission.getByRole('button', { name: 'Revoke', exact: true }).click()
  await expect.poll(() => permission.count()).toBe(0)
  await page.reload()
  await page.getByText('No standing permissions').waitFor()
  await say(words[2])
  await here.until('paused')
  await here.ask(WRITE).getByText(words[2]!).waitFor()
})

test('the call on which a permission was given is gone to, in its own conversation', async () => {
  const here = await scene.visit()
  const { page } = here
  await here.say('Write a note called “Packing” saying “x”')
  await here.always(WRITE, { which: 'When “title” is Packing', where: 'Everywhere' })
  await here.until('completed')
  await page.getByRole('button', { name: 'New conversation' }).click()
  await expect.poll(() => calls(here, 'write_note').count()).toBe(0)

  await here
    .standing('Write note, when title is “Packing”')
    .getByRole('button', { name: /^Show the call/ })
    .click()
  const line = calls(here, 'write_note').getByRole('button', { name: WRITE })
  await expect.poll(() => line.evaluate((button) => button === document.activeElement)).toBe(true)
  await line.click()
  // What it did is still said as it was when it was asked about.
  await calls(here, 'write_note').getByText('new file').waitFor()
})

test('a card shows what its call is about, not only the input', async () => {
  const here = await scene.visit()
  const rows = (sentence: string) => here.ask(sentence).getByRole('row').allInnerTexts()
  const remove = 'Delete the note “Ideas” for good'
  await here.say('Delete “Ideas”')
  await here.until('paused')
  // A preview comes after its question.
  await expect
    .poll(async () => (await rows(remove)).join())
    .toContain('A launch party without a launch.')
  await here.deny(remove, 'No')
  await here.until('completed')

  const send = 'Send the report “the launch” to ada@example.org'
  await here.say('Send a report about the launch to ada@example.org saying “Soon”')
  await here.until('paused')
  const words = await here.ask(send).getByRole('group', { name: 'E-mail' }).innerText()
  expect(words.split(/\s*\n\s*/)).toEqual(expect.arrayContaining(['ada@example.org', 'Soon']))
  await here.deny(send, 'No')
  await here.until('completed')

  await here.say('Delete the backup “nightly-17”')
  await here.until('paused')
  await expect
    .poll(() => rows('Delete the backup “nightly-17” for good'))
    .toEqual([
      expect.stringMatching(/^Backup\s+Megabytes/),
      expect.stringMatching(/^nightly-17\s+412\s+deleted$/),
      expect.stringMatching(/^nightly-18\s+418\s+kept$/),
      expect.stringMatching(/^before-migration\s+1290\s+kept$/),
    ])
})

test('an always settles the other calls that it covers and that wait already', async () => {
  const here = await scene.visit()
  await here.say('Archive “Trip to Lisbon”, “Ideas” and “Launch plan”')
  await here.until('paused')
  await expect.poll(() => waiting(here).count()).toBe(3)
  await here.always(ARCHIVE, { which: 'All calls of archive_note' })
  await here.until('completed')
  await here.standing('Archive note, every call').getByText('used 2 times').waitFor()
  expect(
    here.sentCalls('archive_note').map(({ approval }) => approval?.isAutomatic ?? false),
  ).toEqual([false, true, true])
})

test('the panel approves all that may be approved together, and denies the rest', async () => {
  const here = await scene.visit()
  const { page } = here
  await here.say(
    'Write a note called “A” saying “x”, archive “Trip to Lisbon” and delete “Scratchpad”',
  )
  await here.until('paused')
  await expect
    .poll(() => waiting(here).allInnerTexts())
    .toEqual([
      'Write the note “A”',
      ARCHIVE,
      expect.stringMatching(
        /^Delete the note “Scratchpad” for good\s+Can’t be undone\. Review it separately\.$/,
      ),
    ])
  await page.getByRole('button', { name: 'Approve 2 reviewed', exact: true }).click()
  const surely = page.getByRole('button', { name: 'Approve 2', exact: true })
  await expect.poll(() => surely.getAttribute('aria-disabled')).toBeNull()
  await surely.click()
  await expect.poll(() => waiting(here).count()).toBe(1)
  expect(await here.note('A').count()).toBe(0)
  const panel = page.getByRole('region', { name: 'Approvals' })
  expect(await panel.getByRole('button').allInnerTexts()).toEqual([
    'Deny',
    'Review',
    'Stop everything',
  ])
  await panel.getByRole('button', { name: 'Deny' }).click()
  await panel.getByRole('button', { name: 'Deny 1' }).click()
  await here.until('completed')
  await page.getByText('Nothing in this conversation needs you').waitFor()
  await expect
    .poll(here.noteTitles)
    .toEqual(['Launch plan', 'Ideas', 'Scratchpad', 'A', 'Trip to Lisbon'])
})

test('a question waits for the person’s answer, which goes back to the model', async () => {
  const here = await scene.visit()
  const said = randomWord()
  await here.say('Ask me what to pack for Lisbon, then write it down')
  await here.until('paused')
  await here.ask('What to pack for Lisbon?').getByRole('textbox').fill(said)
  await here.ask('What to pack for Lisbon?').getByRole('button', { name: 'Send answer' }).click()
  const note = here.ask('Write the note “What to pack for Lisbon”')
  await note.getByText(said).waitFor()
  expect(here.sentCalls('ask_user')).toMatchObject([{ state: 'output-available', output: said }])
  await note.getByRole('button', { name: 'Write', exact: true }).click()
  await here.note('What to pack for Lisbon').getByText(said).waitFor()
  await here.until('completed')
})

test('an output that is too long says how much of it is shown', async () => {
  const here = await scene.visit()
  await here.say('List all primes below 50,000')
  await here.until('completed')
  expect(await here.answer()).toContain('I read 2000 primes; the largest of them is 17389.')
  const call = calls(here, 'list_primes')
  await call.getByRole('button').first().click()
  await call
    .getByText(/2,000 of 5,133 lines/)
    .first()
    .waitFor()
})
