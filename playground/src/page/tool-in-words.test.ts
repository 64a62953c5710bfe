import { expect, test } from 'vitest'
import { toolInWords } from './tool-in-words.ts'

test('names a tool by its words', () => {
  expect(toolInWords('write_note')).toBe('Write note')
})
