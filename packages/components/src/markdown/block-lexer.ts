import { Lexer, type Links, type Token } from 'marked'
import remend from 'remend'

/** Turns a growing text into block tokens; gives unchanged blocks the same identity every time. */
export interface BlockLexer {
  /**
   * @param text the whole text so far
   * @param isStreaming whether more may follow; what is still open is then closed for display
   */
  lex(text: string, isStreaming: boolean): readonly Token[]
}

/**
 * A lexer for one text that mostly grows at its end. Only what follows the last closed block is read
 * again; blocks before it keep their tokens, so that they are not rendered again.
 */
export function createBlockLexer(): BlockLexer {
  let closedText = ''
  let closed: Token[] = []
  let links: Links = noLinks()
  let shown: readonly Token[] = []

  function lexTail(text: string, isStreaming: boolean): Token[] {
    const tail = text.slice(closedText.length)
    const lexer = new Lexer({ gfm: true })
    lexer.tokens.links = links
    const tokens: Token[] = lexer.lex(isStreaming ? heal(tail) : tail)
    // Only blocks are closed for good whose text is the original's: healing may change any of it.
    const open = tokens.findLastIndex((token) => token.type !== 'space')
    const closing = tokens.slice(0, Math.max(open, 0))
    const closingText = closing.map((token) => token.raw).join('')
    if (closing.length > 0 && tail.startsWith(closingText)) {
      closedText += closingText
      closed = [...closed, ...reuse(closing, closed.length)]
      return [...closed, ...reuse(tokens.slice(closing.length), closed.length)]
    }
    return [...closed, ...reuse(tokens, closed.length)]
  }

  /** The tokens shown last, where they say the same; a token is never changed once made. */
  function reuse(tokens: readonly Token[], offset: number): Token[] {
    return tokens.map((token, index) => {
      const former = shown[offset + index]
      return former && former.type === token.type && former.raw === token.raw ? former : token
    })
  }

  function restart(): void {
    closedText = ''
    closed = []
  }

  return {
    lex(text, isStreaming) {
      const normal = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
      if (!normal.startsWith(closedText)) {
        restart()
        links = noLinks()
        shown = []
      }
      const known = Object.keys(links).length
      let tokens = lexTail(normal, isStreaming)
      if (Object.keys(links).length > known) {
        // A definition arrived: references before it become links.
        restart()
        shown = []
        tokens = lexTail(normal, isStreaming)
      }
      shown = tokens
      return tokens
    },
  }
}

function heal(text: string): string {
  return remend(text, { linkMode: 'text-only', htmlTags: false })
}

function noLinks(): Links {
  return Object.create(null)
}
