import { expect, test } from 'vitest'
import { nextTick, watch } from 'vue'
import { createNotesWorkspace, isDone, SEED_NOTES, wordCount } from './notes.ts'

test('begins with something done, something empty and something to read', () => {
  const { notes } = createNotesWorkspace()
  expect(notes.value.map(({ title }) => title)).toEqual(SEED_NOTES.map(({ title }) => title))
  expect(notes.value.filter(isDone).map(({ title }) => title)).toEqual(['Trip to Lisbon'])
  expect(notes.value.filter((note) => wordCount(note) === 0)).toMatchObject([{ content: '' }])
})

test('shows what happens to it to whoever watches', async () => {
  let clock = 1000
  const {
    notes,
    write,
    archive,
    delete: remove,
  } = createNotesWorkspace({
    seed: [{ title: 'A', content: 'a' }],
    now: () => clock++,
  })
  const seen: string[][] = []
  watch(notes, (list) => void seen.push(list.map(({ title, revision }) => `${title}${revision}`)))
  expect(write('B', 'b')).toMatchObject({ created: true, note: { revision: 1, updatedAt: 1001 } })
  await nextTick()
  expect(write(' b ', 'bb')).toMatchObject({
    created: false,
    note: { title: 'B', content: 'bb', revision: 2 },
  })
  await nextTick()
  archive('a')
  await nextTick()
  remove('A')
  await nextTick()
  expect(seen).toEqual([['A1', 'B1'], ['A1', 'B2'], ['A2', 'B2'], ['B2']])
})

test('takes a note out of the archive when it is written', () => {
  const { archive, write, read } = createNotesWorkspace()
  archive('Ideas')
  expect(read('ideas').archived).toBe(true)
  expect(() => archive('Ideas')).toThrow('The note “Ideas” is in the archive already.')
  write('Ideas', 'fresh')
  expect(read('ideas')).toMatchObject({ archived: false, revision: 3 })
})

test('says which notes there are when one is missing', () => {
  const workspace = createNotesWorkspace({ seed: [{ title: 'A', content: '' }] })
  expect(() => workspace.read('B')).toThrow('There is no note “B”. There are: “A”.')
  expect(() => workspace.archive('B')).toThrow('There is no note “B”')
  expect(() => workspace.delete('constructor')).toThrow('There is no note “constructor”')
  workspace.delete('A')
  expect(() => workspace.read('A')).toThrow('There is no note “A”. There are none.')
})

test('counts words, not marks', () => {
  expect(wordCount({ content: '- [x] two words\n* [ ] öne, zwei – 3' })).toBe(5)
  expect(wordCount({ content: ' \n- \n' })).toBe(0)
  expect(isDone({ content: '- [x] a\n- [ ] b' })).toBe(false)
  expect(isDone({ content: 'nothing to tick' })).toBe(false)
})
