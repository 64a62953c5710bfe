import { ChatHandlerError } from './handler-errors.ts'

/** The last moment that a `Date` can name, in milliseconds since the epoch. */
const LAST_MS = 8.64e15

/**
 * A clock that throws where the one that it reads tells no time: by `NaN` no approval would ever be too
 * old, and no lease would end.
 *
 * @throws ChatHandlerError `wrong_clock` whenever it is read and tells no time
 */
export function checkedClock(now: () => number): () => number {
  return () => {
    const time = now()
    if (Math.abs(time) <= LAST_MS) return time
    throw new ChatHandlerError(
      'wrong_clock',
      `The option now must answer milliseconds since the epoch, not ${time}.`,
    )
  }
}
