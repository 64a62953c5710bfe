import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { joinRich, rich, styled, type RichText } from './rich-text.ts'

/** What is longer is not taken apart: nobody formats that much. */
const MAX_MARKDOWN_LENGTH = 100_000
/** The same for one paragraph: the time that it takes grows with the square of its length. */
const MAX_PARAGRAPH_LENGTH = 2_000

/**
 * Markdown as Telegram can show it: headings are bold, lists have their marks, tables stand in columns,
 * images are links, and HTML is shown as it is written. Links lead to `http` and `https` only.
 */
export function markdownText(markdown: string): RichText {
  if (markdown.length > MAX_MARKDOWN_LENGTH) return rich(markdown)
  try {
    return blocks(tokensOf(markdown))
  } catch (error) {
    // Nested deeper than the parser can follow.
    if (error instanceof RangeError) return rich(markdown)
    throw error
  }
}

function tokensOf(markdown: string): Token[] {
  const lexer = new Lexer({ gfm: true })
  const tokens = lexer.blockTokens(markdown.replace(/\r\n?/g, '\n'), [])
  // It grows while it is worked off.
  for (const { src, tokens: inner } of lexer.inlineQueue) {
    if (src.length <= MAX_PARAGRAPH_LENGTH) lexer.inlineTokens(src, inner)
    else inner.push({ type: 'text', raw: src, text: src, escaped: false })
  }
  return tokens
}

/** The parser's types leave room for tokens of extensions; these are the ones it has itself. */
function isKnown(token: Token): token is MarkedToken {
  return KNOWN.has(token.type)
}

const KNOWN: ReadonlySet<string> = new Set(
  (
    'blockquote br checkbox code codespan def del em escape heading ' +
    'hr html image link list list_item paragraph space strong table tag text'
  ).split(' '),
)

function blocks(tokens: readonly Token[], between = '\n\n'): RichText {
  return joinRich(
    tokens.map((token) => (isKnown(token) ? block(token) : rich(token.raw))),
    between,
  )
}

function block(token: MarkedToken): RichText {
  switch (token.type) {
    case 'heading':
      return styled({ type: 'bold' }, inlines(token.tokens))
    case 'code': {
      const language = /^[\w+#.-]{1,32}/.exec(token.lang ?? '')?.[0]
      return styled({ type: 'pre', ...(language !== undefined && { language }) }, token.text)
    }
    case 'blockquote':
      return styled({ type: 'blockquote' }, blocks(token.tokens, '\n'))
    case 'list':
      return list(token)
    case 'table':
      return styled({ type: 'pre' }, table(token))
    case 'hr':
      return rich('———')
    case 'space':
    case 'def':
      return rich()
    case 'html':
      return rich(token.raw.trimEnd())
    case 'paragraph':
      return inlines(token.tokens)
    default:
      return inline(token)
  }
}

function list({ items, ordered, start }: Tokens.List): RichText {
  const first = typeof start === 'number' ? start : 1
  const lines = items.map((item, at) => {
    const place = ordered ? `${first + at}. ` : '• '
    const mark = item.task ? (item.checked === true ? '☑ ' : '☐ ') : place
    const tokens = item.tokens.filter(({ type }) => type !== 'checkbox')
    return rich(mark, indent(blocks(tokens, '\n'), '   '))
  })
  return joinRich(lines, '\n')
}

/** All lines but the first one moved to the right, with what lies on them. */
function indent(piece: RichText, by: string): RichText {
  const shift = (at: number): number =>
    at + by.length * (piece.text.slice(0, at).split('\n').length - 1)
  return {
    text: piece.text.replaceAll('\n', `\n${by}`),
    entities: piece.entities.map((entity) => {
      const offset = shift(entity.offset)
      return { ...entity, offset, length: shift(entity.offset + entity.length) - offset }
    }),
  }
}

function table({ header, rows }: Tokens.Table): string {
  const cells = [header, ...rows].map((row) => row.map(({ tokens }) => inlines(tokens).text))
  const widths = header.map((_, column) =>
    Math.max(...cells.map((row) => [...(row[column] ?? '')].length)),
  )
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length))
      .join(' │ ')
      .trimEnd()
  const [head = [], ...body] = cells
  return [line(head), widths.map((width) => '─'.repeat(width)).join('─┼─'), ...body.map(line)].join(
    '\n',
  )
}

function inlines(tokens: readonly Token[]): RichText {
  return rich(...tokens.map((token) => (isKnown(token) ? inline(token) : token.raw)))
}

function inline(token: MarkedToken): RichText {
  switch (token.type) {
    case 'strong':
      return styled({ type: 'bold' }, inlines(token.tokens))
    case 'em':
      return styled({ type: 'italic' }, inlines(token.tokens))
    case 'del':
      return styled({ type: 'strikethrough' }, inlines(token.tokens))
    case 'codespan':
      return styled({ type: 'code' }, token.text)
    case 'br':
      return rich('\n')
    case 'link':
      return link(inlines(token.tokens), token.href)
    case 'image':
      return link(rich(token.text === '' ? token.href : token.text), token.href)
    case 'escape':
      return rich(token.text)
    case 'text':
      return 'tokens' in token && token.tokens !== undefined
        ? inlines(token.tokens)
        : rich(decode(token.text))
    default:
      return rich(token.raw)
  }
}

/** What leads elsewhere is not hidden behind its words. */
function link(words: RichText, href: string): RichText {
  if (words.text === href || words.text === '') return rich(href)
  return isWebAddress(href)
    ? styled({ type: 'text_link', url: href }, words)
    : rich(words, ` (${href})`)
}

function isWebAddress(href: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(href).protocol)
  } catch {
    return false
  }
}

const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&gt;', '>'],
  ['&lt;', '<'],
  ['&nbsp;', ' '],
  ['&quot;', '"'],
  ['&#39;', "'"],
])

/** What Markdown writes otherwise because it would mean something. */
function decode(text: string): string {
  return text.replace(/&(?:amp|gt|lt|nbsp|quot|#39);/g, (name) => CHARACTERS.get(name) ?? name)
}
