import type { UIMessage } from 'ai'
import type { EngineState } from '../state.ts'

/** The part of an engine that is observed. */
interface Observable<MESSAGE extends UIMessage> {
  getState(): EngineState<MESSAGE>
  subscribe(listener: () => void): () => void
}

/**
 * Resolves with the first state that a predicate accepts, the present one included. Awaits
 * publications, so it needs no clock.
 */
export function untilState<MESSAGE extends UIMessage>(
  engine: Observable<MESSAGE>,
  isReached: (state: EngineState<MESSAGE>) => boolean,
): Promise<EngineState<MESSAGE>> {
  return new Promise((resolve) => {
    let stop: (() => void) | undefined
    const look = () => {
      const state = engine.getState()
      if (!isReached(state)) return
      stop?.()
      resolve(state)
    }
    stop = engine.subscribe(look)
    look()
  })
}
