import { expect, inject, test } from 'vitest'
import { previewPlayground } from './playground.ts'
import { setScene } from './scene.ts'

const scene = setScene(() => previewPlayground(inject('builtPage'), { ASSENT_DEMO_SPEED: '200' }))

test('what was typed and not sent is there after a reload, in the composer and on a card', async () => {
  const here = await scene.visit()
  await here.say('Write a note called “Packing” saying “socks”')
  await here.until('paused')
  const card = here.ask('Write the note “Packing”')
  await card.getByRole('button', { name: 'Deny' }).click()
  await card.getByRole('button', { name: 'Something else…' }).click()
  await card.getByRole('textbox').fill('Not before Monday')
  await here.composer.fill('And what about shoes')
  // At once: nothing waits for the moment in which it would be kept anyway.
  await here.page.reload()
  await here.until('paused')
  await expect.poll(() => here.composer.inputValue()).toBe('And what about shoes')
  await expect.poll(() => card.getByRole('textbox').inputValue()).toBe('Not before Monday')
  expect(here.requests).toHaveLength(1)
})
