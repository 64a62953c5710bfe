type Phase =
  | 'start'
  | 'minus'
  | 'zero'
  | 'integer'
  | 'point'
  | 'fraction'
  | 'e'
  | 'e-sign'
  | 'exponent'

type CharKind = '0' | '1-9' | '.' | 'e' | '-' | '+'

/** The grammar of numbers (RFC 8259 §6). */
const PHASES: Readonly<Record<Phase, Partial<Record<CharKind, Phase>>>> = {
  start: { '-': 'minus', '0': 'zero', '1-9': 'integer' },
  minus: { '0': 'zero', '1-9': 'integer' },
  zero: { '.': 'point', e: 'e' },
  integer: { '0': 'integer', '1-9': 'integer', '.': 'point', e: 'e' },
  point: { '0': 'fraction', '1-9': 'fraction' },
  fraction: { '0': 'fraction', '1-9': 'fraction', e: 'e' },
  e: { '-': 'e-sign', '+': 'e-sign', '0': 'exponent', '1-9': 'exponent' },
  'e-sign': { '0': 'exponent', '1-9': 'exponent' },
  exponent: { '0': 'exponent', '1-9': 'exponent' },
}

/** The phases in which a number may end. */
const WHOLE: ReadonlySet<Phase> = new Set<Phase>(['zero', 'integer', 'fraction', 'exponent'])

/** A number of JSON that comes in pieces. */
export class JsonNumber {
  #text = ''
  #phase: Phase = 'start'
  /** How much of the text is a number already: `-1.` is worth `-1`. */
  #wholeLength = 0

  /** Takes one more character; `false` when it cannot belong to the number. */
  take(char: string): boolean {
    const kind = kindOf(char)
    const phase = kind && PHASES[this.#phase][kind]
    if (phase === undefined) return false
    this.#phase = phase
    this.#text += char
    if (WHOLE.has(phase)) this.#wholeLength = this.#text.length
    return true
  }

  /** Whether the number may end here. */
  get isWhole(): boolean {
    return WHOLE.has(this.#phase)
  }

  /** The number so far; `undefined` without a digit. */
  get value(): number | undefined {
    return this.#wholeLength === 0 ? undefined : Number(this.#text.slice(0, this.#wholeLength))
  }
}

function kindOf(char: string): CharKind | undefined {
  if (char >= '1' && char <= '9') return '1-9'
  switch (char) {
    case '0':
    case '.':
    case '-':
    case '+':
      return char
    case 'e':
    case 'E':
      return 'e'
    default:
      return undefined
  }
}
