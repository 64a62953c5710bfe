import { expect, test } from 'vitest'
import { createBlockLexer } from './block-lexer.ts'
import { heal } from './heal.ts'

const document = `# Title

A paragraph with **bold** text.

- one
- two

\`\`\`ts
const a = 1

const b = 2
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

The end, see [ref].

[ref]: https://example.com
`

test('reads a text that grows by one character at a time as it reads the whole', () => {
  const growing = createBlockLexer()
  for (let end = 1; end < document.length; end += 1) growing.lex(document.slice(0, end), heal)
  expect(growing.lex(document)).toEqual(createBlockLexer().lex(document))
})

test('gives closed blocks the same tokens every time', () => {
  const lexer = createBlockLexer()
  const before = lexer.lex('# Title\n\nFirst paragraph.\n\nSecond par', heal)
  const after = lexer.lex('# Title\n\nFirst paragraph.\n\nSecond paragraph, longer', heal)
  expect(after.slice(0, -1)).toHaveLength(before.length - 1)
  after.slice(0, -1).forEach((token, index) => expect(token).toBe(before[index]))
  expect(after.at(-1)).not.toBe(before.at(-1))
})

test('closes what is open for display', () => {
  const tokens = createBlockLexer().lex('This is **bold', heal)
  expect(JSON.stringify(tokens)).toContain('"type":"strong"')
  expect(JSON.stringify(createBlockLexer().lex('This is **bold'))).not.toContain('"strong"')
})

test('makes links of references once their definition arrives', () => {
  const lexer = createBlockLexer()
  expect(JSON.stringify(lexer.lex('See [ref].\n\nMore.\n\n', heal))).not.toContain('"link"')
  const tokens = lexer.lex('See [ref].\n\nMore.\n\n[ref]: https://example.com\n', heal)
  expect(JSON.stringify(tokens)).toContain('"type":"link"')
})

test('starts anew when the text becomes another one', () => {
  const lexer = createBlockLexer()
  lexer.lex('[a]: https://evil.example\n\nOne\n\nTwo')
  const tokens = lexer.lex('Other [a]')
  expect(tokens).toEqual(createBlockLexer().lex('Other [a]'))
})

test('reads line ends of any kind', () => {
  const tokens = createBlockLexer().lex('One\r\n\r\nTwo\rThree')
  expect(tokens).toEqual(createBlockLexer().lex('One\n\nTwo\nThree'))
})

test('costs no more per update late in a long text than early in it', () => {
  const paragraph = 'A paragraph of some **length** that is read once and then kept.\n\n'
  const lexer = createBlockLexer()
  lexer.lex(paragraph.repeat(400), heal)
  const tokens = lexer.lex(`${paragraph.repeat(400)}Tail`, heal)
  const again = lexer.lex(`${paragraph.repeat(400)}Tail of it`, heal)
  expect(again.filter((token, index) => token !== tokens[index])).toHaveLength(1)
})
