import type { TokenizerExtension } from 'marked'
import type { MarkdownPlugin } from '../markdown-plugin.ts'
import MathFormula from './MathFormula.vue'

/** What {@link math} may be told. */
export interface MathOptions {
  /**
   * Whether a single dollar begins a formula: `$x$`. Default `true`; prices such as `$5 and $10` are
   * told apart by the spaces and digits beside the dollars.
   */
  singleDollar?: boolean
}

/**
 * A plugin that shows formulas: `$$…$$` and `\[…\]` on lines of their own, `$…$`, `$$…$$` and `\(…\)`
 * in text. While it is being loaded, and where it is not valid, the source is shown.
 */
export function math(options: MathOptions = {}): MarkdownPlugin {
  const { singleDollar = true } = options
  return {
    syntax: [block, inline(singleDollar ? [...MARKED, DOLLAR] : MARKED, singleDollar)],
    tokens: { mathBlock: MathFormula, mathInline: MathFormula },
  }
}

const BLOCK = /^ {0,3}(?:\$\$\s*([\s\S]+?)\s*\$\$|\\\[\s*([\s\S]+?)\s*\\\])[ \t]*(?:\n+|$)/
const MARKED = [/^\$\$([^$\n]+?)\$\$/, /^\\\(([^\n]+?)\\\)/, /^\\\[([^\n]+?)\\\]/]
/** As Pandoc has it: no space inside the dollars, and no digit after them. */
const DOLLAR = /^\$(?![\s$])((?:\\.|[^\\$\n])+?)(?<![\s\\])\$(?!\d)/

const block: TokenizerExtension = {
  name: 'mathBlock',
  level: 'block',
  start: (text) => /^ {0,3}(?:\$\$|\\\[)/m.exec(text)?.index,
  tokenizer(text) {
    const [raw, dollars, brackets] = BLOCK.exec(text) ?? []
    if (raw === undefined) return undefined
    return { type: 'mathBlock', raw, formula: dollars ?? brackets, isBlock: true }
  },
}

function inline(forms: readonly RegExp[], singleDollar: boolean): TokenizerExtension {
  const begin = singleDollar ? /\$|\\[([]/ : /\$\$|\\[([]/
  return {
    name: 'mathInline',
    level: 'inline',
    start: (text) => begin.exec(text)?.index,
    tokenizer(text) {
      for (const form of forms) {
        const [raw, formula] = form.exec(text) ?? []
        if (raw !== undefined) return { type: 'mathInline', raw, formula, isBlock: false }
      }
      return undefined
    },
  }
}
