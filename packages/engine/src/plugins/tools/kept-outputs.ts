/**
 * How much of all outputs that were cut is kept per engine, in UTF-16 code units. A longer one is not
 * kept at all.
 */
export const MAX_KEPT_LENGTH = 20_000_000

interface KeptOutputs {
  /** By call, the oldest first. */
  readonly texts: Map<string, string>
  length: number
}

const keptByEngine = new WeakMap<object, KeptOutputs>()

/**
 * Keeps the whole of an output that was cut, in the place of what was kept of this call before; no
 * text, when nothing was cut, keeps nothing. The oldest ones are dropped when there are too many.
 */
export function keepOutput(engineKey: object, key: string, text: string | undefined): void {
  const kept = keptByEngine.get(engineKey) ?? { texts: new Map<string, string>(), length: 0 }
  keptByEngine.set(engineKey, kept)
  drop(kept, key)
  if (text === undefined) return
  kept.texts.set(key, text)
  kept.length += text.length
  for (const oldest of kept.texts.keys()) {
    if (kept.length <= MAX_KEPT_LENGTH) return
    drop(kept, oldest)
  }
}

/** The whole of an output that was cut, as long as it is kept. */
export function keptOutput(engineKey: object, key: string): string | undefined {
  return keptByEngine.get(engineKey)?.texts.get(key)
}

function drop(kept: KeptOutputs, key: string): void {
  kept.length -= kept.texts.get(key)?.length ?? 0
  kept.texts.delete(key)
}
