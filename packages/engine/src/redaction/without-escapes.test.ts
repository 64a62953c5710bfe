import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from './create-redactor.ts'
import { readingsOf } from './without-escapes.ts'

const whole = { toolName: 'run', isPartial: false }
const partial = { toolName: 'run', isPartial: true }
const redact = createRedactor({ knownValues: ['open sesame'] })
const token = `ghp_${'k9Q2xV7bTz4W'.repeat(3)}`

const RED = '\u001b[31m'
const OFF = '\u001b[0m'

describe('a secret in colours', () => {
  it.each([
    [
      'after a colour',
      `see ${RED}${token}${OFF} end`,
      `see ${RED}[secret: github token]${OFF} end`,
    ],
    ['right after a word', `see${RED}${token}${OFF}`, `see${RED}[secret: github token]${OFF}`],
    [
      'divided by one',
      `see ${token.slice(0, 9)}${RED}${token.slice(9)} end`,
      'see [secret: github token] end',
    ],
    ['divided in its beginning', `gh${OFF}${token.slice(2)}`, '[secret: github token]'],
    [
      'divided by a move',
      `${token.slice(0, 20)}\u009b2K${token.slice(20)}`,
      '[secret: github token]',
    ],
    ['after its name', `password=${RED}hunter2x!${OFF}`, `password=${RED}[secret: password]${OFF}`],
    [
      'divided by what nobody sees',
      `see ${token.slice(0, 9)}\u200b${token.slice(9, 12)}\u00ad${token.slice(12)} end`,
      'see [secret: github token] end',
    ],
    ['known', `open${RED} sesame`, '[secret: known value]'],
    ['in a title', `\u001b]0;${token}\u0007$ `, '\u001b]0;[secret: github token]\u0007$ '],
    [
      'in a link',
      `\u001b]8;;https://a:hunter2x@b.test\u001b\\there\u001b]8;;\u001b\\`,
      '\u001b]8;;https://a:[secret: password]@b.test\u001b\\there\u001b]8;;\u001b\\',
    ],
  ])('is masked: %s', (_name, text, masked) => {
    expect(redact(text, whole)).toBe(masked)
    expect(redact(masked, whole)).toBe(masked)
  })

  it('is never seen before it is whole, wherever it is cut and coloured', () => {
    for (let at = 0; at < token.length; at++) {
      const text = `see ${token.slice(0, at)}${RED}${token.slice(at)} end`
      for (let length = 0; length <= text.length; length++) {
        const shown = redact(text.slice(0, length), partial)
          .replaceAll(/(?:\[\d*m?)/g, '')
          .replaceAll('\u001b', '')
        expect(shown.slice(4)).not.toContain(token.slice(0, 4))
      }
    }
  })
})

it('places what was found where it is in the text that was given', () => {
  const escapes = fc.constantFrom(
    RED,
    OFF,
    '\u001b]0;title\u0007',
    '\u009bK',
    '\u001b(B',
    '\u001b',
    '\u001b[',
  )
  const pieces = fc.array(fc.oneof(escapes, fc.string({ maxLength: 4 })), { maxLength: 12 })
  fc.assert(
    fc.property(pieces, (some) => {
      const text = some.join('')
      for (const reading of readingsOf(text)) {
        let last = -1
        for (let index = 0; index < reading.text.length; index++) {
          const place = reading.placeOf(index)
          expect(place).toBeGreaterThan(last)
          expect([text[place], ' ']).toContain(reading.text[index])
          last = place
        }
        expect(reading.placeOf(reading.text.length)).toBe(text.length)
      }
    }),
  )
})
