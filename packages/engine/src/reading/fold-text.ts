import { countHidden } from './visible-text.ts'

/** A long text in two: what is always shown, and what is shown on demand. */
export interface FoldedParts {
  /** The start of the text; all of it when nothing is folded. */
  shown: string
  /** How many lines there are in all. */
  lines: number
  isFolded: boolean
  /** Hosts, paths and amounts of the rest, each once: what must be seen to decide. */
  telling: readonly string[]
}

const SHOWN_LINES = 16
const SHOWN_LENGTH = 1_200
/** What hides less than this is not worth a click. */
const SLACK = 1.4
const MOST_TELLING = 40

const ADDRESS = String.raw`[a-z][a-z\d+.-]*:\/\/[^\s"'<>)\]]+`
const EMAIL = String.raw`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\.\p{L}{2,}`
const HOST = String.raw`\b(?:[\p{L}\p{N}-]+\.)+(?:com|org|net|io|dev|app|ai|co|me|info|biz|xyz|ru|cn|[a-z]{2})\b`
const PATH = String.raw`(?:~|\.{1,2})?(?:\/[\p{L}\p{N}._@-]+){2,}\/?|\b[a-z]:\\[^\s"']+`
const AMOUNT = String.raw`[$€£¥₹]\s?\d[\d.,]*|\b\d[\d.,]*\s?(?:USD|EUR|GBP|CNY|TWD|JPY|BTC|ETH|€|£|%)`
const TELLING = new RegExp([ADDRESS, EMAIL, PATH, AMOUNT, HOST].join('|'), 'giu')

/** Cuts a long text at a line, else anywhere; hosts, paths and amounts of the rest are named. */
export function foldText(text: string): FoldedParts {
  const lines = countLines(text)
  const isLong = lines > SHOWN_LINES * SLACK || text.length > SHOWN_LENGTH * SLACK
  if (!isLong) return { shown: text, lines, isFolded: false, telling: [] }
  const end = endOfShown(text)
  const telling = new Set<string>()
  for (const [found] of text.slice(startOfToken(text, end)).matchAll(TELLING)) {
    telling.add(found.replace(/[.,;:!?]+$/, ''))
  }
  // What must be seen and what nobody can see is not put away.
  if (telling.size > MOST_TELLING || countHidden(text.slice(end)) > 0) {
    return { shown: text, lines, isFolded: false, telling: [] }
  }
  return { shown: text.slice(0, end), lines, isFolded: true, telling: [...telling] }
}

function endOfShown(text: string): number {
  let end = -1
  let line = 0
  for (; line < SHOWN_LINES; line++) {
    const next = text.indexOf('\n', end + 1)
    if (next === -1 || next > SHOWN_LENGTH) break
    end = next
  }
  if (line === SHOWN_LINES || end > SHOWN_LENGTH / 2) return end
  const last = text.charCodeAt(SHOWN_LENGTH - 1)
  // Not within a pair of surrogates.
  return last >= 0xd800 && last <= 0xdbff ? SHOWN_LENGTH - 1 : SHOWN_LENGTH
}

/** A word that the cut goes through counts to the rest as a whole. */
function startOfToken(text: string, end: number): number {
  let start = end
  while (start > 0 && /\S/.test(text.charAt(start - 1))) start--
  return start
}

function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}
