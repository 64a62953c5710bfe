import type { UIMessage } from 'ai'
import type { EngineState } from '../../src/state.ts'
import { toolCallsOf } from '../../src/message/tool-calls.ts'
import { isSettled, isWaiting } from '../../src/message/tool-part.ts'
import { sameJson } from './clicks.ts'
import type { Stage } from './stage.ts'
import type { Witness } from './witness.ts'

/** Holds what an engine has read to what was stored, and to what was said to be kept. */
export function inspectRecovery(
  { model, watch }: Stage,
  witness: Witness,
  acknowledged: ReadonlySet<string>,
  /** How often policies had been used when it began. */
  useCount: number,
  stored: EngineState | undefined,
  found: EngineState,
): void {
  const ids = new Set(found.confirmations.flatMap((record) => [record.id, revokedBy(record)]))
  for (const id of acknowledged) {
    watch.hold('I9 a decision that was acknowledged is there', ids.has(id), id)
  }
  const calls = found.messages.flatMap((message) => toolCallsOf(message))
  for (const { part } of calls.filter((call) => isWaiting(call.part))) {
    const call = witness.callOf(part)
    const hasRun = call !== undefined && witness.ranTimes(call) > 0
    watch.hold('I1 what took effect is not asked about again', !hasRun, part)
  }
  if (!stored) return
  for (const { id } of stored.confirmations) {
    watch.hold('I9 a decision that was stored is there', ids.has(id), id)
  }
  if (said(stored).length > 0) {
    // What waits may have been sent by now, and not in its order: what is held waits on.
    const isSame =
      sameJson(said(stored).toSorted(byId), said(found).toSorted(byId)) &&
      stored.messages.every(({ id }, index) => found.messages[index]?.id === id)
    watch.hold('I9 a message that was stored is there', isSame, [said(stored), said(found)])
  }
  // The answer that came is cut off, and with it what it asked.
  const isAnswering = ['requesting', 'completing'].includes(stored.processingState ?? '')
  for (const { part: before } of stored.messages.flatMap((message) => toolCallsOf(message))) {
    const uid = witness.callOf(before)?.uid
    const part = calls.find((call) => witness.callOf(call.part)?.uid === uid)?.part
    if (uid === undefined) continue
    if (isSettled(before)) {
      const isSame = part !== undefined && sameJson(before, part)
      watch.hold('I9 a result that was stored is there', isSame, { before, part })
    } else if (isWaiting(before) && !isAnswering) {
      // What a policy covers by now need not wait.
      const isUsed = model.uses.slice(useCount).includes(uid)
      const isThere = part !== undefined && (isWaiting(part) || isUsed)
      watch.hold('I9 a call that waited still waits', isThere, { before, part })
    }
  }
}

function revokedBy(record: EngineState['confirmations'][number]): string {
  return `revocation of ${('revokes' in record && record.revokes) || 'nothing'}`
}

/** All that the person has said: what was sent, and what waits. */
function said({ messages, queue }: EngineState): UIMessage[] {
  const all = [...messages, ...queue.map(({ message }) => message)]
  return all.filter(({ role }) => role === 'user')
}

function byId(one: UIMessage, other: UIMessage): number {
  return one.id < other.id ? -1 : 1
}
