/** Says what a name stands for when its value is a secret: the kind, else nothing. */
export type NameJudge = (name: string) => string | undefined

/** The kinds that names stand for. */
export const NAME_KINDS = [
  'password',
  'api key',
  'private key',
  'authorization',
  'cookie',
  'credential',
  'token',
  'secret',
] as const

/** In the order in which they are tried. Matched by words of a name. */
const KINDS: readonly (readonly [kind: (typeof NAME_KINDS)[number], words: RegExp])[] = [
  [
    'password',
    /(?:passwords?|passwd|passphrase|passcode|pwd|\bpsk)\d{0,3}\b|\bpre ?shared ?key$|\b(?:admin|database|db|email|ftp|http|login|mail|mongo|mysql|pg|postgres|proxy|redis|root|smtp|ssh|user) pass$/,
  ],
  [
    'private key',
    /\bclient key data$|\bprivate\b(?! (?:address|dns|endpoint|ips?|link|network|repo|repository|subnet|vpc)\b)/,
  ],
  [
    'api key',
    /\b(?:api|access|account|signing|encryption|master|shared) ?keys?\d{0,3}\b|apikeys?\d{0,3}\b/,
  ],
  ['authorization', /\bauth(?:n|z|orization|entication)?\b/],
  ['cookie', /\bcookies?\b/],
  ['credential', /credentials?\b/],
  ['token', /tokens?\d{0,3}\b|\bjwt\b/],
  ['secret', /secrets?\d{0,3}\b/],
]

/** What a name says about a secret, when it ends so, is not the secret. */
const ABOUT =
  /\b(?:algorithm|at|budget|count|description|enabled|endpoint|error|errors|expires|expiration|expiry|field|format|hint|id|ids|in|index|issuer|label|length|limit|max|message|method|min|mode|name|path|policy|provider|required|scope|scopes|size|status|title|total|ttl|type|uri|url|usage|used|valid|verified|version)$/

/** Tokens that are counted, or that only say where a list goes on. */
const NO_SECRET_TOKENS =
  /\b(?:cached|completion|continuation|cursor|input|max|min|next|num|output|page|pagination|prompt|reasoning|resume|sync|total) (?:page )?tokens?$/

/** Longer names are read no further. */
const LONGEST_NAME = 100

/** Judges names by the words in them, and by those that the app adds. */
export function createNameJudge(more: readonly (string | RegExp)[]): NameJudge {
  const own = more.map((name) =>
    typeof name === 'string'
      ? new Set([wordsOf(name)])
      : new RegExp(name.source, name.flags.replaceAll(/[gy]/g, '')),
  )
  return (name) => {
    const words = wordsOf(name)
    const isOwn = own.some((one) => (one instanceof RegExp ? one.test(name) : one.has(words)))
    if (isOwn) return 'credential'
    if (ABOUT.test(words) || NO_SECRET_TOKENS.test(words)) return undefined
    return KINDS.find(([, pattern]) => pattern.test(words))?.[0]
  }
}

/** `dbPassword`, `DB_PASSWORD` and `db-password` are `db password`. */
function wordsOf(name: string): string {
  return name
    .slice(0, LONGEST_NAME)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()
}
