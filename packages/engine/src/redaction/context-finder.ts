import { isPlaceholder } from './assignment-finder.ts'
import { commandPasswords } from './command-passwords.ts'
import { KUBERNETES_KIND, kubernetesSecrets } from './kubernetes-secrets.ts'
import type { Found, Search } from './search.ts'
import type { Finder } from './spans.ts'

/** The kinds that {@link contextFinder} finds. */
export const CONTEXT_KINDS = [
  'password',
  'azure signature',
  'service account',
  KUBERNETES_KIND,
] as const

/** So far around it a secret is looked at for what says that it is one. */
const AROUND = 2_000

/**
 * Finds secrets that are known only by what is around them: the passwords of `curl -u` and of
 * `.netrc` and of other commands, the signature of a shared address of Azure, the whole key file of a service account,
 * the values of a `Secret` of Kubernetes.
 */
export const contextFinder: Finder = {
  find: (text) => [...search(text)].filter(({ isSecret }) => isSecret),
  holdFrom(text) {
    let hold = text.length
    for (const { start, reach } of search(text)) {
      if (reach === text.length) hold = Math.min(hold, start)
    }
    return hold
  },
}

function* search(text: string): Generator<Found> {
  for (const one of SEARCHES) yield* one(text)
}

const USER =
  /(?<=\s)(?:-[A-Za-z]{0,8}[uU][ \t]{0,4}|--(?:proxy-)?user(?:=|[ \t]{1,4}))(?<quote>["']?)[^\s:"'\\|;&<>]{1,100}:/g
const UP_TO = { '': /[^\s"'|;&<>]*/y, '"': /[^"\n]*/y, "'": /[^'\n]*/y }

/** `curl -u name:password` */
function* curlPasswords(text: string): Generator<Found> {
  for (const match of text.matchAll(USER)) {
    const before = text.slice(Math.max(0, match.index - AROUND), match.index)
    // A command goes on in the next line after `\`.
    const command = before.slice(before.search(/(?<!\\\r?)\n[^\n]*(?:\\\r?\n[^\n]*)*$/) + 1)
    if (!/\bcurl(?:\.exe)?\s/.test(`${command} `)) continue
    const quote = match.groups?.['quote']
    const start = match.index + match[0].length
    const end = endOf(quote === '"' || quote === "'" ? UP_TO[quote] : UP_TO[''], text, start)
    const value = text.slice(start, end)
    const isSecret = value !== '' && !isPlaceholder(value)
    yield { kind: 'password', start, end, reach: end, isSecret }
  }
}

// One blank: with an empty mask, the word after two would be the next password.
const NETRC_PASSWORD = /(?<=\s)password(?: |\t{1,8})(?! )/g
const NETRC_ENTRY =
  /(?:^|\s)(?:machine\s{1,8}\S{1,255}|default)(?:\s{1,8}(?:login|user|account|port)\s{1,8}\S{1,255}){0,4}\s{1,8}$/
const WORD = /\S*/y

/** `machine host login name password secret` */
function* netrcPasswords(text: string): Generator<Found> {
  for (const match of text.matchAll(NETRC_PASSWORD)) {
    const before = text.slice(Math.max(0, match.index - AROUND), match.index)
    if (!NETRC_ENTRY.test(before)) continue
    const start = match.index + match[0].length
    const end = endOf(WORD, text, start)
    const isSecret = end > start && !isPlaceholder(text.slice(start, end))
    yield { kind: 'password', start, end, reach: end, isSecret }
  }
}

const SIGNATURE = /(?:[?&;]|\bamp;)sig=(?=(?<value>[\w%+/=-]*))/gi
const IN_QUERY = /[^\s"'`<>\\]*/y
const OF_AZURE = /(?:[?&;])s[ev]=/i

/** `?sv=…&se=…&sig=…` */
function* azureSignatures(text: string): Generator<Found> {
  for (const match of text.matchAll(SIGNATURE)) {
    const start = match.index + match[0].length
    const end = start + (match.groups?.['value']?.length ?? 0)
    const isLong = end - start >= 20
    const rest = isLong ? text.slice(end, end + AROUND) : ''
    const after = rest.slice(0, endOf(IN_QUERY, rest, 0))
    const before = isLong ? text.slice(Math.max(0, start - AROUND), start) : ''
    const isSecret =
      isLong && (OF_AZURE.test(after) || OF_AZURE.test(/\S*$/.exec(before)?.[0] ?? ''))
    yield { kind: 'azure signature', start, end, reach: end + after.length, isSecret }
  }
}

const ACCOUNT = /"type\\?"\s{0,8}:\s{0,8}\\?"service_account\\?"/g
/** No such file is longer. */
const LONGEST_ACCOUNT = 8_000

/** An object of JSON of this type with a private key in it, also as a text of JSON */
function* serviceAccounts(text: string): Generator<Found> {
  let from = 0
  for (const match of text.matchAll(ACCOUNT)) {
    if (match.index < from) continue
    const earliest = Math.max(from, match.index - LONGEST_ACCOUNT)
    const brace = text.slice(earliest, match.index).lastIndexOf('{')
    if (brace === -1) continue
    const start = earliest + brace
    const whole = text.slice(start, start + LONGEST_ACCOUNT)
    const close = whole.indexOf('}', match.index - start)
    const end = start + (close === -1 ? whole.length : close + 1)
    const isSecret = /"private_key\\?"/.test(text.slice(start, end))
    yield { kind: 'service account', start, end, reach: close === -1 ? end : 0, isSecret }
    from = end
  }
}

const SEARCHES: readonly Search[] = [
  curlPasswords,
  netrcPasswords,
  azureSignatures,
  serviceAccounts,
  kubernetesSecrets,
  commandPasswords,
]

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return at + (pattern.exec(text)?.[0].length ?? 0)
}
