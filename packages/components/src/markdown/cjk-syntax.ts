import type { TokenizerExtension } from 'marked'

/** Scripts that are written without spaces between words, and their punctuation. */
const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef‘’“”…—`
const HAS_CJK = new RegExp(`[${CJK}]`, 'u')
const EDGE = /^\p{P}|\p{P}$/u
/** What stands between two runs of asterisks, code and links taken as wholes. */
const MARKED = /^(\*\*?)(?![\s*])((?:`[^`\n]+`|\[[^\]\n]*\]\([^)\n]*\)|[^*`\n])*?[^\s*])\1(?!\*)/u
const ADDRESS = new RegExp(String.raw`^https?:\/\/[!-;=?-~]+(?=[${CJK}])`, 'u')

/**
 * Emphasis that ends in punctuation right before a word, as Chinese is written: `**注意：**请先备份`. By the
 * letter of CommonMark those asterisks are none.
 */
const emphasis: TokenizerExtension = {
  name: 'cjkEmphasis',
  level: 'inline',
  tokenizer(source) {
    const [raw, stars, text] = MARKED.exec(source) ?? []
    if (raw === undefined || text === undefined || !EDGE.test(text)) return undefined
    if (!HAS_CJK.test(text) && !HAS_CJK.test(source.charAt(raw.length))) return undefined
    const type = stars === '**' ? 'strong' : 'em'
    return { type, raw, text, tokens: this.lexer.inlineTokens(text) }
  },
}

/** A bare address ends where a script begins that is written without spaces: `见https://a.example/b，然后`. */
const address: TokenizerExtension = {
  name: 'cjkAddress',
  level: 'inline',
  tokenizer(source) {
    if (this.lexer.state.inLink) return undefined
    const [found] = ADDRESS.exec(source) ?? []
    const href = found?.replace(/[.,:;!?'"]+$/, '')
    if (href === undefined) return undefined
    return {
      type: 'link',
      raw: href,
      href,
      text: href,
      tokens: [{ type: 'text', raw: href, text: href }],
    }
  },
}

export const cjkSyntax: readonly TokenizerExtension[] = [emphasis, address]
