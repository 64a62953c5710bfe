import { RUNS_ANYTHING } from './programs/writing.ts'
import type { PathRule } from './path-rule.ts'

/**
 * What commands are let through, asked about and refused, apart from what is known of them. A rule is
 * the words of a command: `npm test` is that command and no other, `git push *` every one that begins
 * so. In an allow the `*` stands for words that are no options. Deny is stronger than ask, ask than
 * allow.
 */
export interface CommandRules {
  /**
   * Commands that need no question. Not the beginning of a program that runs whatever it is told
   * (interpreters, shells, package managers, `env`, `find` …): such a rule is refused by its name.
   */
  readonly allow?: readonly string[]
  /** Commands that a person is always asked about, also those that only read. */
  readonly ask?: readonly string[]
  /** Commands that never run. */
  readonly deny?: readonly string[]
  /** Judges the paths that commands name; default: by their text. */
  readonly judgePath?: PathRule
}

/** A rule as it is compared: by words, never by text. */
export interface Rule {
  readonly text: string
  readonly words: readonly string[]
  readonly isPrefix: boolean
}

/** The rules of each kind, ready to be compared. */
export interface RuleBook {
  /** Whether there are any rules of a kind. */
  has(kind: 'allow' | 'ask' | 'deny'): boolean
  /** Whether a command may fall under a rule that asks or denies, as soon as all of its words are known. */
  mayFind(words: readonly (string | undefined)[]): boolean
  /** The rule that a command falls under. */
  find(kind: 'allow' | 'ask' | 'deny', words: readonly (string | undefined)[]): Rule | undefined
}

/** Reads rules. Throws a `RangeError` for one that could let through more than it says. */
export function readRules({ allow = [], ask = [], deny = [] }: CommandRules): RuleBook {
  const rules = { allow: allow.map(readRule), ask: ask.map(readRule), deny: deny.map(readRule) }
  for (const { text, words, isPrefix } of rules.allow) {
    const isGit = words[0] === 'git' && (words[1] === undefined || words[1].startsWith('-'))
    if (isPrefix && (isGit || RUNS_ANYTHING.has(words[0] ?? ''))) {
      throw new RangeError(
        `The rule "${text}" would allow anything, since ${words[0]} runs what it is told. ` +
          'Name whole commands, without the *.',
      )
    }
  }
  return {
    has: (kind) => rules[kind].length > 0,
    mayFind: (words) =>
      [...rules.ask, ...rules.deny].some((rule) =>
        matches(rule, words, { isStrict: true, isLoose: true }),
      ),
    find: (kind, words) =>
      rules[kind].find((rule) => matches(rule, words, { isStrict: kind !== 'allow' })),
  }
}

function readRule(text: string): Rule {
  const words = text.trim().split(/\s+/)
  const isPrefix = words.at(-1) === '*'
  if (isPrefix) words.pop()
  if (words.length === 0 || words.some((word) => word === '' || /["'`$\\*]/.test(word))) {
    throw new RangeError(
      `"${text}" is no rule: it takes plain words, and * at the end for any further ones.`,
    )
  }
  return { text, words, isPrefix }
}

/** Whether the `*` of an allow stands for a word: never for an option, nor for what Git runs. */
function isPlainOperand(program: string | undefined, word: string | undefined): boolean {
  if (word === undefined || word.startsWith('-')) return false
  return program !== 'git' || !word.includes('::')
}

/** A word that is not known matches nothing, unless that would be the milder answer. */
function matches(
  { words, isPrefix }: Rule,
  given: readonly (string | undefined)[],
  { isStrict, isLoose = false }: { readonly isStrict: boolean; readonly isLoose?: boolean },
): boolean {
  // One that is not known may be several, or none.
  const isOpen = isLoose && given.includes(undefined)
  if (!isOpen && (isPrefix ? given.length < words.length : given.length !== words.length))
    return false
  if (!isStrict && given.includes(undefined)) return false
  if (!isStrict && !given.slice(words.length).every((word) => isPlainOperand(words[0], word))) {
    return false
  }
  const known = isOpen ? given.slice(0, given.indexOf(undefined)) : given
  return words.every((word, index) => {
    const other = known[index]
    if (other === undefined) return isOpen
    return isStrict && index === 0 ? word.toLowerCase() === other.toLowerCase() : word === other
  })
}
