import type { AuditPayload } from './audit-entry.ts'

/** Numbers of entries, as the note of an erasure has them: `3-5,9`. */
export function toRanges(seqs: readonly number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const seq of seqs.toSorted((one, other) => one - other)) {
    const range = ranges.at(-1)
    if (range?.[1] === seq - 1) range[1] = seq
    else ranges.push([seq, seq])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join()
}

/** The numbers of the entries that the note of an erasure names, of those before it. */
export function* erasedSeqs(
  { erased }: AuditPayload,
  before: number,
): Generator<number, void, void> {
  if (typeof erased !== 'string') return
  for (const range of erased.split(',')) {
    const [first = Number.NaN, last = first] = range.split('-').map(Number)
    for (let seq = first; seq <= last && seq < before; seq++) yield seq
  }
}
