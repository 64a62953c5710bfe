/**
 * A name as a database keeps it: as it is, but for what its texts cannot hold or its tools would cut,
 * which becomes `\uxxxx`: half of a character, NUL, and `\` itself. Two names that differ stay so.
 */
export function encodeName(name: string): string {
  return name.replaceAll(
    /[\\\0\p{Surrogate}]/gu,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The name that was stored in this way. */
export function decodeName(text: string): string {
  return text.replaceAll(/\\u([0-9a-f]{4})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

const LAST_CHARACTER = 0x10_ff_ff

/**
 * The first text after all stored names that begin with a prefix, in the order of characters;
 * `undefined` when there is none.
 */
export function endOfNames(prefix: string): string | undefined {
  const characters = Array.from(encodeName(prefix))
  for (;;) {
    const last = characters.pop()?.codePointAt(0)
    if (last === undefined) return undefined
    if (last === LAST_CHARACTER) continue
    // Halves of characters are never stored.
    const next = last + 1 === 0xd8_00 ? 0xe0_00 : last + 1
    return characters.join('') + String.fromCodePoint(next)
  }
}
