import { describe, expect, it } from 'vitest'
import { textOf, toMessage, type MessageInput } from './message-input.ts'

const file = { type: 'file' as const, mediaType: 'image/png', url: 'data:image/png;base64,AA==' }
const text = (content: string) => ({ type: 'text' as const, text: content })
const make = (input: MessageInput) => toMessage(input, () => 'new')

describe('the message that an input stands for', () => {
  it.each<[string, MessageInput, object]>([
    ['a text', 'hi', { parts: [text('hi')] }],
    ['a text with spaces around it', ' hi\n', { parts: [text(' hi\n')] }],
    ['a text in an object', { text: 'hi' }, { parts: [text('hi')] }],
    ['files before the text', { text: 'hi', files: [file] }, { parts: [file, text('hi')] }],
    ['files alone', { files: [file] }, { parts: [file] }],
    ['metadata', { text: 'hi', metadata: { a: 1 } }, { metadata: { a: 1 }, parts: [text('hi')] }],
    ['parts', { parts: [text('hi'), file] }, { parts: [text('hi'), file] }],
    ['parts with an id', { id: 'own', parts: [text('hi')] }, { id: 'own', parts: [text('hi')] }],
    [
      'another role',
      { role: 'system', parts: [text('hi')] },
      { role: 'system', parts: [text('hi')] },
    ],
    ['undefined fields', { id: undefined, parts: [text('hi')] }, { parts: [text('hi')] }],
  ])('is a new one of the user, with what it says: %s', (_name, input, said) => {
    expect(make(input)).toStrictEqual({ id: 'new', role: 'user', ...said })
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 42],
    ['an empty text', ''],
    ['spaces', ' \n\t'],
    ['an empty object', {}],
    ['an empty text in an object', { text: ' ' }],
    ['no files', { files: [] }],
    ['no parts', { parts: [] }],
    ['parts that are no list', { parts: 'hi' }],
    ['a text that is none', { text: 42 }],
    ['files that are no list', { files: 42 }],
    ['parts that are none', { parts: ['hi'] }],
    ['files that are none', { files: [null] }],
  ])('is refused with words that help when there is nothing to send: %s', (_name, input) => {
    expect(() => make(input as never)).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: expect.stringMatching(/^(A message|The parts|The text|The files)/),
      }),
    )
  })

  it('does not change with the input', () => {
    const parts = [text('hi')]
    const message = make({ parts })
    parts.push(text('more'))
    expect(message.parts).toEqual([text('hi')])
  })
})

describe('the text of a message', () => {
  it('is that of its text parts, one per line', () => {
    expect(textOf(make({ parts: [text('a'), file, text('b')] }))).toBe('a\nb')
    expect(textOf(make({ parts: [file] }))).toBe('')
  })
})
