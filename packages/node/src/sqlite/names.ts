/**
 * A name as it is stored: as it is, but for what a text of SQLite cannot hold or its tools would cut,
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
