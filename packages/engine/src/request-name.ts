import type { TurnState } from './state.ts'

/** Names are of no use to a server that has forgotten the requests. */
const MOST_LEFT = 16

/**
 * Names the latest request of a turn, for a server that keeps its answer: the same name when it is sent
 * again as it was, and another one when the conversation says more by then.
 */
export function requestName({
  id,
  lastStep,
}: Pick<TurnState, 'id' | 'lastStep'>): string | undefined {
  return lastStep && `${id}/${lastStep.step}/${lastStep.partCount}`
}

/** The requests whose answers nobody waits for any more once another one than the latest is made. */
export function leftRequests(turn: TurnState | undefined): readonly string[] | undefined {
  const name = turn && !turn.lastStep?.isEnded ? requestName(turn) : undefined
  if (!turn || !name) return undefined
  return [...(turn.supersedes ?? []).filter((other) => other !== name), name].slice(-MOST_LEFT)
}
