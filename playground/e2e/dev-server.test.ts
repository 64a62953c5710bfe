import { expect, test } from 'vitest'
import { startPlayground } from './playground.ts'
import { setScene } from './scene.ts'
import { answerToCommand, approveChangeByCommand, randomWord } from './visit.ts'

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

test('runs a command in the shell of the server, and shows what it printed', async () => {
  const answer = await answerToCommand(await scene.visit(), 'grep -c , sales.csv')
  expect(answer).toMatch(/The command printed:[^]+^4$/m)
  expect(answer).not.toContain('Failed')
})

test('asks about a command with the diff of what it changes, and writes exactly that', async () => {
  const answer = await approveChangeByCommand(await scene.visit(), await scene.visit())
  expect(answer).toMatch(/2026-08,north,1200\s+2026-09,south,860\s+2026-10,north,1500/)
})
