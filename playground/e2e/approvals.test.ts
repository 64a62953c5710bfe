import { expect, inject, test } from 'vitest'
import { z } from 'zod'
import { previewPlayground } from './playground.ts'
import { setScene } from './scene.ts'
import { randomWord } from './visit.ts'

const backupsBody = z.object({ backups: z.array(z.object({ name: z.string() })) })
const outboxBody = z.object({
  reports: z.array(z.object({ receipt: z.string(), to: z.string(), body: z.string() })),
})
const SEED_TITLES = ['Launch plan', 'Trip to Lisbon', 'Ideas', 'Scratchpad']

const scene = setScene(() => previewPlayground(inject('builtPage'), { ASSENT_DEMO_SPEED: '200' }))

async function backupNames(): Promise<string[]> {
  const response = await fetch(`${scene.url}/api/backups`)
  return backupsBody.parse(await response.json()).backups.map(({ name }) => name)
}

async function sentReports() {
  const response = await fetch(`${scene.url}/api/outbox`)
  return outboxBody.parse(await response.json()).reports
}

test('an approved call of a tool in the page takes effect there, and the model speaks of it', async () => {
  const here = await scene.visit()
  const [title, content] = [randomWord(), randomWord()]
  await here.say(`Write a note called “${title}” saying “${content}”`)
  await here.until('paused')
  await here.ask(`Write the note “${title}”`).getByText(content).waitFor()
  await expect.poll(() => here.page.title()).toBe('(1) Assent playground')
  expect(await here.noteTitles()).toEqual(SEED_TITLES)
  expect(here.requests).toHaveLength(1)

  await here
    .ask(`Write the note “${title}”`)
    .getByRole('button', { name: 'Write', exact: true })
    .click()
  await here.note(title).getByText(content).waitFor()
  await here.until('completed')
  expect(await here.noteTitles()).toEqual([...SEED_TITLES, title])
  expect(here.requests).toHaveLength(2)
  expect(here.sentCalls('write_note')).toMatchObject([
    { state: 'output-available', output: { title, content, created: true, revision: 1 } },
  ])
  expect(await here.answer()).toContain(`The note “${title}” is new (revision 1). It says:`)
  await here.page.getByRole('blockquote').getByText(content).waitFor()
  await expect.poll(() => here.page.title()).toBe('Assent playground')
})

test('a denied call of a tool in the page does nothing, and its reason reaches the model', async () => {
  const here = await scene.visit()
  const [title, reason] = [randomWord(), randomWord()]
  await here.say(`Write a note called “${title}” saying “anything”`)
  await here.deny(`Write the note “${title}”`, reason)
  await here.until('completed')
  expect(await here.noteTitles()).toEqual(SEED_TITLES)
  expect(here.requests).toHaveLength(2)
  expect(here.sentCalls('write_note')).toMatchObject([
    { state: 'output-denied', approval: { approved: false, reason } },
  ])
  expect(await here.answer()).toContain(
    `You did not want me to write the note “${title}”, so it did not happen. Your reason:`,
  )
  await here.page.getByRole('blockquote').getByText(reason).waitFor()
})

test('an approved call of a tool on the server is sent signed, and runs there', async () => {
  const here = await scene.visit()
  const body = randomWord()
  await here.say(`Send a report about the launch to ada@example.org saying “${body}”`)
  await here.until('paused')
  const card = here.ask('Send the report “the launch” to ada@example.org')
  await card.getByText(body).waitFor()
  await card.getByText('It leaves this app and goes to ada@example.org.').waitFor()
  expect(await sentReports()).toEqual([])
  expect(here.requests).toHaveLength(1)

  await card.getByRole('button', { name: 'Send', exact: true }).click()
  await here.until('completed')
  const [report, ...others] = await sentReports()
  expect(others).toEqual([])
  expect(report).toMatchObject({ to: 'ada@example.org', body })
  expect(here.requests).toHaveLength(2)
  const [call] = here.sentCalls('send_report')
  expect(call).toMatchObject({ state: 'approval-responded', approval: { approved: true } })
  expect(call?.approval?.signature).toMatch(/^.{20,}$/)
  expect(await here.answer()).toContain(
    `The report “the launch” went to ada@example.org; its receipt is ${report?.receipt}.`,
  )
  await here.page.getByRole('list', { name: 'Outbox' }).getByText(report!.receipt).waitFor()
})

test('what cannot be undone is approved by holding the button, not by a click', async () => {
  const here = await scene.visit()
  const sentence = 'Delete the backup “nightly-17” for good'
  await here.say('Delete the backup “nightly-17”')
  await here.until('paused')
  await here.ask(sentence).getByRole('button', { name: 'Delete' }).click()
  await here.ask(sentence).getByRole('button', { name: 'Hold: Delete' }).waitFor()
  expect(await backupNames()).toContain('nightly-17')

  await here.holdToApprove(sentence, 'Hold: Delete')
  await here.until('completed')
  expect(await backupNames()).toEqual(['nightly-18', 'before-migration'])
  expect(await here.answer()).toContain('The backup “nightly-17” is gone, which freed 412 MB.')
  await expect
    .poll(() => here.page.getByRole('list', { name: 'Backups' }).getByText('nightly-17').count())
    .toBe(0)
})

