/** A rule of gitleaks, as far as it is read. */
interface Rule {
  readonly id: string
  readonly regex: string | undefined
  readonly keywords: readonly string[]
}

/** What the rules become, and what does not. */
export interface CompiledRules {
  /** `kind`, `starts`, `pattern`, divided by tabs: tokens that are known by themselves. */
  readonly shapes: readonly string[]
  /** `pattern`, `names`, divided by a tab: values that are known by a name before them. */
  readonly named: readonly string[]
  /** Rules that stay out, each with its reason. */
  readonly left: ReadonlyMap<string, string>
}

/** Found by what is here already, in a way that leaves more of the text or needs less of it. */
const LEFT: ReadonlyMap<string, string> = new Map([
  [
    'aws-amazon-bedrock-api-key-short-lived',
    'it is the beginning only; service-token-shapes.ts masks the whole key',
  ],
  ['azure-ad-client-secret', 'structures.ts masks the secret part only'],
  [
    'curl-auth-header',
    'any gap of text before the secret; the header is found without the command',
  ],
  [
    'curl-auth-user',
    'any gap of text before the secret; context-finder.ts reads the command instead',
  ],
  ['facebook-access-token', 'structures.ts masks the secret part only'],
  ['freemius-secret-key', 'found by its name'],
  ['generic-api-key', 'names are judged by their words in secret-names.ts'],
  ['hashicorp-tf-api-token', 'structures.ts masks the secret part only'],
  ['hashicorp-tf-password', 'found by its name'],
  ['jwt', 'structures.ts also finds encrypted and unsigned ones'],
  ['jwt-base64', 'service-token-shapes.ts has what they begin with in practice'],
  [
    'kubernetes-secret-yaml',
    'any gap of text before the secret; kubernetes-secrets.ts reads the document',
  ],
  ['maxmind-license-key', 'it is known by its end; structures.ts has it'],
  ['microsoft-teams-webhook', 'service-token-shapes.ts leaves the address readable'],
  ['nuget-config-password', 'found by its name'],
  ['private-key', 'structure-finder.ts also finds one that is cut off'],
  ['sidekiq-sensitive-url', 'structures.ts finds passwords in all addresses'],
  ['slack-webhook-url', 'token-shapes.ts leaves the address readable'],
])

/** Other patterns than gitleaks has, which decides the rest by the whole file. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  // Without 40 bare hex digits: such are the hashes of commits.
  ['sourcegraph-access-token', 'sgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}'],
  // The dot, as it is meant.
  ['slack-config-access-token', String.raw`xoxe\.xox[bp]-\d-[A-Z0-9]{163,166}\w*`],
  // A digit for the old form: without one it is a name in a program.
  [
    'vault-service-token',
    String.raw`(?:hvs\.[\w-]{90,120}|s\.(?=[a-zA-Z]{0,23}\d)[a-zA-Z0-9]{24})`,
  ],
])

/** What a token begins with, where the keywords of its rule are something else. */
const STARTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['airtable-personnal-access-token', ['pat']],
  ['atlassian-api-token', ['atatt3']],
  ['cloudflare-origin-ca-key', ['v1.0-']],
  ['intra42-client-secret', ['s-s4t2']],
  ['openai-api-key', ['sk-']],
  ['sourcegraph-access-token', ['sgp_']],
])

const NAMED_MIDDLES = ['', ')'].map(
  (end) =>
    String.raw`(?:[ \t\w.-]{0,20})[\s'"]{0,3}` +
    end +
    String.raw`(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`,
)
const NAMED_START = String.raw`[\w.-]{0,50}?`
const AFTER = [
  String.raw`(?:[\x60'"\s;]|\\[nr]|$|\b)`,
  String.raw`(?:[\x60'"\s;]|\\[nr]|$)`,
  String.raw`(?:[^\w-]|\z)`,
  String.raw`(?:[^a-zA-Z0-9+/]|\z)`,
  String.raw`\b`,
]

/** Turns the rules of a `gitleaks.toml` into patterns of JavaScript. */
export function compileRules(toml: string): CompiledRules {
  const shapes: string[] = []
  const named = new Map<string, Set<string>>()
  const left = new Map<string, string>()
  for (const { id, regex, keywords } of readRules(toml)) {
    const reason = regex === undefined ? 'it looks at names of files' : LEFT.get(id)
    if (regex === undefined || reason !== undefined) {
      left.set(id, reason ?? '')
      continue
    }
    for (const part of alternativesOf(regex)) {
      const byName = !INSTEAD.has(id) ? namedOf(part) : undefined
      if (byName) {
        const names = named.get(byName.value) ?? new Set<string>()
        for (const name of byName.names) names.add(name)
        named.set(byName.value, names)
        continue
      }
      const pattern = checked(INSTEAD.get(id) ?? toPattern(part))
      shapes.push(
        [id.replaceAll('-', ' '), (STARTS.get(id) ?? keywords).join(' '), pattern].join('\t'),
      )
    }
  }
  return {
    shapes,
    named: [...named].map(([value, names]) => `${value}\t${[...names].join(' ')}`),
    left,
  }
}

