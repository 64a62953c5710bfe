const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Everything below is a control character, which a string may hold only escaped. */
const SPACE = 0x20

const ESCAPES = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/** A string of JSON that comes in pieces, from behind its opening quote. */
export class JsonString {
  readonly isKey: boolean
  /** What was read so far, decoded; an escape counts once it is complete. */
  value = ''
  isComplete = false
  /** What was read of an escape, its backslash first. */
  #escape = ''

  constructor(isKey: boolean) {
    this.isKey = isKey
  }

  /** Reads on at an index; answers where it came to, or `undefined` for what no string can hold. */
  read(text: string, from: number): number | undefined {
    if (this.#escape !== '') return this.#readEscape(text.charAt(from)) ? from + 1 : undefined
    const end = endOfPlainText(text, from)
    this.value += text.slice(from, end)
    if (end === text.length) return end
    switch (text.charCodeAt(end)) {
      case QUOTE:
        this.isComplete = true
        return end + 1
      case BACKSLASH:
        this.#escape = '\\'
        return end + 1
      default:
        return undefined
    }
  }

  #readEscape(char: string): boolean {
    this.#escape += char
    if (this.#escape.startsWith('\\u')) return this.#escape === '\\u' || this.#readHex(char)
    const meant = ESCAPES.get(char)
    // The AI SDK takes an escaped quote for the end of a key.
    if (meant === undefined || (meant === '"' && this.isKey)) return false
    return this.#endEscape(meant)
  }

  #readHex(digit: string): boolean {
    if (!/[0-9a-f]/i.test(digit)) return false
    if (this.#escape.length < '\\u0000'.length) return true
    return this.#endEscape(String.fromCharCode(Number.parseInt(this.#escape.slice(2), 16)))
  }

  #endEscape(meant: string): true {
    this.value += meant
    this.#escape = ''
    return true
  }
}

function endOfPlainText(text: string, from: number): number {
  let at = from
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE || code === BACKSLASH || code < SPACE) break
    at++
  }
  return at
}
