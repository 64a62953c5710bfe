// @vitest-environment happy-dom
import { afterEach, expect, test } from 'vitest'
import { NOTES_KEY, notesOfBrowser } from './kept-notes.ts'
import { createNotesWorkspace, SEED_NOTES } from './notes.ts'

afterEach(() => localStorage.clear())

const load = () => createNotesWorkspace({ kept: notesOfBrowser() })
const titles = ({ notes }: ReturnType<typeof load>) => notes.value.map(({ title }) => title)

test('what was done to the notes is there after a reload, until they are as at first', () => {
  const before = load()
  before.write('New', 'text')
  before.archive('Ideas')
  before.delete('Scratchpad')
  const after = load()
  expect(after.notes.value).toEqual(before.notes.value)
  after.reset()
  expect(titles(load())).toEqual(SEED_NOTES.map(({ title }) => title))
})

test('notes that all were deleted stay so', () => {
  const before = load()
  for (const title of titles(before)) before.delete(title)
  expect(titles(load())).toEqual([])
})

test('what another page does is seen', () => {
  const [one, other] = [load(), load()]
  one.write('New', 'text')
  window.dispatchEvent(new StorageEvent('storage', { key: NOTES_KEY }))
  expect(titles(other)).toContain('New')
})

test.each(['[{', '{}', '[{"title":1}]'])('%s in the storage is as if nothing was there', (text) => {
  localStorage.setItem(NOTES_KEY, text)
  expect(titles(load())).toEqual(SEED_NOTES.map(({ title }) => title))
})
