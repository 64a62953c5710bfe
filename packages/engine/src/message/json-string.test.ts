import { describe, expect, it } from 'vitest'
import { JsonString } from './json-string.ts'

/** Reads a text as far as it goes; answers where it came to. */
function read(string: JsonString, text: string): number | undefined {
  let at: number | undefined = 0
  while (at !== undefined && at < text.length && !string.isComplete) at = string.read(text, at)
  return at
}

describe('a string in pieces', () => {
  it('grows with each piece, and ends at its quote', () => {
    const string = new JsonString(false)
    read(string, 'ab')
    expect(string.value).toBe('ab')
    expect(read(string, 'c" , 1')).toBe(2)
    expect(string.value).toBe('abc')
    expect(string.isComplete).toBe(true)
  })

  it('counts an escape once it is complete, wherever it is cut', () => {
    const string = new JsonString(false)
    const values = ['a\\', 'n\\u', '00', 'e', '9\\"'].map((piece) => {
      read(string, piece)
      return string.value
    })
    expect(values).toEqual(['a', 'a\n', 'a\n', 'a\n', 'a\né"'])
    expect(string.isComplete).toBe(false)
  })

  it('puts the halves of a surrogate pair together', () => {
    const string = new JsonString(false)
    read(string, '\\ud83d')
    read(string, '\\ude00')
    expect(string.value).toBe('\u{1f600}')
  })

  it.for(['\\x', '\\u12g4', 'a\nb', '\u0000'])('cannot hold %j', (text) => {
    expect(read(new JsonString(false), text)).toBeUndefined()
  })

  it('cannot hold an escaped quote as a key, where the AI SDK sees its end', () => {
    expect(read(new JsonString(true), 'a\\"')).toBeUndefined()
    expect(read(new JsonString(true), 'a\\\\"')).toBe(4)
  })
})
