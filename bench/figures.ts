/** One line of `results.json`. */
export interface Figure {
  readonly name: string
  /** Ours. */
  readonly value: number
  /** Of `value` and of `peer.value`. */
  readonly unit: string
  /** What ours was run beside, in the same run. */
  readonly peer: { readonly name: string; readonly value: number } | null
  /** How many times as much the peer costs; `null` also where ours is nothing. */
  readonly ratio: number | null
  /** What is promised, or `null` where the figure only informs. */
  readonly budget: string | null
  /** Whether the budget is kept; `true` without one. */
  readonly ok: boolean
}

/** A bound: on our value, on how many times the peer's it is, or on how many times ours the peer's is. */
export type Budget =
  | { readonly of: 'value'; readonly atMost: number }
  | { readonly of: 'share'; readonly atMost: number }
  | { readonly of: 'ratio'; readonly atLeast: number }

/** Up to here a figure counts as flat: caches and the garbage collector are never quite even. */
const FLAT = 1.5

export interface FigureInput {
  name: string
  value: number
  unit: string
  peer?: { name: string; value: number }
  budget?: Budget
}

/** Completes a figure: ratio, budget in words, verdict. */
export function figure({ name, value, unit, peer, budget }: FigureInput): Figure {
  const ratio = peer && value !== 0 ? peer.value / value : null
  return {
    name,
    value: rounded(value),
    unit,
    peer: peer ? { name: peer.name, value: rounded(peer.value) } : null,
    ratio: ratio === null ? null : rounded(ratio),
    budget: budget ? inWords(budget, unit) : null,
    ok: budget ? isKept(budget, value, ratio) : true,
  }
}

/** How many times the smallest of our values the largest is; 1 is perfectly flat. */
export function flatness(name: string, figures: readonly Figure[]): Figure {
  const values = figures.map(({ value }) => value)
  return figure({
    name,
    value: Math.max(...values) / Math.min(...values),
    unit: '×',
    budget: { of: 'value', atMost: FLAT },
  })
}

/** A figure that could not be measured (`NaN`) keeps no budget. */
function isKept(budget: Budget, value: number, ratio: number | null): boolean {
  if (budget.of === 'value') return value <= budget.atMost
  if (ratio === null) return false
  return budget.of === 'share' ? 1 / ratio <= budget.atMost : ratio >= budget.atLeast
}

function inWords(budget: Budget, unit: string): string {
  if (budget.of === 'value') return `≤ ${budget.atMost} ${unit}`
  return budget.of === 'share' ? `≤ ${budget.atMost} × peer` : `peer ≥ ${budget.atLeast} ×`
}

function rounded(value: number): number {
  return Number(value.toPrecision(4))
}

/** The figures as a table for a terminal. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, unit, peer, ratio, budget, ok }) => [
    name,
    `${format(value)} ${unit}`,
    peer ? `${format(peer.value)} ${unit}` : '',
    ratio === null ? '' : `${format(ratio)}×`,
    peer?.name ?? '',
    budget ?? '',
    budget === null ? '' : ok ? 'kept' : 'MISSED',
  ])
  const head = ['what', 'ours', 'peer', 'peer / ours', 'the peer', 'budget', '']
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const isNumber = (column: number): boolean => column >= 1 && column <= 3
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return isNumber(column) ? cell.padStart(width) : cell.padEnd(width)
      })
      .join('  ')
      .trimEnd()
  const rule = widths.map((width) => '─'.repeat(width)).join('  ')
  return [line(head), rule, ...rows.map(line)].join('\n')
}

function format(value: number): string {
  if (value >= 100) return value.toFixed(0)
  if (value >= 10) return value.toFixed(1)
  return value.toFixed(value >= 1 ? 2 : 3)
}
