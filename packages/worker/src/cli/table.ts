import stringWidth from 'string-width'
import { visibleLine } from './visible-text.ts'

/** A column of a table. */
export interface TableColumn<ROW> {
  readonly title: string
  readonly of: (row: ROW) => string
  /** Numbers stand at its end. */
  readonly isNumber?: boolean
  /** Cells that it has at least, when it may be cut to fit; without it, it is never cut. */
  readonly cutTo?: number
}

const GAP = '  '

/**
 * The lines of a table. Columns that may be cut are cut, the widest first, until all fit.
 *
 * @param width in cells of a terminal; `undefined`: nothing is cut
 */
export function tableLines<ROW>(
  columns: readonly TableColumn<ROW>[],
  rows: readonly ROW[],
  width: number | undefined,
): string[] {
  const cells = rows.map((row) => columns.map(({ of }) => visibleLine(of(row))))
  const table = [columns.map(({ title }) => title), ...cells]
  const widths = columns.map((_, index) =>
    Math.max(...table.map((line) => stringWidth(line[index] ?? ''))),
  )
  if (width !== undefined) shrink(widths, columns, width)
  return table.map((line) =>
    line
      .map((cell, index) => fit(cell, widths[index] ?? 0, columns[index]?.isNumber ?? false))
      .join(GAP)
      .trimEnd(),
  )
}

function shrink<ROW>(widths: number[], columns: readonly TableColumn<ROW>[], width: number): void {
  const total = () => widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length)
  while (total() > width) {
    let widest = -1
    for (const [index, { cutTo }] of columns.entries()) {
      const own = widths[index] ?? 0
      if (cutTo !== undefined && own > cutTo && own > (widths[widest] ?? 0)) widest = index
    }
    if (widest === -1) return
    widths[widest] = (widths[widest] ?? 0) - 1
  }
}

function fit(cell: string, width: number, isNumber: boolean): string {
  const text = cut(cell, width)
  const blank = ' '.repeat(Math.max(0, width - stringWidth(text)))
  return isNumber ? blank + text : text + blank
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  let used = 1
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment)
    if (used > width) break
    kept += segment
  }
  return `${kept}…`
}