/** `…(?:vendor)…=…(value)`: names, what stands between, and a value. */
function namedOf(part: string): { names: readonly string[]; value: string } | undefined {
  const middle = NAMED_MIDDLES.find((one) => part.includes(one))
  if (middle === undefined) return undefined
  const [head = '', value = ''] = part.split(middle)
  const words = head.replaceAll(NAMED_START, '').replace(/^\(\?i[):]/, '')
  const pattern = checked(toPattern(words).replace(/\\w\*$/, '')).toLowerCase()
  const names = spellingsOf(pattern)
  return {
    // What begins with another name is found by that.
    names: names.filter((name) => !names.some((one) => one !== name && name.startsWith(one))),
    value: checked(toPattern(value)),
  }
}

/**
 * The texts that a pattern of names stands for. Where a name goes on in several ways it is cut: other words may stand between
 * it and the value anyway.
 */
function spellingsOf(pattern: string): string[] {
  const inner = /^\(\?:(?<inner>.*)\)$/.exec(pattern)?.groups?.['inner']
  const whole = inner !== undefined && isBalanced(inner) ? inner : pattern
  const parts = topLevelParts(whole)
  if (parts.length > 1 || whole !== pattern) return [...new Set(parts.flatMap(spellingsOf))]
  const choice = /^(?<before>[^[(]*)\[(?<any>[^\]]+)\](?<maybe>\??)(?<rest>.*)$/.exec(whole)?.groups
  if (!choice) return [whole.split('(')[0] ?? whole]
  const { before = '', any = '', maybe, rest = '' } = choice
  const ways = [...new Set([...any, ...(maybe === '' ? [] : [''])])]
  return ways.flatMap((way) => spellingsOf(before + way + rest))
}

function topLevelParts(pattern: string): string[] {
  const parts: string[] = ['']
  for (const piece of pattern.split('|')) {
    const last = parts.at(-1) ?? ''
    if (last === '') parts[parts.length - 1] = piece
    else if (isBalanced(last)) parts.push(piece)
    else parts[parts.length - 1] = `${last}|${piece}`
  }
  return parts
}

function isBalanced(pattern: string): boolean {
  let depth = 0
  for (const character of pattern) {
    if (character === '(') depth++
    if (character === ')' && --depth < 0) return false
  }
  return depth === 0
}

/** Of a rule for two things, each: `…(vendor)…|\b(token)…`. */
function alternativesOf(regex: string): string[] {
  const at = regex.indexOf(String.raw`|\b(`)
  return at > 0 && regex.startsWith('(?i)[') ? [regex.slice(0, at), regex.slice(at + 1)] : [regex]
}

/**
 * From Go's RE2 to JavaScript. All is compared without regard to case, as most of the rules do at least in part; groups are
 * not kept. Where a rule does not say what must follow, the rest of the word belongs to it.
 */
function toPattern(regex: string): string {
  let pattern = regex
    .replace(/^(?:\(\?i\))?(?:\\b)?/, '')
    .replaceAll(/\(\?-?i\)/g, '')
    .replaceAll(/\(\?-?i:/g, '(?:')
    .replaceAll(/\(\?P<\w+>/g, '(?:')
    .replaceAll('[[:alnum:]]', '[a-z0-9]')
    .replaceAll('[:alnum:]', 'a-z0-9')
    .replaceAll(/(?<!\\)\((?!\?)/g, '(?:')
    .replaceAll(String.raw`)\b|`, ')|')
    .replaceAll(/\[(?:a-zA-Z0-9|A-Za-z0-9|0-9a-zA-Z)(?=[^\]]*\])/g, '[a-z0-9')
    .replaceAll(/\[(?:a-z0-9_(?:\\?-)|0-9a-z_(?:\\?-))\]/g, String.raw`[\w-]`)
  const after = AFTER.find((one) => pattern.endsWith(one))
  pattern = after === undefined ? `${pattern}\\w*` : pattern.slice(0, -after.length)
  pattern = pattern.replace(/\\b$/, '')
  const only = /^\(\?:(?<inner>[^()]*)\)$/.exec(pattern)?.groups?.['inner']
  return only !== undefined && !only.includes('|') ? only : pattern
}

/** The pattern, if JavaScript reads all of it as Go does. */
function checked(pattern: string): string {
  if (/\\[zAQC]|\(\?P|\(\?[a-z-]+[):]|\[\[:/.test(pattern))
    throw new Error(`Not converted: ${pattern}`)
  // Throws where it is no pattern of JavaScript.
  ''.search(new RegExp(pattern, 'i'))
  return pattern
}

function readRules(toml: string): Rule[] {
  return toml
    .split(/^\[\[rules\]\]$/m)
    .slice(1)
    .map((text) => text.split(/^\[\[rules\.allowlists\]\]$/m)[0] ?? '')
    .map((text) => ({
      id: /^id = "(.*)"$/m.exec(text)?.[1] ?? '',
      regex: /^regex = '''(.*)'''$/m.exec(text)?.[1],
      keywords: [
        ...(/^keywords = \[([^\]]*)\]/m.exec(text)?.[1]?.matchAll(/"([^"]+)"/g) ?? []),
      ].map(([, word = '']) => word),
    }))
}
