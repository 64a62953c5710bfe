import remend from 'remend'

/** Closes what is still open in Markdown that arrives: emphasis, code, links, tables. */
export function heal(text: string): string {
  const whole = isInFence(text) ? text.replace(FENCE_END, '') : completeTable(holdBack(text))
  return remend(whole, { linkMode: 'text-only', htmlTags: false })
}

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/gm
/** The first characters of what closes a fence; as code they would be a line that goes away again. */
const FENCE_END = /\n {0,3}(?:`{1,2}|~{1,2})$/
/** Marks at the end that nothing follows yet: they may open anything, and would be seen until then. */
const OPENING = /(^|[\s([{|"'>])(?:[*_]{1,3}|~{1,2}|`{1,2}|\[\^?|!\[?|\[\^[^\]\s]*)$/

/** A box of a task without its task. */
const TASK = /((?:^|\n)[ \t>]*(?:[-*+]|\d+[.)]) )\[[ xX]?\]?[ \t]*$/

function isInFence(text: string): boolean {
  return (text.match(FENCE)?.length ?? 0) % 2 === 1
}

function holdBack(text: string): string {
  return text.replace(OPENING, '$1').replace(TASK, '$1')
}

/**
 * A table is one from its second line on; until then its first would be seen as text with bars in it,
 * and be another element afterwards.
 */
function completeTable(text: string): string {
  const gap = text.lastIndexOf('\n\n')
  const before = gap < 0 ? '' : text.slice(0, gap + 2)
  const block = text.slice(before.length)
  if (!block.startsWith('|')) return text
  const [head = '', ...rest] = block.split('\n')
  const [delimiters = ''] = rest
  if (rest.length > 1 || !/^[\s|:-]*$/.test(delimiters)) return text
  const columns = countCells(head)
  if (columns === 0) return before
  if (countCells(delimiters) === columns && /\|\s*$/.test(delimiters)) return text
  return `${before}${head}\n|${'---|'.repeat(columns)}`
}

function countCells(row: string): number {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return inner.trim() === '' ? 0 : inner.split(/(?<!\\)\|/).length
}
