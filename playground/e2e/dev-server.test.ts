import { expect, test } from 'vitest'
import { startPlayground } from './playground.ts'
import { setScene } from './scene.ts'
import { randomWord } from './visit.ts'

const scene = setScene(() => startPlayground({ ASSENT_DEMO_SPEED: '200' }))

test('the playground works from its sources, as it is started by hand', async () => {
  const here = await scene.visit()
  const [title, content] = [randomWord(), randomWord()]
  await here.say(`Write a note called “${title}” saying “${content}”`)
  await here.until('paused')
  await here
    .ask(`Write the note “${title}”`)
    .getByRole('button', { name: 'Write', exact: true })
    .click()
  await here.note(title).getByText(content).waitFor()
  await here.until('completed')
  expect(await here.noteTitles()).toContain(title)
})
