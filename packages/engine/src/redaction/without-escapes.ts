/** A text as it is searched, and where its characters are in the one that was given. */
export interface Reading {
  readonly text: string
  /** Where a character of the text is in the one that was given; of its length, the end of that. */
  placeOf(index: number): number
}

// Colours and moves, as a terminal reads them: CSI, the strings of OSC and its like, all others.
const CSI = String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`
const STRING = String.raw`\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)`
const OTHER = String.raw`\u001b[ -/]*[0-~]`
/** Characters that nobody sees: one of them within a secret hides it from every pattern. */
const UNSEEN = String.raw`[\u00ad\u034f\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]`
const ANY = new RegExp(`${CSI}|${STRING}|${OTHER}|${UNSEEN}`, 'g')
/** What of an escape says nothing to people; the text in one of the strings may. */
const SIGNS = new RegExp(`${CSI}|${OTHER}|${UNSEEN}`, 'g')
const UNFINISHED = new RegExp(String.raw`(?:\u001b[ -/]*|(?:\u001b\[|\u009b)[0-?]*[ -/]*)$`)
const DIVIDES = new RegExp(String.raw`[\u001b\u009b]|${UNSEEN}`)

/**
 * The ways in which a text is searched. One with the escapes of a terminal, or with what nobody sees, is read twice: without them,
 * since a colour may divide a secret, and with blanks in their place, since the `m` of a colour is
 * no letter before a secret.
 */
export function readingsOf(text: string): readonly Reading[] {
  if (!DIVIDES.test(text)) return [{ text, placeOf: (index) => index }]
  const blanked = text.replaceAll(SIGNS, (signs) => ' '.repeat(signs.length))
  return [{ text: blanked, placeOf: (index) => index }, stripped(text)]
}

/** How long a text is without an escape at its end that is not yet whole. */
export function lengthWithoutUnfinished(text: string): number {
  // Only its last characters are looked at: an escape is not long.
  const from = Math.max(0, text.length - 100)
  const at = text.slice(from).search(UNFINISHED)
  return at === -1 ? text.length : from + at
}

function stripped(text: string): Reading {
  const pieces: string[] = []
  /** Where each piece begins, here and in the text that was given. */
  const begins: number[] = []
  const places: number[] = []
  let length = 0
  let from = 0
  const add = (piece: string, place: number) => {
    if (piece === '') return
    pieces.push(piece)
    begins.push(length)
    places.push(place)
    length += piece.length
  }
  for (const match of text.matchAll(ANY)) {
    add(text.slice(from, match.index), from)
    from = match.index + match[0].length
  }
  add(text.slice(from), from)

  return {
    text: pieces.join(''),
    placeOf(index) {
      if (index >= length) return text.length
      let low = 0
      let high = begins.length
      while (high - low > 1) {
        const middle = (low + high) >> 1
        if ((begins[middle] ?? 0) <= index) low = middle
        else high = middle
      }
      return (places[low] ?? 0) + index - (begins[low] ?? 0)
    },
  }
}
