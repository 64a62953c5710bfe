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
export function findLookAlike(command: string): string | undefined {
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
