import { describe, expect, it } from 'vitest'
import { oddOnWindows } from './odd-names.ts'

describe('a name on Windows', () => {
  it.each([
    '\\\\server\\share\\x',
    '//server/share/x',
    '\\\\?\\C:\\x',
    'C:foo',
    'a.txt:stream',
    'a.txt::$DATA',
    'a.txt.',
    'a.txt ',
    'sub./x',
    'NUL',
    'con.txt',
    'sub/COM1',
    'LPT1.log',
    'PROGRA~1/x',
    'a?b',
    'a|b',
  ])('%j is refused', (path) => expect(oddOnWindows(path)).toMatch(/^(?:it|a name)/))

  it.each([
    'a.txt',
    'C:\\work\\a.txt',
    'sub\\b.txt',
    '..\\x',
    './x',
    'console.log',
    'com10',
    'a~b',
  ])('%j is a name', (path) => expect(oddOnWindows(path)).toBeUndefined())
})
