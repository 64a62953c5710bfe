import { Lexer, type MarkedOptions, type Token, type Tokens } from 'marked'

/** Turns a growing text into block tokens; gives unchanged blocks the same identity every time. */
export interface BlockLexer {
  /**
   * @param text the whole text so far
   * @param heal closes for display what is still open, where more may follow
   */
  lex(text: string, heal?: (text: string) => string): readonly Token[]
}

/**
 * A lexer for one text that mostly grows at its end. Only what follows the last closed block is read
 * again; blocks before it keep their tokens, so that they are not rendered again. A text with link
 * definitions is read as a whole each time: they reach back to what came before them.
 *
 * @param extensions syntax beside that of GitHub
 */
export function createBlockLexer(extensions?: MarkedOptions['extensions']): BlockLexer {
  let closedText = ''
  let closed: readonly Token[] = []
  let definitions = NONE
  let shown: readonly Token[] = []

  function restart(): void {
    closedText = ''
    closed = []
  }

  function read(text: string): { tokens: Token[]; definitions: string } {
    const lexer = new Lexer({ gfm: true, extensions: extensions ?? null })
    const tokens: Token[] = lexer.lex(text)
    return { tokens, definitions: JSON.stringify(lexer.tokens.links) }
  }

  /** Only blocks are closed whose text is the original's: healing may change any of it. */
  function close(tokens: readonly Token[], tail: string): void {
    const count = Math.max(
      tokens.findLastIndex((token) => token.type !== 'space'),
      0,
    )
    const closing = tokens.slice(0, count)
    const text = closing.map((token) => token.raw).join('')
    if (!tail.startsWith(text)) return
    closedText += text
    closed = [...closed, ...closing]
  }

  return {
    lex(text, heal = (whole) => whole) {
      const normal = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
      if (!normal.startsWith(closedText)) restart()
      let tail = normal.slice(closedText.length)
      let result = read(heal(tail))
      if (result.definitions !== NONE && closed.length > 0) {
        restart()
        tail = normal
        result = read(heal(tail))
      }
      if (result.definitions !== definitions) shown = []
      definitions = result.definitions
      const before = closed
      const tokens = reuse(result.tokens, shown.slice(before.length))
      shown = [...before, ...tokens]
      if (definitions === NONE) close(tokens, tail)
      return shown
    },
  }
}

/** The former tokens, where they say the same, also item by item; a token is never changed. */
function reuse(tokens: readonly Token[], former: readonly Token[]): Token[] {
  return tokens.map((token, index) => {
    const other = former[index]
    if (other?.type !== token.type) return token
    if (other.raw === token.raw) return other
    return isList(token) && isList(other) ? { ...token, items: reuseItems(token, other) } : token
  })
}

function reuseItems({ items }: Tokens.List, former: Tokens.List): Tokens.ListItem[] {
  return items.map((item, index) => {
    const other = former.items[index]
    return other && other.raw === item.raw && other.loose === item.loose ? other : item
  })
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list'
}

/** No link definitions, as they are compared. */
const NONE = '{}'