test('a denied call of a tool on the server does nothing, and its reason reaches the model', async () => {
  const here = await scene.visit()
  const reason = randomWord()
  await here.say('Delete the backup “nightly-18”')
  await here.deny('Delete the backup “nightly-18” for good', reason)
  await here.until('completed')
  expect(await backupNames()).toContain('nightly-18')
  const [call] = here.sentCalls('delete_backup')
  expect(call).toMatchObject({ approval: { approved: false, reason } })
  expect(call?.approval?.signature).toMatch(/^.{20,}$/)
  expect(await here.answer()).toContain(
    'You did not want me to delete the backup “nightly-18”, so it did not happen. Your reason:',
  )
  await here.page.getByRole('blockquote').getByText(reason).waitFor()
})

test('of several calls none runs before the last decision, then each as it was decided', async () => {
  const here = await scene.visit()
  const reason = randomWord()
  const archive = here.ask('Archive the note “Trip to Lisbon”')
  await here.say('Clean up: archive “Trip to Lisbon” and delete “Scratchpad”')
  await here.until('paused')
  const free = here.page.locator('[data-tool="list_notes"]')
  await expect.poll(() => free.getAttribute('data-state')).toBe('scheduled')
  await expect.poll(() => here.page.title()).toBe('(2) Assent playground')

  await archive.getByRole('button', { name: 'Archive', exact: true }).click()
  await archive.locator('[data-slot="receipt"]').waitFor()
  await expect.poll(() => here.page.title()).toBe('(1) Assent playground')
  await here.until('paused')
  expect(await free.getAttribute('data-state')).toBe('scheduled')
  expect(await here.note('Trip to Lisbon').getByText('archived').count()).toBe(0)
  expect(here.requests).toHaveLength(1)

  await here.deny('Delete the note “Scratchpad” for good', reason)
  await here.until('completed')
  await here.note('Trip to Lisbon').getByText('archived').waitFor()
  expect(await here.noteTitles()).toEqual(['Launch plan', 'Ideas', 'Scratchpad', 'Trip to Lisbon'])
  expect(here.requests).toHaveLength(2)
  expect(here.sentCalls('list_notes')).toMatchObject([{ state: 'output-available' }])
  expect(here.sentCalls('archive_note')).toMatchObject([
    { state: 'output-available', output: { title: 'Trip to Lisbon', archived: true } },
  ])
  expect(here.sentCalls('delete_note')).toMatchObject([
    { state: 'output-denied', approval: { reason } },
  ])
})

test('with the other gate each call runs as soon as it is decided', async () => {
  const here = await scene.visit()
  await here.page.getByRole('radio', { name: /One by one/ }).check()
  await here.say('Clean up: archive “Trip to Lisbon” and delete “Scratchpad”')
  await here.until('paused')
  await expect
    .poll(() => here.page.locator('[data-tool="list_notes"]').getAttribute('data-state'))
    .toBe('success')
  await here
    .ask('Archive the note “Trip to Lisbon”')
    .getByRole('button', { name: 'Archive', exact: true })
    .click()
  await here.note('Trip to Lisbon').getByText('archived').waitFor()
  await here.until('paused')
  expect(here.requests).toHaveLength(1)
  expect(await here.page.getByRole('radio', { name: /Together/ }).isDisabled()).toBe(true)

  await here.holdToApprove('Delete the note “Scratchpad” for good', 'Delete')
  await here.until('completed')
  await expect.poll(here.noteTitles).toEqual(['Launch plan', 'Ideas', 'Trip to Lisbon'])
  expect(here.requests).toHaveLength(2)
})

test('the side panel approves what was read by one more press, and shows the rest', async () => {
  const here = await scene.visit({ viewport: { width: 1280, height: 250 } })
  const panel = here.page.getByRole('complementary', { name: 'Workspace' })
  await here.say('Clean up: archive “Trip to Lisbon” and delete “Scratchpad”')
  await here.until('paused')
  const review = panel.getByRole('button', { name: 'Review next' })
  await review.waitFor()
  await expect.poll(() => panel.getByText('Not reviewed yet').count()).toBeGreaterThan(0)
  expect(await panel.getByRole('button', { name: /^Approve/ }).count()).toBe(0)

  const approve = panel.getByRole('button', { name: 'Approve 1 reviewed' })
  await review.click()
  const archive = here.ask('Archive the note “Trip to Lisbon”')
  await expect
    .poll(() => archive.evaluate((card) => card.contains(document.activeElement)))
    .toBe(true)
  // The window is too low for the whole card.
  await here.page.setViewportSize({ width: 1280, height: 700 })
  await approve.waitFor()
  await panel.getByText('Can’t be undone. Review it separately.').waitFor()
  await approve.click()
  await panel.getByText('Approve: Archive the note “Trip to Lisbon”').waitFor()
  await panel.getByRole('button', { name: 'Back' }).click()
  expect(await archive.locator('[data-slot="receipt"]').count()).toBe(0)
  await approve.click()
  const surely = panel.getByRole('button', { name: 'Approve 1', exact: true })
  await expect.poll(() => surely.getAttribute('aria-disabled')).toBeNull()
  await surely.click()
  await archive.locator('[data-slot="receipt"]').waitFor()
  await here.until('paused')
  await here
    .ask('Delete the note “Scratchpad” for good')
    .getByRole('button', { name: 'Deny' })
    .waitFor()
  expect(here.requests).toHaveLength(1)
})
