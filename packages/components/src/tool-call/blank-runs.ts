/** Blanks in a row that would push something out of sight, by their number. */
export type BlankRun = { readonly spaces: number } | { readonly blankLines: number }

/** In the middle of a line; in front of one they may be the indent of code. */
const MANY_SPACES = 12
const MANY_IN_FRONT = 32
const MANY_LINES = 4

const RUNS = new RegExp(
  String.raw`(?<=\n)(?:[ \t]*\n){${MANY_LINES},}|(?<![ \t\n]|^)[ \t]{${MANY_SPACES},}|[ \t]{${MANY_IN_FRONT},}`,
  'g',
)

/** A text in which long runs of blanks stand as their number: nothing stands far from what seems to be the end. */
export function splitBlanks(text: string): (string | BlankRun)[] {
  const pieces: (string | BlankRun)[] = []
  let seen = 0
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    if (index > seen) pieces.push(text.slice(seen, index))
    seen = index + run.length
    if (run.includes('\n')) pieces.push({ blankLines: run.split('\n').length - 1 }, '\n')
    else pieces.push({ spaces: run.length })
  }
  if (seen < text.length) pieces.push(text.slice(seen))
  return pieces
}

/** The text as short as it is shown. */
export function withoutBlanks(text: string, inWords: (run: BlankRun) => string): string {
  return splitBlanks(text)
    .map((piece) => (typeof piece === 'string' ? piece : inWords(piece)))
    .join('')
}
