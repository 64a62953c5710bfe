import { describe, expect, it } from 'vitest'
import { JsonNumber } from './json-number.ts'

function read(text: string): { number: JsonNumber; taken: string } {
  const number = new JsonNumber()
  let taken = ''
  for (const char of text) {
    if (!number.take(char)) break
    taken += char
  }
  return { number, taken }
}

describe('a number in pieces', () => {
  it.for([
    ['0', 0],
    ['-12', -12],
    ['1.50', 1.5],
    ['2e3', 2000],
    ['2E+3', 2000],
    ['25e-1', 2.5],
    ['1e400', Infinity],
  ] as const)('is whole at the end of %s', ([text, value]) => {
    const { number, taken } = read(text)
    expect(taken).toBe(text)
    expect(number.isWhole).toBe(true)
    expect(number.value).toBe(value)
  })

  it.for([
    ['-', undefined],
    ['3.', 3],
    ['3.1e', 3.1],
    ['3.1e-', 3.1],
  ] as const)('is worth as much as it had up to its last digit: %s', ([text, value]) => {
    const { number } = read(text)
    expect(number.isWhole).toBe(false)
    expect(number.value).toBe(value)
  })

  it.for(['+1', '.5', '01', '1..', '1.e', '1e5.', '--', '1-', 'e', ' 1'])(
    'takes nothing that the grammar does not have: %s',
    (text) => {
      expect(read(text).taken.length).toBeLessThan(text.length)
    },
  )
})
