/** Consecutive messages of a list that are laid out, or left out of the layout, together. */
export interface Stretch {
  /** Stays the same while messages come and go. */
  readonly key: number
  readonly ids: readonly string[]
}

/** Messages in a stretch: in 2,000 there are then about as many stretches as messages in each. */
const SIZE = 40

/**
 * Shares the messages of a list out to stretches. While their order stays the same, no message goes
 * from one stretch to another: that would take its elements down, with what is typed in them.
 *
 * @param ids in order, each once
 * @param before what this returned for the list as it was; of that, what has not changed is given back
 */
export function shareOut(
  ids: readonly string[],
  before: readonly Stretch[] = [],
): readonly Stretch[] {
  const homes = new Map(
    before.flatMap((stretch) => stretch.ids.map((id) => [id, stretch] as const)),
  )
  const shares: { home: Stretch | undefined; ids: string[] }[] = []
  for (const id of ids) {
    const home = homes.get(id)
    const last = shares.at(-1)
    const isHere = last && (home ? last.home === home : last.ids.length < SIZE)
    if (isHere) last.ids.push(id)
    else shares.push({ home, ids: [id] })
  }
  const known = shares.flatMap(({ home }) => home ?? [])
  if (new Set(known).size < known.length) return shareOut(ids)
  let newest = Math.max(-1, ...before.map(({ key }) => key))
  return shares.map(({ home, ids: own }) =>
    home && isSame(home.ids, own) ? home : { key: home?.key ?? ++newest, ids: own },
  )
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index])
}
