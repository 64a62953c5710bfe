/** Scripts with letters that cannot be told from Latin ones. */
const ELSEWHERE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u
const LATIN = /\p{Script=Latin}/u
/** All of it could be Latin, by its looks. */
const LOOKS_LATIN = /^[авеѕіјкмнорстухһԁԛԝӏьαειονυτρκχβηζμсոօցհ\d_-]+$/u
const LETTERS = /[\p{L}\p{M}\p{N}_-]+/gu

/**
 * The first letter of a command that looks like a Latin one and is none: in a word that holds Latin
 * letters too, as the first one of `аbc` or of `а.txt`. A name in letters of its own is fine.
 */
function findLookAlike(command: string): string | undefined {
  if (!ELSEWHERE.test(command)) return undefined
  for (const word of command.split(/\s+/)) {
    if (!LATIN.test(word)) continue
    for (const [letters] of word.matchAll(LETTERS)) {
      const [found] = ELSEWHERE.exec(letters) ?? []
      if (found !== undefined && (LATIN.test(letters) || LOOKS_LATIN.test(letters.toLowerCase()))) {
        return found
      }
    }
  }
  return undefined
}

/** The same in a sentence without its period. */
export function lookAlikeInWords(text: string): string | undefined {
  const found = findLookAlike(text)
  if (found === undefined) return undefined
  const code = found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  return `${found} looks Latin and is another letter (U+${code})`
}

/**
 * A reason, and after it the letter in it that only looks Latin, if it does not tell of it yet.
 *
 * @param shown what a person sees beside the reason
 */
export function withLookAlike(reason: string, shown = ''): string {
  const said = lookAlikeInWords(`${reason} ${shown}`)
  return said === undefined || reason.includes(said.slice(2)) ? reason : `${reason} ${said}.`
}
