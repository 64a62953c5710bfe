const QUOTED = new RegExp(
  [
    '“([^”]*)”',
    '"([^"]*)"',
    '«([^»]*)»',
    '`([^`]*)`',
    // An apostrophe inside a word opens nothing.
    String.raw`(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])`,
    String.raw`(?<![\p{L}\p{N}])‘([^’]+)’(?![\p{L}\p{N}])`,
  ].join('|'),
  'gu',
)
// Private-use characters stand for a quoted value, so that no pattern looks inside of it.
const HIDDEN = /\uE000(\d+)\uE001/gu

/** Matches one hidden quoted value in the text of a {@link Phrase}; for use inside patterns. */
export const QUOTE = String.raw`\uE000\d+\uE001`

/** A person's words with their quoted values hidden from pattern matching. */
export interface Phrase {
  /** Each quoted value is one opaque mark. */
  readonly text: string
  /** Puts the quoted values back, without their quotes. */
  readonly restore: (text: string) => string
}

/** Hides the quoted values of a text. All common kinds of quotes count. */
export function readPhrase(words: string): Phrase {
  const values: string[] = []
  const text = words.replace(QUOTED, (...groups: unknown[]) => {
    const value = groups.slice(1, 7).find((group) => typeof group === 'string')
    values.push(typeof value === 'string' ? value : '')
    return `\uE000${values.length - 1}\uE001`
  })
  return {
    text,
    restore: (part) => part.replace(HIDDEN, (_, index: string) => values[Number(index)] ?? ''),
  }
}

/** The same phrase, reduced to a part of its text. */
export function partOf(phrase: Phrase, text: string): Phrase {
  return { text, restore: phrase.restore }
}

/** One value in a person's words: a quoted one as it stands, another without its trimmings. */
export function valueOf(phrase: Phrase, text: string): string {
  const bare = text.trim()
  if (new RegExp(`^${QUOTE}[.!?]*$`, 'u').test(bare)) {
    return phrase.restore(bare.replace(/[.!?]*$/u, ''))
  }
  return phrase.restore(bare.replace(/[\s.!?,;:]+$/u, '').replace(/^[\s,;:]+/u, ''))
}

/** The quoted values in a text, in order. */
export function quotedValues(phrase: Phrase, text: string): string[] {
  return (text.match(new RegExp(QUOTE, 'gu')) ?? []).map(phrase.restore)
}

/** Names listed in a person's words: “A”, “B” and “C”; the note Shopping and my note Ideas. */
export function namesIn(phrase: Phrase, text: string): string[] {
  const quoted = quotedValues(phrase, text)
  if (quoted.length > 0) return quoted
  return text
    .split(/\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*/iu)
    .map((name) => bareName(phrase, name))
    .filter((name) => name !== '')
}

function bareName(phrase: Phrase, text: string): string {
  const name = text
    .replace(/^\s*(?:(?:the|my|our|a|an|that|this)\s+)+/iu, '')
    .replace(/^notes?\s+(?:(?:called|named|titled|about)\s+)?/iu, '')
    .replace(/^(?:called|named|titled)\s+/iu, '')
  return valueOf(phrase, name.replace(/(?<=\S)\s+notes?[\s.!?]*$/iu, ''))
}

const VERBS = [
  'write|create|make|save|jot|add|append|update|change|replace|overwrite|edit|set',
  'archive|delete|remove|erase|trash|drop|read|open|show|view|list|count',
  'search|find|look|export|send|email|mail|tell|get|check|give|what|which|how many',
].join('|')
const NEXT_VERB = String.raw`(?=(?:please\s+)?(?:${VERBS})\b)`
const THEN = new RegExp(
  String.raw`\s*[,;.]?\s*(?:\band\s+)?\b(?:then|after that|afterwards)\b,?\s+` + NEXT_VERB,
  'iu',
)
const AND = new RegExp(
  String.raw`(?:\s*(?:[,;.]\s+|\n\s*)(?:(?:and|also)\s+)?|\s+(?:and|also|plus|&)\s+(?:also\s+)?)` +
    NEXT_VERB,
  'iu',
)

/** What is to be done at once, and what after that: the clauses of each stage of a request. */
export function splitRequest(text: string): string[][] {
  return text.split(THEN).map((stage) =>
    stage
      .split(AND)
      .map(withoutManners)
      .filter((clause) => clause !== ''),
  )
}

const MANNERS =
  /^\s*(?:(?:hi|hello|hey|please|kindly|now|ok|okay|also|first|(?:can|could|would|will) you|i(?:'d| would) like you to|i want you to|let us|let's)\b[,!]?\s*)+/iu

/** A clause without "please", "could you" and the like in front. */
export function withoutManners(text: string): string {
  return text.replace(MANNERS, '').trim()
}
