import { EngineError } from '../errors.ts'

/**
 * The greatest token of a namespace after a write with one, by the greatest before it. Throws `fenced`
 * for that of a former holder.
 */
export function passFence(
  greatest: number | undefined,
  token: number | undefined,
): number | undefined {
  if (token === undefined) return greatest
  if (greatest !== undefined && token < greatest) throw fenced(greatest, token)
  return token
}

/** The error of a write by a former holder. */
export function fenced(greatest: number, token: number): EngineError {
  const text = 'Another page or process holds this conversation now; nothing was written.'
  return new EngineError('fenced', text, { details: { token, greatest } })
}
