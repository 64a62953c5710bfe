import { expect, test } from 'vitest'
import { en } from './en.ts'
import { formatDuration, formatList, formatMoment, formatTime } from './format.ts'
import type { AssentLocale } from './locale.ts'
import { withWords } from './words.ts'
import { zhCN } from './zh-cn.ts'
import { zhTW } from './zh-tw.ts'

type Word = { path: string; value: unknown }

/** Every word of a locale with its place, sections and lists taken apart. */
function wordsOf(value: unknown, path = ''): Word[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }]
  return Object.entries(value).flatMap(([key, inner]) =>
    wordsOf(inner, path === '' ? key : `${path}.${key}`),
  )
}

/** What functions are called with that take something else than numbers or texts. */
const ARGUMENTS: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  'approvals.policies.when': [[['a', 'b', 'c']]],
  'approvals.policies.field': [
    { prefix: 'a/' },
    { glob: '*.md' },
    { oneOf: ['a', 1, null] },
    { min: 1 },
    { max: 2 },
    { min: 1, max: 2 },
  ].map((pattern) => ['path', pattern]),
  'ask.group.calls': [
    [['Read', 'file'], 1],
    [['Read', 'file'], 3],
    [['Sync'], 3],
  ],
  'approvals.tray.approveSeen': [
    [1, true],
    [3, false],
  ],
  denyWith: [['Not now']],
  'always.grant': [
    { kind: 'value', field: 'title', value: 'Alpha', isEverywhere: false, until: '6 PM' },
    { kind: 'folder', field: 'path', value: 'notes', isEverywhere: true, uses: 5 },
    { kind: 'input', isEverywhere: false, uses: 1 },
    { kind: 'tool', isEverywhere: true },
  ].map((given) => [{ toolName: 'write_note', ...given }]),
  notice: [
    ['max-steps', 25],
    ['max-continuations', 25],
    ['repeated-calls', 25],
    ['length', 25],
    ['content-filter', 25],
    ['refusal', 25],
    ['empty', 25],
  ],
  whyItAsks: [['A rule']],
  allowedByAlways: [['May 12'], [undefined]],
  'attach.uploading': [[undefined], [40]],
}

/** What a word says, in each of the ways that it can be asked. */
function said({ path, value }: Word): unknown[] {
  if (typeof value !== 'function') return [value]
  const given = ARGUMENTS[path] ?? [
    ['1', '2', '3'],
    [0, 3, 0],
    [1, 1, 1],
    [2, 3, 1],
    [3, 3, 0],
  ]
  return given.map((args) => value(...args.slice(0, Math.max(value.length, 1))))
}

const locales: [string, AssentLocale][] = [
  ['en', en],
  ['zh-CN', zhCN],
  ['zh-TW', zhTW],
]

/** Words that are the same in every language. */
const SAME = ['code', 'ask.form.asJson', 'askPosition', 'whyItAsks', 'ask.group.calls']
const isSame = (path: string): boolean => SAME.includes(path) || path.startsWith('attention.')

test.each(locales)('has a text for everything, whatever it is asked with: %s', (_, locale) => {
  const wrong = wordsOf(locale).flatMap((word) =>
    said(word)
      .filter(
        (text) =>
          typeof text !== 'string' || text.trim() === '' || /undefined|NaN|\[obj/.test(text),
      )
      .map((text) => `${word.path}: ${String(text)}`),
  )
  expect(wrong).toEqual([])
})

test.each(locales)('has exactly the words of English: %s', (code, locale) => {
  const paths = (words: AssentLocale): string[] => wordsOf(words).map(({ path }) => path)
  expect(paths(locale).toSorted()).toEqual(paths(en).toSorted())
  expect(locale.code).toBe(code)
})

test.each([zhCN, zhTW])('leaves nothing in English', (locale) => {
  const english = new Map(wordsOf(en).map((word) => [word.path, said(word)]))
  const left = wordsOf(locale).filter((word) => {
    if (isSame(word.path) || word.path.startsWith('approvals.attention.')) return false
    return said(word).some(
      (text, index) =>
        text === english.get(word.path)?.[index] || !/\p{Script=Han}/u.test(String(text)),
    )
  })
  expect(left.map(({ path }) => path)).toEqual([])
})

test('mainland and Taiwan each have their own characters', () => {
  const text = (locale: AssentLocale): string => wordsOf(locale).flatMap(said).join('')
  expect(text(zhCN)).not.toMatch(/[這個說對應開關發會來為時後過還項檔與並從單雙當]/u)
  expect(text(zhTW)).not.toMatch(/[这个说对应开关发会来为时后过还项档与并从单双当]/u)
})

test('counts one as one in English', () => {
  const wrong = wordsOf(en).flatMap(({ path, value }) => {
    // What is given as text has been counted before.
    if (typeof value !== 'function' || path in ARGUMENTS || /showAll|rows|cut|unread/.test(path))
      return []
    const text = String(value(1, 1, 1))
    return /(?<![\d.])1 (?!is |was |has )[a-z]*[^s\W]s\b/i.test(text) ? [`${path}: ${text}`] : []
  })
  expect(wrong).toEqual([])
})

test('takes other words in the place of some, and more of them', () => {
  const own = withWords(en, {
    deny: 'No',
    denyReasons: ['Because'],
    approveVerbs: { feed: 'Feed' },
    status: { success: 'Yay', error: undefined },
  })
  expect(own.deny).toBe('No')
  expect(own.denyReasons).toEqual(['Because'])
  expect(own.approveVerbs).toEqual({ ...en.approveVerbs, feed: 'Feed' })
  expect(own.status).toEqual({ ...en.status, success: 'Yay' })
  expect(en.deny).toBe('Deny')
})

test('says times, durations and lists as the language does', () => {
  const at = new Date(2026, 4, 12, 14, 2).getTime()
  expect(formatTime(en, at)).toMatch(/^2:02\sPM$/)
  expect(formatTime(zhCN, at)).toBe('14:02')
  expect(formatMoment(zhCN, at, at)).toBe('5月12日 14:02')
  const nextYear = new Date(2027, 0, 1).getTime()
  expect(formatMoment(en, at, nextYear)).toMatch(/^May 12, 2026, 2:02\sPM$/)
  expect(formatMoment(zhCN, at, nextYear)).toBe('2026年5月12日 14:02')
  expect(formatDuration(en, 1_240)).toBe('1.2s')
  expect(formatDuration(zhCN, 1_240)).toBe('1.2秒')
  expect(formatList(en, ['a', 'b', 'c'], 'and')).toBe('a, b, and c')
  expect(formatList(zhCN, ['a', 'b', 'c'], 'or')).toBe('a、b或c')
})
