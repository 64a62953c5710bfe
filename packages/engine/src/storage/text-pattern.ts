/**
 * A pattern of `LIKE` (escaped by `\\`) for the JSON of records that may have a text, whatever its case: databases do
 * not know every case as JavaScript does, so a letter that has one, and is none of ASCII, is any text.
 */
export function likeInJson(text: string): string {
  const pattern = Array.from(JSON.stringify(text).slice(1, -1), (character) => {
    if (/[%_\\]/.test(character)) return `\\${character}`
    const isCased = character.toLowerCase() !== character || character.toUpperCase() !== character
    return isCased && !/[a-z]/i.test(character) ? '%' : character
  })
  return `%${pattern.join('')}%`
}
