/** What a value can begin with. */
const VALUE = '"{[-0123456789tfn'
const LITERALS = [true, false, null]
/** A number is read again with each of its pieces, so it must not grow for ever. */
const LONGEST_NUMBER = 999
const BLANKS = /[\t\n\r ]*/y
/** A scalar that cannot go on, or any other character. */
const TOKEN = /[-+.\da-zE]+(?![-+.\da-zE]|$)|[^-+.\da-zE]/y
/** What stands for itself in a string. */
const PLAIN_TEXT = /[ !#-[\]-\uffff]*/y
/** An escape that is not cut, or any other character. */
const SPECIAL = /\\(?:[^u]|u.{4})|[^\\]/sy

/** JSON that comes in pieces. */
export interface PartialJson {
  /** Takes the next piece, cut anywhere. */
  feed(piece: string): void
  /** The value so far; `undefined` while there is none. What is handed out never changes. */
  value(): unknown
}

/** A container that is still open. It is private until it closes: what is handed out are copies. */
interface Open {
  readonly outer?: Open
  /** Of an array. The text as a whole is read as an array, of which the first item counts. */
  readonly items?: unknown[] | undefined
  /** Of an object. */
  members: Record<string, unknown>
  /** The key of the next member. */
  key: string
}

/**
 * Reads JSON that comes in pieces. After each piece the value is what the AI SDK's
 * `parsePartialJson` makes of the whole text so far, at a fraction of the cost: `feed` looks at each
 * character once, and `value` copies only the containers that are still open.
 *
 * On purpose it differs in what the AI SDK hides or misreads. Of malformed text it shows what came
 * before the mistake; the keys `__proto__` and `constructor.prototype` become own properties, which
 * do no harm; a key may hold an escaped quote and a colon; and `1e+5` in an object is never `1`.
 */
export function createPartialJson(): PartialJson {
  /** The end of the text that is not read yet: a scalar or an escape that may go on. */
  let rest = ''
  /** How far {@link rest} is read. */
  let at = 0
  /** What the next token can begin with. */
  let expected = VALUE
  /** The string that is being read, as far as it is decoded. */
  let string: string | undefined
  let isKey = false
  let isMalformed = false
  const root: unknown[] = []
  let inner: Open = { items: root, members: {}, key: '' }

  /** Finds a pattern where the text is read to, and reads it; empty when it is not there. */
  function take(pattern: RegExp): string {
    pattern.lastIndex = at
    const found = pattern.exec(rest)?.[0] ?? ''
    at += found.length
    return found
  }

  /** Reads the next token; whether there was one. Throws for a mistake. */
  function read(): boolean {
    if (string !== undefined) return readString(string + take(PLAIN_TEXT), take(SPECIAL))
    take(BLANKS)
    if (!expected.includes(rest.charAt(at))) throw SyntaxError()
    return readToken(take(TOKEN))
  }

  function readString(text: string, special: string): boolean {
    if (special !== '"') {
      string = text
      if (special) string += JSON.parse(`"${special}"`)
      return special !== ''
    }
    string = undefined
    if (isKey) {
      inner.key = text
      expected = ':'
    } else add(text)
    return true
  }

  function readToken(token: string): boolean {
    switch (token) {
      case '':
        return false
      case '"':
        string = ''
        isKey = !expected.includes('[')
        break
      case '{':
        open('"}')
        break
      case '[':
        open(`${VALUE}]`, [])
        break
      case ',':
        expected = inner.items ? VALUE : '"'
        break
      case ':':
        expected = VALUE
        break
      case '}':
      case ']':
        close()
        break
      default:
        add(JSON.parse(token))
    }
    return true
  }

  function open(first: string, items?: unknown[]): void {
    inner = { outer: inner, items, members: {}, key: '' }
    expected = first
  }

  function close(): void {
    const { items, members, outer = inner } = inner
    inner = outer
    add(items ?? members)
  }

  /** Adds a complete value where the text has come to. */
  function add(value: unknown): void {
    const { outer, items, members, key } = inner
    if (items) items.push(value)
    // Assigning to `__proto__` would change the prototype instead.
    else if (key === '__proto__') inner.members = { ...members, [key]: value }
    else members[key] = value
    expected = outer ? (items ? ',]' : ',}') : ''
  }

  /** What is being read, if it counts as a value. */
  function tip(): unknown[] {
    if (string !== undefined) return isKey ? [] : [string]
    if (rest === '') return []
    const number = parseFloat(rest)
    return isNaN(number) ? LITERALS.filter((value) => `${value}`.startsWith(rest)) : [number]
  }

  return {
    feed(piece) {
      if (isMalformed) return
      rest += piece
      at = 0
      try {
        while (read());
        rest = rest.slice(at)
        isMalformed = rest.length > LONGEST_NUMBER
      } catch {
        isMalformed = true
        rest = ''
      }
    },
    value() {
      let last = tip()
      for (let container = inner; container.outer; container = container.outer) {
        last = [copyOf(container, last)]
      }
      return [...root, ...last][0]
    },
  }
}

/** A container as a value, with at most one value more. */
function copyOf({ items, members, key }: Open, last: readonly unknown[]): unknown {
  if (items) return [...items, ...last]
  return last.length > 0 ? { ...members, [key]: last[0] } : { ...members }
}
