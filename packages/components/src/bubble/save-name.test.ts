import { expect, test } from 'vitest'
import { saveName } from './save-name.ts'

test.each([
  ['report.pdf', 'report.pdf'],
  ['../../etc/passwd', '_.._etc_passwd'],
  ['invoice\u202Egpj.exe', 'invoice_gpj.exe'],
  ['a\u0000b\u200B.txt', 'a_b_.txt'],
  ['.bashrc', 'bashrc'],
  ['CON:aux|x?', 'CON_aux_x_'],
  ['...', 'file.png'],
  [undefined, 'file.png'],
])('saves %j as %j', (filename, expected) => {
  expect(saveName(filename, 'image/png')).toBe(expected)
})

test('keeps the end of a long name, which says what kind it is', () => {
  expect(saveName(`${'a'.repeat(500)}.exe`, 'image/png')).toMatch(/^a+\.exe$/)
})

test('a file of a kind that is no kind gets an ending that says nothing', () => {
  expect(saveName(undefined, 'x/../../y')).toBe('file.bin')
})
