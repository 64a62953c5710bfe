import { describe, expect, test } from 'vitest'
import { after, ask, type ModelStep, next } from '../testing/model-steps.ts'
import { EXAMPLE_REQUESTS } from './answer.ts'

const names = (step: ModelStep) => step.calls.map(({ name }) => name)
const word = () => crypto.randomUUID().slice(0, 8)

describe('the demo model understands', () => {
  test.each(EXAMPLE_REQUESTS)('%s', async (request) => {
    const step = await next(ask(request))
    expect(step.text).not.toContain('I’m a demo model with no AI')
  })

  test('several tools in one step, a free one among them', async () => {
    const [a, b] = [word(), word()]
    const prompt = ask(`Clean up: archive “${a}” and delete “${b}”`)
    const step = await next(prompt)
    expect(step.calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: 'list_notes', input: {} },
      { name: 'archive_note', input: { title: a } },
      { name: 'delete_note', input: { title: b } },
    ])
    expect(step.finishReason).toBe('tool-calls')
    expect(new Set(step.calls.map(({ id }) => id)).size).toBe(3)

    const last = await next(
      after(prompt, step, [
        { notes: [{ title: a }, { title: b }] },
        { type: 'execution-denied', reason: 'keep it' },
        { type: 'error-text', value: 'disk full' },
      ]),
    )
    expect(last.calls).toEqual([])
    expect(last.finishReason).toBe('stop')
    expect(last.text).toContain(`There are 2 notes: “${a}” and “${b}”.`)
    expect(last.text).toContain(
      `You did not want me to archive the note “${a}”, so it did not happen. Your reason:\n\n> keep it`,
    )
    expect(last.text).toContain(
      `I could not delete the note “${b}”. What came back is:\n\n> disk full`,
    )
  })

  test('one tool for each name in a list', async () => {
    const step = await next(ask('delete “a, b”, “c” and “d and e”'))
    expect(step.calls.map(({ input }) => input)).toEqual([
      { title: 'a, b' },
      { title: 'c' },
      { title: 'd and e' },
    ])
  })

  test('steps that use what came before', async () => {
    const [title, content, addition] = [word(), word(), word()]
    let prompt = ask(`List my notes, then add “${addition}” to the first one`)
    const list = await next(prompt)
    expect(names(list)).toEqual(['list_notes'])
    prompt = after(prompt, list, [{ notes: [{ title }, { title: 'Other' }] }])
    const read = await next(prompt)
    expect(read.calls).toMatchObject([{ name: 'read_note', input: { title } }])
    prompt = after(prompt, read, [{ title, content }])
    const write = await next(prompt)
    expect(write.calls).toMatchObject([
      { name: 'write_note', input: { title, content: `${content}\n${addition}` } },
    ])
    prompt = after(prompt, write, [
      { title, content: `${content}\n${addition}`, created: false, revision: 41 },
    ])
    const last = await next(prompt)
    expect(last.text).toContain(`The note “${title}” was changed (revision 41)`)
    expect(last.text).toContain(`> ${content}\n> ${addition}`)
  })

  test('a note by its name, wherever it is in the list', async () => {
    const prompt = ask('add “x” to the note trip')
    const list = await next(prompt)
    const outputs = [{ notes: [{ title: 'Ideas' }, { title: 'Trip to Lisbon' }] }]
    expect((await next(after(prompt, list, outputs))).calls).toMatchObject([
      { name: 'read_note', input: { title: 'Trip to Lisbon' } },
    ])
    const none = await next(after(prompt, list, [{ notes: [{ title: 'Ideas' }] }]))
    expect(none.text).toBe('I find no note “trip”. There are “Ideas”.')
    expect(none.calls).toEqual([])
  })

  test('"then" as one step after another, and stops where a step fails', async () => {
    const prompt = ask('Read the note “Launch plan”, then delete it')
    const read = await next(prompt)
    expect(read.calls).toMatchObject([{ name: 'read_note', input: { title: 'Launch plan' } }])
    const done = await next(after(prompt, read, [{ title: 'Launch plan', content: 'c' }]))
    expect(done.calls).toMatchObject([{ name: 'delete_note', input: { title: 'Launch plan' } }])
    const failed = await next(after(prompt, read, [{ type: 'error-text', value: 'locked' }]))
    expect(failed.calls).toEqual([])
    expect(failed.text).toContain('> locked')
    expect(failed.text).toContain('left the rest undone')
  })

  test('a question that only the person can answer, and notes the answer', async () => {
    const [subject, said] = [word(), word()]
    const prompt = ask(`Ask me about ${subject}, then write it down`)
    const question = await next(prompt)
    expect(question.calls).toMatchObject([
      { name: 'ask_user', input: { question: `About ${subject}?` } },
    ])
    const write = await next(after(prompt, question, [said]))
    expect(write.calls).toMatchObject([
      { name: 'write_note', input: { title: `About ${subject}`, content: said } },
    ])
    const refused = await next(
      after(prompt, question, [{ type: 'execution-denied', reason: 'Not now' }]),
    )
    expect(refused.calls).toEqual([])
    expect(refused.text).toContain('I stopped there and left the rest undone.')

    const only = ask(`Ask me about ${subject}`)
    const last = await next(after(only, await next(only), [said]))
    expect(last.calls).toEqual([])
    expect(last.text).toBe(`You answered:\n\n> ${said}`)
  })

  test('a part of a request, and says which part it leaves out', async () => {
    const step = await next(ask('Archive A and tell me a joke'))
    expect(step.calls).toMatchObject([{ name: 'archive_note', input: { title: 'A' } }])
    expect(step.text).toBe(
      'I can’t do “tell me a joke” yet, so I’ll leave that out. I will archive the note “A”.',
    )
  })

  test('a look around before it cleans up', async () => {
    const prompt = ask('Clean up my notes')
    const list = await next(prompt)
    const outputs = [
      {
        notes: [
          { title: 'Done', words: 3, done: true, archived: false },
          { title: 'Old', words: 3, done: true, archived: true },
          { title: 'Empty', words: 0, done: false, archived: false },
          { title: 'Kept', words: 9, done: false, archived: false },
        ],
      },
    ]
    const clean = await next(after(prompt, list, outputs))
    expect(clean.calls).toMatchObject([
      { name: 'archive_note', input: { title: 'Done' } },
      { name: 'delete_note', input: { title: 'Empty' } },
    ])
  })

  test('every note at once', async () => {
    const prompt = ask('delete all my notes')
    const list = await next(prompt)
    const each = await next(after(prompt, list, [{ notes: [{ title: 'A' }, { title: 'B' }] }]))
    expect(each.calls).toMatchObject([
      { name: 'delete_note', input: { title: 'A' } },
      { name: 'delete_note', input: { title: 'B' } },
    ])
  })

  test('a summary made of what was read', async () => {
    let prompt = ask('Summarise my notes')
    const list = await next(prompt)
    prompt = after(prompt, list, [
      {
        notes: [
          { title: 'A', words: 41 },
          { title: 'B', words: 0 },
        ],
      },
    ])
    const read = await next(prompt)
    expect(names(read)).toEqual(['read_note', 'read_note'])
    prompt = after(prompt, read, [
      { title: 'A', content: 'one two|three\nfour' },
      { title: 'B', content: '' },
    ])
    const { text } = await next(prompt)
    expect(text).toContain('| A | 41 | one two\\|three |')
    expect(text).toContain('| B | 0 | *(empty)* |')
  })

  test('a report of what the page holds', async () => {
    const title = word()
    const prompt = ask('Send a report of my notes to ada@example.org.')
    const list = await next(prompt)
    expect(names(list)).toEqual(['list_notes'])
    const send = await next(after(prompt, list, [{ notes: [{ title }] }]))
    expect(send.calls).toMatchObject([
      { name: 'send_report', input: { to: 'ada@example.org', body: `Notes: ${title}.` } },
    ])
  })

  test('reasoning, before it speaks and before it acts', async () => {
    const topic = word()
    const thought = await next(ask(`Think about ${topic}`))
    expect(thought.reasoning).toContain(`“${topic}”`)
    expect(thought.text).toContain(`“${topic}”`)
    const kinds = thought.parts.map(({ type }) => type)
    expect(kinds.indexOf('reasoning-end')).toBeLessThan(kinds.indexOf('text-start'))

    const prompt = ask(`Think first, then delete the note “${topic}”`)
    const act = await next(prompt)
    expect(act.reasoning).toContain('cannot be brought back')
    expect(act.calls).toMatchObject([{ name: 'delete_note', input: { title: topic } }])
    const last = await next(after(prompt, act, [{ deleted: topic, remaining: 2 }]))
    expect(last.reasoning).toBe('')
    expect(last.text).toContain(`The note “${topic}” is gone for good; 2 are left.`)
  })

  test('a long text, with code, list and table', async () => {
    const topic = word()
    const { text, parts } = await next(ask(`Write a long answer about “${topic}”`))
    expect(text.startsWith(`# On ${topic}\n`)).toBe(true)
    expect(text.length).toBeGreaterThan(9000)
    expect(text).toMatch(/^```ts$/m)
    expect(text).toMatch(/^1\. /m)
    expect(text).toMatch(/^\| kind +\|/m)
    expect(parts.length).toBeGreaterThan(1000)
  })

  test('nothing else, and says what it does understand', async () => {
    for (const request of ['What is the meaning of life?', 'hello', '']) {
      const { text, calls } = await next(ask(request))
      for (const example of EXAMPLE_REQUESTS) expect(text).toContain(`- ${example}`)
      expect(text).toContain('no AI inside')
      expect(calls).toEqual([])
    }
  })
})
