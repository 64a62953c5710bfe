import { createHash } from 'node:crypto'
import { anything, array, assert, double, jsonValue, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEqualJson } from '../../message/json-equality.ts'
import { canonicalJson, fingerprintOf, sha256Hex } from './fingerprint.ts'

const RUNS = 500

function nodeSha256(text: string): string {
  return createHash('sha256').update(new TextEncoder().encode(text)).digest('hex')
}

function numberOf(bits: string): number {
  return new DataView(Uint8Array.from(Buffer.from(bits, 'hex')).buffer).getFloat64(0)
}

describe('sha256Hex', () => {
  it('hashes the examples of FIPS 180-4', () => {
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(sha256Hex('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
    expect(sha256Hex('a'.repeat(1_000_000))).toBe(
      'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
    )
  })

  it('hashes every length around the edges of a block as Node does', () => {
    for (let length = 0; length <= 260; length++) {
      const text = 'x'.repeat(length)
      expect(sha256Hex(text), `${length} bytes`).toBe(nodeSha256(text))
    }
  })

  it.for(['é', '€', '😀', '\ud800', 'a\udc00b', '\ud83d', '\udc00\ud800', '\0'])(
    'hashes %j as Node does',
    (text) => {
      for (const count of [1, 27, 28, 29, 55, 64]) {
        expect(sha256Hex(text.repeat(count))).toBe(nodeSha256(text.repeat(count)))
      }
    },
  )

  it('hashes random texts as Node does', () => {
    const texts = string({ unit: 'binary', maxLength: 300 })
    const units = array(string({ unit: 'binary', maxLength: 1 }))
    assert(
      property(texts, units, (text, [cut = '']) => {
        // Cutting in the middle of a surrogate pair leaves a lone one.
        for (const one of [text, text.slice(1), cut.slice(0, 1) + text]) {
          expect(sha256Hex(one)).toBe(nodeSha256(one))
        }
      }),
      { numRuns: RUNS },
    )
  })
})

describe('canonicalJson', () => {
  it('writes the example of RFC 8785, 3.2.2', () => {
    const given = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`
    const canonical = String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`
    expect(canonicalJson(JSON.parse(given))).toBe(canonical)
  })

  it('sorts keys by their UTF-16 code units, as RFC 8785, 3.2.3 does', () => {
    const given = String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }`
    // Read from the text: an object read back would have its own order.
    const values = [...canonicalJson(JSON.parse(given)).matchAll(/:"([^"]+)"/g)].map(
      ([, name]) => name,
    )
    expect(values).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ])
    expect(canonicalJson({ 9: 1, 10: 2 })).toBe('{"10":2,"9":1}')
  })

  it.for([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the number %s of RFC 8785, appendix B, as %s', ([bits = '', text]) => {
    expect(canonicalJson(numberOf(bits))).toBe(text)
  })

  it('leaves out undefined fields, and writes null for what a list has no value for', () => {
    expect(canonicalJson({ b: undefined, a: [undefined, null] })).toBe('{"a":[null,null]}')
    expect(canonicalJson(Array(2))).toBe('[null,null]')
    expect(canonicalJson({ at: new Date(0) })).toBe('{"at":"1970-01-01T00:00:00.000Z"}')
  })

  it('writes a lone surrogate as an escape, and so that no other text reads the same', () => {
    expect(canonicalJson('\ud800')).toBe(String.raw`"\ud800"`)
    expect(canonicalJson(String.raw`\ud800`)).toBe(String.raw`"\\ud800"`)
  })

  it('writes own fields only, also one named __proto__', () => {
    const given: unknown = JSON.parse('{"b":1,"__proto__":{"a":2},"constructor":3}')
    expect(canonicalJson(given)).toBe('{"__proto__":{"a":2},"b":1,"constructor":3}')
    expect(canonicalJson(Object.create({ inherited: 1 }))).toBe('{}')
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false)
  })

  it('sees through proxies', () => {
    const through = (value: object): object =>
      new Proxy(value, {
        get(target, key) {
          const field: unknown = Reflect.get(target, key)
          return typeof field === 'object' && field !== null ? through(field) : field
        },
      })
    const value = { list: [1, { b: 2, a: 1 }], text: 'x' }
    expect(canonicalJson(through(value))).toBe(canonicalJson(value))
  })

  it('writes the same object twice, but no cycle', () => {
    const twice = { a: 1 }
    expect(canonicalJson([twice, { twice }])).toBe('[{"a":1},{"twice":{"a":1}}]')
    const cycle: { self?: unknown } = {}
    cycle.self = [cycle]
    expect(() => canonicalJson(cycle)).toThrow(TypeError)
  })

  it.for<[string, unknown]>([
    ['undefined', undefined],
    ['NaN in a list', [Number.NaN]],
    ['a BigInt in a field', { a: 1n }],
    ['NaN', Number.NaN],
    ['an infinity', -Infinity],
    ['a BigInt', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a Map', new Map([[1, 2]])],
    ['a Set', new Set([1])],
    ['bytes', new Uint8Array(2)],
    ['an error', new Error('x')],
  ])('refuses %s', ([, value]) => {
    expect(() => canonicalJson(value)).toThrow(TypeError)
  })

  it('writes JSON that is deeper than the call stack', () => {
    const depth = 50_000
    const deep = '{"a":['.repeat(depth) + ']}'.repeat(depth)
    expect(canonicalJson(JSON.parse(deep))).toBe(deep)
  })

  it('is read back as an equal value, and changes no more when written again', () => {
    assert(
      property(jsonValue({ maxDepth: 4 }), (value) => {
        const json = canonicalJson(value)
        const read: unknown = JSON.parse(json)
        expect(isEqualJson(read, JSON.parse(JSON.stringify(value)))).toBe(true)
        expect(canonicalJson(read)).toBe(json)
      }),
      { numRuns: RUNS },
    )
  })

  it('either refuses a value with a TypeError or writes what can be read', () => {
    const values = anything({ withBigInt: true, withDate: true, withMap: true })
    assert(
      property(values, (value) => {
        let failure: unknown
        try {
          JSON.parse(canonicalJson(value))
        } catch (error) {
          failure = error
        }
        expect(failure === undefined || failure instanceof TypeError).toBe(true)
      }),
      { numRuns: RUNS },
    )
  })
})

describe('fingerprintOf', () => {
  it('is that of tool and input together', () => {
    const canonical = '["write",{"path":"a","text":"b"}]'
    expect(fingerprintOf('write', { text: 'b', path: 'a' })).toBe(nodeSha256(canonical))
    expect(fingerprintOf('write', undefined)).toBe(fingerprintOf('write', null))
    expect(fingerprintOf('a', 'b')).not.toBe(fingerprintOf('ab', ''))
    expect(fingerprintOf('a', null)).not.toBe(fingerprintOf('a', {}))
  })

  it('does not depend on the order of keys', () => {
    assert(
      property(jsonValue({ maxDepth: 4 }), (value) => {
        expect(fingerprintOf('tool', turnKeys(value))).toBe(fingerprintOf('tool', value))
      }),
      { numRuns: RUNS },
    )
  })

  it('depends on the order of a list', () => {
    assert(
      property(array(double({ noNaN: true, noDefaultInfinity: true })), (list) => {
        const turned = list.toReversed()
        const isSame = list.every((item, index) => item === turned[index])
        expect(fingerprintOf('t', list) === fingerprintOf('t', turned)).toBe(isSame)
      }),
      { numRuns: RUNS },
    )
  })

  it('is never that of another input', () => {
    // JSON has one zero: what is stored and sent for -0 is 0.
    const seen = new Map<string, unknown>()
    assert(
      property(jsonValue({ maxDepth: 3 }), (value) => {
        const input: unknown = JSON.parse(JSON.stringify(value))
        const fingerprint = fingerprintOf('tool', input)
        const other = seen.has(fingerprint) ? seen.get(fingerprint) : input
        expect(isEqualJson(other, input)).toBe(true)
        seen.set(fingerprint, input)
      }),
      { numRuns: 5_000 },
    )
    expect(seen.size).toBeGreaterThan(1_000)
    const texts = [...seen.values()].map((value) => canonicalJson(value))
    expect(new Set(texts).size).toBe(seen.size)
  })
})

function turnKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, turnKeys(item)]),
  )
}
