import type { AssentLocale } from './locale.ts'

type Partly<WORDS> = WORDS extends (...args: never) => unknown
  ? WORDS
  : WORDS extends readonly unknown[]
    ? WORDS
    : WORDS extends object
      ? { readonly [KEY in keyof WORDS]?: Partly<WORDS[KEY]> | undefined }
      : WORDS

/** Words in the place of those of a locale: as few of them as there are to change. */
export type LocaleWords = Partly<AssentLocale>

/**
 * A locale with some words in the place of its own. Sections are laid over each other; texts, lists
 * and functions are replaced. What is `undefined` stays as it is.
 */
export function withWords(locale: AssentLocale, words: LocaleWords): AssentLocale {
  return layWords(locale, words)
}

/** Some words over others, section by section. */
export function layWords<WORDS extends object>(base: WORDS, over: object): WORDS {
  const result = { ...base }
  for (const [key, given] of Object.entries(over)) {
    if (given === undefined) continue
    const own: unknown = Reflect.get(base, key)
    Reflect.set(result, key, isSection(own) && isSection(given) ? layWords(own, given) : given)
  }
  return result
}

function isSection(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
