import { expect, test } from 'vitest'
import { createDemoModel } from '../../demo-model.ts'
import { after, ask, next } from '../../testing/model-steps.ts'

test.each([
  ['List the files', 'glob', { pattern: '**/*' }],
  ['show me all files', 'glob', { pattern: '**/*' }],
  ['Please read the file “a b.txt”', 'read', { path: 'a b.txt' }],
  ['Write a file called “x.md” saying “one, two”', 'write', { path: 'x.md', content: 'one, two' }],
  ['Run the command “rm -rf / ; ls”', 'bash', { command: 'rm -rf / ; ls' }],
  ['run wc -l sales.csv', 'bash', { command: 'wc -l sales.csv' }],
  ['Search the files for “a.b(”', 'grep', { pattern: String.raw`a\.b\(` }],
])('%s', async (request, name, input) => {
  const step = await next(ask(request))
  expect(step.calls).toMatchObject([{ name, input }])
})

test('notes are no files', async () => {
  expect((await next(ask('Read the note “Launch plan”'))).calls).toMatchObject([
    { name: 'read_note' },
  ])
  expect((await next(ask('List my notes'))).calls).toMatchObject([{ name: 'list_notes' }])
})

test('shows what a command printed, whatever it is', async () => {
  const prompt = ask('List the files')
  const step = await next(prompt)
  const { text } = await next(after(prompt, step, ['a ```` b']))
  expect(text).toBe('These are the files:\n\n`````text\na ```` b\n`````')
})

test.each([
  ['overloaded', 503],
  ['broken', 500],
])(
  'a model that is to be %s is so as often as it was told, and once more when asked anew',
  async (how, statusCode) => {
    const model = createDemoModel({ speed: Infinity })
    const request = ask(`Be ${how} 2 times, then list the files`)
    for (let round = 0; round < 2; round++) {
      await expect(next(request, { model })).rejects.toMatchObject({ statusCode })
      await expect(next(request, { model })).rejects.toMatchObject({ isRetryable: true })
      const step = await next(request, { model })
      expect(step.calls).toMatchObject([{ name: 'glob' }])
      expect((await next(after(request, step, ['a.txt']), { model })).text).toContain('a.txt')
    }
  },
)
