/** Where the reader stands in the text. */
type Position =
  | 'root'
  | 'finished'
  | 'object-start'
  | 'object-comma'
  | 'object-after'
  | 'array-start'
  | 'array-comma'
  | 'array-after'
  | 'key'
  | 'key-after'
  | 'colon-after'
  | 'string'
  | 'escape'
  | 'hex'
  | 'number'
  | 'literal'

const LITERALS = ['true', 'false', 'null']

/**
 * Incomplete or malformed JSON, read the way the AI SDK repairs it: keep the text up to the last
 * character that carries a value, close what is open there, and parse that. It looks at each
 * character once; only {@link value} goes over the whole text.
 *
 * It is the slow and forgiving brother of `PartialJson`, which hands over to it at the first
 * character where the two could differ.
 */
export class RepairedJson {
  #text = ''
  /** How much of the text is kept. */
  #kept = 0
  #position: Position = 'root'
  /** What closes the open containers, the innermost last. */
  readonly #closers: ('}' | ']')[] = []
  #literal = ''
  #hexDigits = 0

  feed(text: string): void {
    const start = this.#text.length
    this.#text += text
    for (let at = 0; at < text.length; at++) {
      if (this.#read(text.charAt(at))) this.#kept = start + at + 1
    }
  }

  /** The value so far; `undefined` while there is none, or when the text is beyond repair. */
  value(): unknown {
    const whole = parse(this.#text)
    return whole ? whole.value : parse(this.#repaired())?.value
  }

  #repaired(): string {
    return (
      this.#text.slice(0, this.#kept) + this.#openScalarEnd() + this.#closers.toReversed().join('')
    )
  }

  #openScalarEnd(): string {
    switch (this.#position) {
      case 'string':
      case 'escape':
      case 'hex':
        return '"'
      case 'literal':
        return literalFor(this.#literal)?.slice(this.#literal.length) ?? ''
      default:
        return ''
    }
  }

  /** Takes one character; whether the kept text reaches up to it. */
  #read(char: string): boolean {
    switch (this.#position) {
      case 'finished':
        return false
      case 'root':
      case 'colon-after':
      case 'array-comma':
        return this.#begin(char)
      case 'array-start':
        return char === ']' ? this.#close() : this.#begin(char)
      case 'array-after':
        return char === ',' ? this.#moveTo('array-comma') : char !== ']' || this.#close()
      case 'object-start':
        if (char === '}') return this.#close()
        return char === '"' && this.#moveTo('key')
      case 'object-comma':
        return char === '"' && this.#moveTo('key')
      case 'object-after':
        return this.#separate(char)
      case 'key':
        return char === '"' && this.#moveTo('key-after')
      case 'key-after':
        return char === ':' && this.#moveTo('colon-after')
      default:
        return this.#readScalar(char)
    }
  }

  #readScalar(char: string): boolean {
    switch (this.#position) {
      case 'string':
        if (char === '\\') return this.#moveTo('escape')
        if (char === '"') this.#end()
        return true
      case 'escape':
        this.#hexDigits = 0
        this.#moveTo(char === 'u' ? 'hex' : 'string')
        return char !== 'u'
      case 'hex':
        if (/[^0-9a-f]/i.test(char) || ++this.#hexDigits < 4) return false
        this.#moveTo('string')
        return true
      case 'literal':
        if (!literalFor(this.#literal + char)) return this.#endBefore(char)
        this.#literal += char
        return true
      default:
        if (char >= '0' && char <= '9') return true
        return !'eE-.'.includes(char) && this.#endBefore(char)
    }
  }

  /** The first character of a value; any other is passed over. */
  #begin(char: string): boolean {
    switch (char) {
      case '"':
        this.#moveTo('string')
        return true
      case '{':
        this.#closers.push('}')
        this.#moveTo('object-start')
        return true
      case '[':
        this.#closers.push(']')
        this.#moveTo('array-start')
        return true
      case 't':
      case 'f':
      case 'n':
        this.#literal = char
        this.#moveTo('literal')
        return true
      default:
        if (!/[-0-9]/.test(char)) return false
        this.#moveTo('number')
        return char !== '-'
    }
  }

  /** A number or literal ends before this character, which may separate or close. */
  #endBefore(char: string): boolean {
    this.#end()
    return this.#separate(char)
  }

  #separate(char: string): boolean {
    const isArray = this.#position === 'array-after'
    if (this.#position === 'finished') return false
    if (char === ',') return this.#moveTo(isArray ? 'array-comma' : 'object-comma')
    return char === this.#closers.at(-1) && this.#close()
  }

  #close(): boolean {
    this.#closers.pop()
    this.#end()
    return true
  }

  /** A value is complete. */
  #end(): void {
    const closer = this.#closers.at(-1)
    this.#position =
      closer === undefined ? 'finished' : closer === '}' ? 'object-after' : 'array-after'
  }

  /** Goes on without keeping the character. */
  #moveTo(position: Position): false {
    this.#position = position
    return false
  }
}

function literalFor(start: string): string | undefined {
  return LITERALS.find((literal) => literal.startsWith(start))
}

function parse(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return { value }
  } catch {
    return undefined
  }
}
