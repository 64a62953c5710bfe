import type { NameJudge } from './secret-names.ts'
import type { Finder, Span } from './spans.ts'

/**
 * A name and what stands between it and its value: `=`, `:`, `=>`, or as an option, an element, an attribute of one, the
 * first of two texts that are given to what sets a value, a variable (`ENV NAME value`, `setx NAME value`), or a cell.
 */
const ASSIGNMENT =
  /(?<![\w.])(?<name>[A-Za-z_][\w.-]{0,79})(?:\\?["'`]\]?)?[ \t]{0,8}(?<sign>=>|:=|={1,3}|:)[ \t]{0,8}|--(?<option>[A-Za-z][\w-]{0,79})[ \t]{1,8}(?=[^\s-])|<(?<element>[A-Za-z][\w.-]{0,79})>|<[a-z]{1,20} (?:name|key)="(?<attribute>[A-Za-z][\w.-]{0,79})">|\b(?:define|putenv|setenv|setdefault|setProperty|SetEnvironmentVariable)\([ \t]{0,4}["'](?<first>[A-Za-z_][\w.-]{0,79})["'],[ \t]{0,8}(?=["'])|(?<![\w-])(?:ENV|setx?|setenv)[ \t]{1,8}(?<variable>[A-Z_][A-Z0-9_]{0,79})[ \t]{1,8}(?=[^\s=])|\|[ \t]{0,40}`?(?<cell>[A-Za-z_][\w.-]{0,79})`?[ \t]{0,40}\|[ \t]{0,40}(?=[^\s|])/g
/** The name of which a `value` is told after it: `{"name": "API_KEY", "value": "…"}`, `<add key="password" value="…">` */
const NAMED =
  /\b(?:name|key)(?:\\?["'])?[ \t]{0,8}[:=][ \t]{0,8}(?:\\?["'])?(?<named>[A-Za-z_][\w.-]{0,79})(?:\\?["'])?[\s,]{0,80}(?:\\?["'])?$/i
/** So far before a value its name is looked for. */
const NAMED_WITHIN = 200
/** Variables of the environment that hold a key of some service, by a name that says no more. */
const KEY_VARIABLE =
  /^(?!(?:.*_)?(?:PUBLIC|CACHE|SORT|PARTITION|PRIMARY|FOREIGN|INDEX)_)[A-Z][A-Z0-9_]*_(?:KEY|PAT|SK)$/
/** What a key is, and no word: long, with letters and digits. */
const KEY_VALUE = /^(?=\D{0,100}\d)(?=[^A-Za-z]{0,100}[A-Za-z])(?:base64:)?[\w+/=~-]{16,}$/

const QUOTE = /\\?["'`]/y
const PLAIN = /[^\s"'`,;&<>(){}[\]|\\]*/y
const LINE = /[^\n"'`]*/y
const UNTIL_SPACE = /\S*/y

/** What stands in the place of a value, or is no value: types, states, words of a sentence. */
const NO_VALUE =
  /^(?:any|array|async|await|bool|boolean|bytes|changed|empty|expired|false|function|incorrect|int|integer|invalid|missing|needed|new|nil|no|none|not|null|nullable|number|object|ok|optional|redacted|required|reset|str|string|text|true|undefined|unknown|valid|void|wrong|yes)$/i
/** `$NAME`, `${name}`, `{{name}}`, `<name>`, `%s`, `****`, `…` */
const PLACEHOLDER =
  /^(?:\$\w{1,80}|\$?\{{1,3} ?[\w.:-]{1,80} ?\}{1,3}|<[\w -]{1,80}>|%\w|[*x•.…-]+)$/i
/** A name or call in a program. Bounded, so that no long text is read again from its next name on. */
const CODE =
  /^(?:::[\w:]{1,80}|(?:config|env|import|opts|options|os|process|props|req|self|settings|this)\.[\w.$]{1,80})$/
const CALLED = /^[\w$.]{1,80}$/

interface Value {
  readonly start: number
  readonly end: number
  readonly isSecret: boolean
}

/** Finds the values of names that stand for secrets, such as `password=…` or `"token": "…"`. */
export function createAssignmentFinder(judge: NameJudge): Finder {
  function* values(text: string): Generator<Value & Span> {
    ASSIGNMENT.lastIndex = 0
    for (let match = ASSIGNMENT.exec(text); match; match = ASSIGNMENT.exec(text)) {
      const { option, element, attribute, first, variable, cell, sign = ' ' } = match.groups ?? {}
      const name = match.groups?.['name'] ?? cell ?? ''
      const named = /^value$/i.test(name) ? nameBefore(text, match.index) : undefined
      const bare = option ?? element ?? attribute ?? first ?? variable ?? named
      const isTight = match[0].endsWith(`${name}=`)
      const known = judge(bare ?? name)
      const isKey = known === undefined && isTight && KEY_VARIABLE.test(name)
      const kind = isKey ? 'api key' : known
      if (kind === undefined) continue
      const from = match.index + match[0].length
      const isBare = bare !== undefined
      const read = readValue(text, from, { kind, name: named ?? name, sign, isBare, isTight })
      const isNoKey = isKey && !KEY_VALUE.test(text.slice(read.start, read.end))
      const isNone = isNoKey || (isTight && isWorkingFolder(text, name, from))
      const value = isNone ? { ...read, isSecret: false } : read
      yield { ...value, kind }
      // The next one may begin in what is no secret; each place is read once for all that.
      ASSIGNMENT.lastIndex = value.isSecret ? Math.max(value.end, from) : from
    }
  }

  return {
    find: (text) => [...values(text)].filter(({ isSecret }) => isSecret),
    holdFrom(text) {
      let hold = text.length
      for (const { start, end } of values(text)) {
        if (end === text.length) hold = Math.min(hold, start)
      }
      return hold
    },
  }
}

/** `PWD=/srv/app` and `OLDPWD=…`, as `env`, `set` and `declare -x` print them: no password. */
function isWorkingFolder(text: string, name: string, from: number): boolean {
  if (name !== 'PWD' && name !== 'OLDPWD') return false
  const before = text.charAt(from - name.length - 2)
  return /^\s?$/.test(before) && /^["']?\//.test(text.slice(from, from + 2))
}

function nameBefore(text: string, at: number): string | undefined {
  return NAMED.exec(text.slice(Math.max(0, at - NAMED_WITHIN), at))?.groups?.['named']
}

interface Assignment {
  readonly kind: string
  readonly name: string
  readonly sign: string
  /** As an option or an element. */
  readonly isBare: boolean
  /** `name=value`, without spaces. */
  readonly isTight: boolean
}

function readValue(text: string, from: number, assignment: Assignment): Value {
  const { kind, name, sign, isBare, isTight } = assignment
  const quote = matchAt(QUOTE, text, from)
  if (quote !== '') {
    const start = from + quote.length
    const end = endOfQuoted(text, start, quote)
    const value = text.slice(start, end)
    return { start, end, isSecret: value !== '' && !isPlaceholder(value) && !isSaid(value, name) }
  }
  const isHeader = sign === ':' && (kind === 'authorization' || kind === 'cookie')
  const isVariable = isTight && /^[A-Z][A-Z0-9_]*$/.test(name)
  const pattern = isHeader ? LINE : isVariable ? UNTIL_SPACE : PLAIN
  const value = matchAt(pattern, text, from)
  const end = from + value.length
  if (value === '' || isPlaceholder(value)) return { start: from, end, isSecret: false }
  // A whole line is read once only, so one of a single word is a secret too.
  if (isHeader) return { start: from, end, isSecret: value.trim() !== '' }
  if (isBare || isVariable) return { start: from, end, isSecret: !isSaid(value, name) }
  return { start: from, end, isSecret: isPlainSecret(value, text.charAt(end), assignment) }
}

/** Whether an unquoted value is a secret, and not code or prose. */
function isPlainSecret(value: string, next: string, { kind, name, isTight }: Assignment): boolean {
  const isPassword = kind === 'password'
  if (isSaid(value, name) || CODE.test(value)) return false
  if (/[([{]/.test(next) && CALLED.test(value)) return false
  if (/^\d+$/.test(value)) return isPassword || value.length >= 10
  const isName = /^[A-Za-z_$][A-Za-z_$.-]*$/.test(value)
  // One word in a file of settings is a value, in a file of code it is a name.
  if (isName) return value.length >= 6 && (isTight || (isPassword && /^[\r\n]?$/.test(next)))
  return value.length >= (isPassword ? 4 : 6)
}

/** Whether a value only says once more what its name says. */
function isSaid(value: string, name: string): boolean {
  const [one, other] = [value, name].map((text) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
  return one === other
}

/** Whether a value only keeps the place of one. */
export function isPlaceholder(value: string): boolean {
  return NO_VALUE.test(value) || PLACEHOLDER.test(value)
}

/** Where a quoted text ends: at its quote, else with its line. */
function endOfQuoted(text: string, from: number, quote: string): number {
  const isPlain = quote.length === 1
  let at = from
  while (at < text.length && text.charAt(at) !== '\n' && !text.startsWith(quote, at)) {
    at += isPlain && text.charAt(at) === '\\' ? 2 : 1
  }
  return Math.min(at, text.length)
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}
