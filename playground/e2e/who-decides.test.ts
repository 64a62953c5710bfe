import { expect, inject, test } from 'vitest'
import { previewPlayground } from './playground.ts'
import { setScene } from './scene.ts'
import { randomWord } from './visit.ts'

const scene = setScene(() =>
  previewPlayground(inject('builtPage'), {
    ASSENT_DEMO_SPEED: '200',
    ASSENT_DECIDERS: 'bob,grace',
  }),
)

test('only who may decide approves, and lets a permission go on, wherever the conversation is led', async () => {
  const ada = await scene.visit({ kept: 'server', user: 'ada' })
  const bob = await scene.visit({ kept: 'server', user: 'bob' })
  const title = randomWord()
  const sentence = `Write the note “${title}”`
  await ada.say(`Write a note called “${title}” saying “hello”`)
  await ada.until('paused')
  await ada.ask(sentence).getByRole('button', { name: 'Write' }).click()
  await ada.ask(sentence).getByText('You’re not allowed to do this.').waitFor()
  await bob.page
    .getByRole('navigation', { name: 'Conversations' })
    .getByRole('button', { name: title })
    .first()
    .click()
  await bob.always(sentence, {})
  await ada.until('completed')
  await ada.note(title).waitFor()

  const [adas, bobs] = [ada, bob].map((visit) => visit.standing('Write note'))
  await adas?.waitFor()
  await ada.page.getByRole('button', { name: 'Stop everything' }).click()
  const resume = (visit: typeof ada) =>
    visit.page.locator('[data-slot="policy-list"] [data-slot="resume"]')
  await resume(bob).waitFor()
  await resume(ada).click()
  // Nothing that comes after it on the same connection is heard before it.
  await adas?.getByRole('button', { name: /^Revoke:/ }).click()
  await adas?.getByRole('button', { name: 'Revoke', exact: true }).click()
  await adas?.getByText('You’re not allowed to do this.').waitFor()
  expect(await resume(ada).count()).toBe(1)
  await resume(bob).click()
  await resume(ada).waitFor({ state: 'detached' })
  await bobs?.waitFor()
})
