import { array, assert, constant, dictionary, letrec, oneof, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { fromChannelText, toChannelText } from './channel-text.ts'

/** What tabs say: JSON, with texts of all kinds, and `undefined` anywhere. */
const { message } = letrec((tie) => ({
  message: oneof(
    { maxDepth: 4 },
    constant(undefined),
    constant(null),
    string(),
    string({ unit: 'binary' }).map((text) => `\u0001${text}`),
    constant('\u0001undefined'),
    constant(7),
    constant(true),
    array(tie('message'), { maxLength: 4 }),
    dictionary(string(), tie('message'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

it('says what was said, undefined fields and odd texts included', () => {
  assert(
    property(message, (said) => {
      expect(fromChannelText(toChannelText(said))).toStrictEqual(said)
    }),
  )
})

it('tells a field that is undefined from one that is missing', () => {
  const change = { facts: { turn: undefined, error: undefined }, seq: 4 }
  const heard = fromChannelText(toChannelText(change))
  expect(heard).toStrictEqual(change)
  expect(heard).not.toStrictEqual({ facts: {}, seq: 4 })
})

it('refuses what is no text of this kind', () => {
  expect(() => fromChannelText('{')).toThrow(SyntaxError)
})
