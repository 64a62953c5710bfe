import { expect, test } from 'vitest'
import { enErrors } from './en-errors.ts'
import { enShortcuts } from './en-shortcuts.ts'
import { enForm, formWords } from './en-form.ts'
import { enPreview } from './en-preview.ts'
import { auditWords, enAudit, enPolicies } from './en-records.ts'
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
  'approvals.policies.given': [
    ['May 12', 'Delete a', 'in another conversation'],
    ['May 12', undefined, undefined],
  ],
  allowedByAlways: [['May 12'], [undefined]],
  'attach.uploading': [[undefined], [40]],
}

/** English with what is loaded later. */
const wholeEn: AssentLocale = {
  ...en,
  errors: enErrors,
  shortcuts: enShortcuts,
  ask: { ...en.ask, form: enForm, preview: enPreview },
  approvals: { ...en.approvals, policies: enPolicies, audit: enAudit },
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
  ['en', wholeEn],
  ['zh-CN', zhCN],
  ['zh-TW', zhTW],
]

/** Words that are the same in every language. */
const SAME = [
  'code',
  'labelled',
  'ask.form.asJson',
  'askPosition',
  'whyItAsks',
  'ask.group.calls',
  'approvals.policies.what',
]
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
  expect(paths(locale).toSorted()).toEqual(paths(wholeEn).toSorted())
  expect(locale.code).toBe(code)
})

test.each([zhCN, zhTW])('leaves nothing in English', (locale) => {
  const english = new Map(wordsOf(wholeEn).map((word) => [word.path, said(word)]))
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
  const wrong = wordsOf(wholeEn).flatMap(({ path, value }) => {
    // What is given as text has been counted before.
    if (typeof value !== 'function' || path in ARGUMENTS || /showAll|rows|cut|unread/.test(path))
      return []
    const text = String(value(1, 1, 1))
    return /(?<![\d.])1 (?!is |was |has |needs )[a-z]*[^s\W]s\b/i.test(text)
      ? [`${path}: ${text}`]
      : []
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

test('takes other words in the place of those that are loaded later', () => {
  const own = withWords(en, { approvals: { audit: { outcomes: { denied: 'No' } } } })
  expect(auditWords(own).outcomes).toEqual({ ...enAudit.outcomes, denied: 'No' })
  expect(auditWords(own).label).toBe(enAudit.label)
  expect(formWords(withWords(en, { ask: { form: { missing: 'Fill this' } } }))).toEqual({
    ...enForm,
    missing: 'Fill this',
  })
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

/** What nobody says, or what misleads: it must not come back. */
const NOT_SAID: Readonly<Record<string, readonly string[]>> = {
  en: [
    'waits for you',
    'wait for you',
    'at work',
    'by itself',
    'for good',
    'Held back',
    'you have seen',
    'cut off while it ran',
    'your always',
    'is not known',
    'dropped',
    'Another answer',
    'Leaves this app',
    'Makes a change',
    'needs a look',
    'is needed',
    'Set to nothing',
    'Leave x out',
    'is not taken',
    'Restored from before',
    'Answer it',
    'does not take this',
    'any past call.',
    'decision fits',
    'Without a date',
    'Do it now',
    'was answered with',
    'CORS',
  ],
  'zh-CN': [
    '仅这次调用',
    '立即执行',
    '长期授权',
    '本周',
    '撤回',
    '收回',
    '每次调用',
    '按更改批准',
    '哪些调用',
    '任何地方',
    '按住：',
    '再按一次：',
    '仅读取',
    '会作出更改',
    '输入被',
    '现在不行',
    '告知助手',
    '已经决定过了',
    '操作未成功',
    '已被跳过',
    '是否已生效未知',
    '回答它',
    '由你回答',
    '服务商',
    '不包括',
    '读作',
    '需要检查。',
    '丢弃，',
  ],
  'zh-TW': [
    '僅這次呼叫',
    '立即執行',
    '長期授權',
    '本週',
    '撤回',
    '收回',
    '資料行',
    '主題',
    '條訊息',
    '條未讀',
    '收起',
    '列表',
    '加入檔案',
    '怎樣',
    '出了點問題',
    '恢復草稿',
    '任何地方',
    '按住：',
    '供應商',
  ],
}

test.each(locales)('says nothing that misleads, in words that people use: %s', (code, locale) => {
  const found = wordsOf(locale).flatMap((word) =>
    said(word).flatMap((text) =>
      (NOT_SAID[code] ?? [])
        .filter((phrase) => String(text).includes(phrase))
        .map((phrase) => `${word.path}: ${phrase}`),
    ),
  )
  expect(found).toEqual([])
})

test.each([zhCN, zhTW])('a permission for equal calls is not said to hold once', (locale) => {
  expect(locale.always.exactly).toMatch(/完全相同/u)
  expect(locale.ask.undo.denyNow).not.toBe(locale.ask.undo.approveNow)
  expect(locale.ask.undo.denying(5)).not.toMatch(/^已/u)
})

const TEMPLATES: Record<string, string> = import.meta.glob('../**/*.vue', {
  query: '?raw',
  import: 'default',
  eager: true,
})

test('no template puts punctuation beside a word of a locale: sentences are whole in each language', () => {
  const beside = /\}\}(?:<\/[a-z]+>)?[,.:;“”(]|[,.:;“”(]\s?\{\{|\$\{[^}]*\}[,.:;] |[,.:;] \$\{/
  const found = Object.entries(TEMPLATES).flatMap(([path, text]) => {
    const template = text.slice(text.indexOf('<template>'))
    return template
      .split('\n')
      .filter((line) => beside.test(line))
      .map((line) => `${path}: ${line.trim()}`)
  })
  expect(found).toEqual([])
})
