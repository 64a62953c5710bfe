import { HIDDEN } from './visible-text.ts'

const UNSEEN = new RegExp(`(?!\\n)[${HIDDEN}]`, 'gu')

/**
 * A value as JSON in which no character is hidden: controls, bidi controls, zero-width characters and
 * separators of lines stand as `\uXXXX`. It is read as the same value, and what prints it (a terminal, a
 * log, an editor) shows what it says.
 *
 * @param indent blanks for each level; without it all is one line
 */
export function visibleJson(value: unknown, indent?: number): string {
  const json: string | undefined = JSON.stringify(value, null, indent)
  return (json ?? 'null').replaceAll(UNSEEN, escapeUnits)
}

/** Outside of texts JSON holds none of these, so each is within one. */
function escapeUnits(character: string): string {
  let escaped = ''
  for (let at = 0; at < character.length; at++) {
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }
  return escaped
}
