import { isRecord } from '../../message/tool-part.ts'
import { toUtf8 } from './utf-8.ts'

/**
 * What a decision is bound to: SHA-256, in hex, of the canonical JSON of `[toolName, input]`. An
 * `undefined` input counts as `null`. Throws a `TypeError` when the input cannot be JSON.
 */
export function fingerprintOf(toolName: string, input: unknown): string {
  return sha256Hex(canonicalJson([toolName, input ?? null]))
}

/**
 * Canonical JSON (RFC 8785): keys by their UTF-16 code units, numbers as ECMAScript writes them.
 * As with `JSON.stringify`, fields that are `undefined` are left out, in arrays they are `null`, and
 * `toJSON` is asked. Other than the RFC says, a lone surrogate is no error but written as `\udXXX`.
 *
 * Any depth. Throws a `TypeError` for what JSON cannot express without loss: cycles, `NaN` and
 * infinities, `BigInt`, functions, symbols, and objects with contents of their own, such as a `Map`.
 */
export function canonicalJson(value: unknown): string {
  let json = ''
  const open = new Set<object>()
  // What is left to write, the next one last. Untrusted JSON can be deeper than the call stack.
  const pending = [() => write(value)]
  for (let next = pending.pop(); next; next = pending.pop()) next()
  return json

  function write(given: unknown): void {
    const value = hasToJson(given) ? given.toJSON() : given
    if (typeof value !== 'object' || value === null) {
      if (!isJsonPrimitive(value)) refuse(String(value))
      json += JSON.stringify(value)
      return
    }
    if (open.has(value)) refuse('a cycle')
    open.add(value)
    const isList = Array.isArray(value)
    const fields: [string, unknown][] = isList
      ? Array.from(value, (item: unknown) => ['', item ?? null])
      : fieldsOf(value)
    json += isList ? '[' : '{'
    pending.push(() => {
      json += isList ? ']' : '}'
      open.delete(value)
    })
    for (let index = fields.length - 1; index >= 0; index--) {
      const [key, item] = fields[index] ?? []
      pending.push(() => {
        if (index > 0) json += ','
        if (!isList) json += `${JSON.stringify(key)}:`
        write(item)
      })
    }
  }
}

function fieldsOf(value: object): [string, unknown][] {
  const type = Object.prototype.toString.call(value)
  if (type !== '[object Object]') refuse(type)
  return Object.keys(value)
    .sort()
    .map((key): [string, unknown] => [key, Reflect.get(value, key)])
    .filter(([, item]) => item !== undefined)
}

function isJsonPrimitive(value: unknown): boolean {
  const isText = typeof value === 'string' || typeof value === 'boolean'
  return isText || value === null || Number.isFinite(value)
}

function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return isRecord(value) && typeof value['toJSON'] === 'function'
}

function refuse(what: string): never {
  throw new TypeError(`JSON cannot express this value (${what}). Give plain JSON.`)
}

const ROUND_WORDS = /* @__PURE__ */ wordsOf(Math.cbrt)
const START_WORDS = /* @__PURE__ */ wordsOf(Math.sqrt)

/**
 * The first 32 bits behind the point of a root of each of the first 64 primes. Those beyond are far from
 * turning over: no engine's rounding can change a word.
 */
function wordsOf(root: (prime: number) => number): number[] {
  const primes: number[] = []
  for (let number = 2; primes.length < 64; number++) {
    if (primes.every((prime) => number % prime > 0)) primes.push(number)
  }
  return primes.map((prime) => ((root(prime) % 1) * 2 ** 32) | 0)
}

/**
 * SHA-256 (FIPS 180-4) of a text as UTF-8, in hex. Synchronous, and also there on pages without
 * HTTPS, where `crypto.subtle` is missing. Lone surrogates count as U+FFFD.
 */
export function sha256Hex(text: string): string {
  const bytes = toUtf8(text)
  const { length } = bytes
  const padded = new Uint8Array((((length + 8) >> 6) + 1) << 6)
  padded.set(bytes)
  padded[length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, length / 2 ** 29)
  view.setUint32(padded.length - 4, length << 3)

  const hash = START_WORDS.slice(0, 8)
  const words = new DataView(new ArrayBuffer(256))
  for (let block = 0; block < padded.length; block += 64) {
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash
    for (let round = 0, at = 0; round < 64; round++, at += 4) {
      let word = 0
      if (round < 16) word = view.getInt32(block + at)
      else {
        const near = words.getInt32(at - 8)
        const far = words.getInt32(at - 60)
        word = words.getInt32(at - 64) + words.getInt32(at - 28)
        word += turn(far, 7) ^ turn(far, 18) ^ (far >>> 3)
        word += turn(near, 17) ^ turn(near, 19) ^ (near >>> 10)
      }
      words.setInt32(at, word)
      const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g))
      const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
      const sum = first + (ROUND_WORDS[round] ?? 0) + words.getInt32(at)
      h = g
      g = f
      f = e
      e = (d + sum) | 0
      d = c
      c = b
      b = a
      a = (sum + second) | 0
    }
    for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) {
      hash[index] = ((hash[index] ?? 0) + word) | 0
    }
  }
  return hash.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

/** A word of 32 bits, rotated to the right. */
function turn(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}
