import type { JSONValue } from 'ai'
import type { EngineState } from '../state.ts'
import { errorRecord, isSummary, KEYS, summaryOf, toJson } from './conversation-records.ts'
import type { KeptChange } from './kept-change.ts'

/** What is stored of where a conversation stands, and of what a list shows of it. */
export interface KeptFacts {
  /** Takes over what was read. */
  take(records: ReadonlyMap<string, JSONValue>): void
  /** Whether the conversation is in the store, for a list to find. */
  isThere(): boolean
  collect(state: EngineState, now: number): KeptChange
}

export function keptFacts(): KeptFacts {
  let createdAt: number | undefined
  return {
    take(records) {
      const about = records.get(KEYS.about)
      createdAt = isSummary(about) ? about.createdAt : undefined
    },
    isThere: () => createdAt !== undefined,
    collect(state, now) {
      const { requestState, processingState, turn, error, queue } = state
      // What was begun was taken back: nothing that a list should show is left.
      if (isUntouched(state)) {
        const remove = createdAt === undefined ? [] : [KEYS.about, KEYS.turn, KEYS.queue]
        createdAt = undefined
        return { put: new Map(), remove, succeeded: () => undefined, failed: () => undefined }
      }
      createdAt ??= now
      return {
        put: new Map([
          [KEYS.about, toJson(summaryOf(state, { createdAt, now }))],
          [KEYS.turn, toJson({ requestState, processingState, turn, error: errorRecord(error) })],
          [KEYS.queue, toJson(queue)],
        ]),
        remove: [],
        succeeded: () => undefined,
        failed: () => undefined,
      }
    },
  }
}

function isUntouched({ messages, turn, queue, drafts }: EngineState): boolean {
  return [messages, queue, drafts].every(({ length }) => length === 0) && turn === undefined
}
