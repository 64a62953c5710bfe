import type { EngineState } from '../../src/state.ts'

/** The state of a conversation at rest, but for what is given. */
export function idleState(given: Partial<EngineState> = {}): EngineState {
  return {
    requestState: 'idle',
    processingState: undefined,
    messages: [],
    messageIds: given.messages?.map(({ id }) => id) ?? [],
    error: undefined,
    turn: undefined,
    queue: [],
    confirmations: [],
    drafts: [],
    ...given,
  }
}
