import type { Redact, RedactContext } from '../redact.ts'
import { createAssignmentFinder } from './assignment-finder.ts'
import { CONTEXT_KINDS, contextFinder } from './context-finder.ts'
import { fieldName } from './field-name.ts'
import { GITLEAKS_KINDS, gitleaksFinder } from './gitleaks-finder.ts'
import { createKnownValueFinder, KNOWN_KIND } from './known-values.ts'
import { createNameJudge, NAME_KINDS } from './secret-names.ts'
import { maskSpans, type Finder, type Span } from './spans.ts'
import { structureFinder, STRUCTURE_KINDS } from './structure-finder.ts'
import { couldRun, hiddenInEvidence } from './evidence.ts'
import { createTokenFinder, escape } from './token-finder.ts'
import { TOKEN_SHAPES } from './token-shapes.ts'
import { lengthWithoutUnfinished, readingsOf } from './without-escapes.ts'

/** A shape of secrets that the app knows. */
export interface SecretPattern {
  /** What it is, as the mask says it. */
  readonly kind: string
  /**
   * What it looks like; of a pattern with a group `secret` only that group is masked. It must not
   * take longer than linear time: outputs are untrusted.
   */
  readonly pattern: RegExp
}

/** Options of {@link createRedactor}. */
export interface RedactorOptions {
  /**
   * Secrets themselves, such as the values of environment variables: found as they are, and encoded
   * in JSON, in addresses and in base64. Those of less than 4 characters are left out.
   */
  knownValues?: readonly string[]
  /** More names whose values are secrets: words in any spelling (`apiKey`, `API_KEY`), or patterns. */
  keys?: readonly (string | RegExp)[]
  /** More shapes. With any, partial texts are shown without their last word. */
  patterns?: readonly SecretPattern[]
  /** Stands in the place of a secret; not itself a secret. Default: `[secret: <kind>]`. */
  mask?: (kind: string) => string
}

/** No finder knows a shorter one, with what it is found by. */
const SHORTEST_SECRET = 4
/** Masking brings nothing new to light; this is only to be sure of an end. */
const MOST_PASSES = 4

/**
 * Makes a function that masks secrets, for the option `redact` of `toolPlugin`. It finds known
 * values, tokens of some two hundred services by the rules of gitleaks and its own, keys, passwords in addresses and assignments, and hides
 * every text that has a name such as `password` in an output. Masking once more changes nothing.
 *
 * It takes linear time whatever the text, and knows no context beyond it: a secret that looks like
 * any other word is found by its name, or as a known value. The beginning of a secret at the end of
 * a partial text is kept back.
 */
export function createRedactor(options: RedactorOptions = {}): Redact {
  const { knownValues = [], keys = [], patterns = [], mask = defaultMask } = options
  const judge = createNameJudge(keys)
  const finders: readonly Finder[] = [
    createKnownValueFinder(knownValues),
    createTokenFinder(TOKEN_SHAPES),
    gitleaksFinder,
    structureFinder,
    contextFinder,
    createAssignmentFinder(judge),
    ...patterns.map(patternFinder),
  ]
  const kinds = [
    KNOWN_KIND,
    ...NAME_KINDS,
    ...STRUCTURE_KINDS,
    ...CONTEXT_KINDS,
    ...GITLEAKS_KINDS,
    ...TOKEN_SHAPES.map(({ kind }) => kind),
    ...patterns.map(({ kind }) => kind),
  ]
  const masks = new Set(kinds.map(mask).filter((text) => text !== ''))
  const anyMask = new RegExp(`(${[...masks].map(escape).join('|')})`)

  /** The secrets in a text, without its masks, which are not looked into. */
  function find(text: string): Span[] {
    let offset = 0
    const pieces = masks.size === 0 ? [text] : text.split(anyMask)
    return pieces.flatMap((piece) => {
      const from = offset
      offset += piece.length
      if (piece.length < SHORTEST_SECRET || masks.has(piece)) return []
      return readingsOf(piece).flatMap((reading) =>
        finders
          .flatMap((finder) => finder.find(reading.text))
          .map(({ start, end, kind }) => ({
            start: from + reading.placeOf(start),
            end: from + reading.placeOf(end - 1) + 1,
            kind,
          })),
      )
    })
  }

  /** Where the end of a partial text begins that can become a secret. */
  function holdFrom(text: string): number {
    const whole = text.slice(0, lengthWithoutUnfinished(text))
    const holds = readingsOf(whole).flatMap((reading) =>
      finders.map((finder) => reading.placeOf(finder.holdFrom(reading.text))),
    )
    return Math.min(whole.length, ...holds)
  }

  function redact(
    text: string,
    { key, within, isPartial, isEvidence = false }: RedactContext,
  ): string {
    const kind = key === undefined ? undefined : judge(fieldName(key, within))
    const isWhole = kind !== undefined && text !== '' && !(isEvidence && couldRun(text))
    if (isWhole) return masks.has(text) ? text : mask(kind)
    const held = isPartial ? holdFrom(text) : text.length
    let safe = text
    let end = held
    for (let pass = 0; pass < MOST_PASSES; pass++) {
      const found = find(safe)
      const spans = isEvidence ? hiddenInEvidence(safe, found) : found
      safe = maskSpans(safe, spans, mask, end)
      end = safe.length
      if (spans.length === 0) break
    }
    return safe
  }

  return Object.assign(redact, { holdsBack: patterns.length === 0 })
}

function defaultMask(kind: string): string {
  return `[secret: ${kind}]`
}

function patternFinder({ kind, pattern }: SecretPattern): Finder {
  const flags = pattern.flags.replaceAll(/[gyd]/g, '')
  const all = new RegExp(pattern.source, `${flags}gd`)
  return {
    find: (text) =>
      [...text.matchAll(all)].flatMap(({ indices }) => {
        const [start, end] = indices?.groups?.['secret'] ?? indices?.[0] ?? [0, 0]
        return end > start ? [{ start, end, kind }] : []
      }),
    holdFrom: (text) => text.length,
  }
}
