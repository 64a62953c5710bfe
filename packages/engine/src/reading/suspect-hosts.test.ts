import { expect, test } from 'vitest'
import { suspectHosts } from './suspect-hosts.ts'

const found = (text: string): string[] => suspectHosts(text).map(({ ascii }) => ascii)

test('finds hosts that mix scripts which look alike', () => {
  expect(found('open https://аpple.com/login now')).toEqual(['xn--pple-43d.com'])
  expect(found('mail to dana@gοοgle.com')).toEqual(['xn--ggle-0nda.com'])
})

test('finds hosts that are all in letters which look Latin, and other forms of letters', () => {
  expect(found('https://аррӏе.com')).toEqual(['xn--80ak6aa92e.com'])
  expect(found('curl ｅvil.com')).toEqual(['evil.com'])
  expect(found('ⓔvil.example')).toEqual(['evil.example'])
})

test('leaves hosts in one script, and what is no host, alone', () => {
  for (const text of [
    'https://example.com/naïve.txt',
    'https://bücher.de and https://例え.jp and https://пример.рф',
    'Привет.Мир',
    'версия 1.2',
    'plain words',
    '東京2024.pdf',
  ]) {
    expect(found(text)).toEqual([])
  }
})

test('tells where the host stands', () => {
  const text = 'go to аpple.com'
  expect(suspectHosts(text)).toEqual([
    { index: text.indexOf('а'), host: 'аpple.com', ascii: 'xn--pple-43d.com' },
  ])
})
