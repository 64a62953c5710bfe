import { expect, test } from 'vitest'
import { splitHidden } from './visible-text.ts'

const labels = (text: string): string[] =>
  splitHidden(text).map((piece) => (typeof piece === 'string' ? piece : `<${piece.label}>`))

test('leaves what can be seen as it is, line breaks and tabs included', () => {
  expect(labels('rm -rf ./build\n\tls ü ñ 漢字 عربى')).toEqual([
    'rm -rf ./build\n\tls ü ñ 漢字 عربى',
  ])
  expect(labels('')).toEqual([])
})

test('names bidi controls, so that text cannot be read in another order than it is', () => {
  expect(labels('abc\u202etxt.exe\u202c')).toEqual(['abc', '<RLO>', 'txt.exe', '<PDF>'])
  expect(labels('\u2066a\u2069')).toEqual(['<LRI>', 'a', '<PDI>'])
  expect(splitHidden('\u202e')[0]).toEqual({ label: 'RLO', title: 'U+202E right-to-left override' })
})

test('names invisible characters, also those between the parts of what is no emoji', () => {
  expect(labels('exam\u200bple')).toEqual(['exam', '<ZWSP>', 'ple'])
  expect(labels('1\u200d2')).toEqual(['1', '<ZWJ>', '2'])
  expect(labels('a\u00adb\ufeff')).toEqual(['a', '<SHY>', 'b', '<BOM>'])
  expect(labels('ㅤ')).toEqual(['<U+3164>'])
})

test('names what can carry a hidden message: tags, variation selectors, private use', () => {
  expect(labels('hi\u{e0041}\u{e0042}')).toEqual(['hi', '<U+E0041>', '<U+E0042>'])
  expect(labels('x\ufe0fy\u{e0101}')).toEqual(['x', '<U+FE0F>', 'y', '<U+E0101>'])
  expect(labels('\ue000')).toEqual(['<U+E000>'])
})

test('names terminal escapes and spaces that are no plain space', () => {
  expect(labels('\u001b[31m')).toEqual(['<ESC>', '[31m'])
  expect(labels('a\u00a0b\u2003c')).toEqual(['a', '<NBSP>', 'b', '<U+2003>', 'c'])
  expect(labels('a\rb')).toEqual(['a', '<CR>', 'b'])
})

test('shows emoji whole, with their joiners, tones, flags and key caps', () => {
  const emoji = '👩🏽‍🔬 👨‍👩‍👧‍👦 ❤️‍🔥 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪 1️⃣'
  expect(labels(emoji)).toEqual([emoji])
})

test('survives lone surrogates', () => {
  expect(labels('a\ud800b')).toEqual(['a', '<U+D800>', 'b'])
})
