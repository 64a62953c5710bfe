/** A text that somebody else gave; `undefined` for anything that is none. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
