import type { EngineState } from '../state.ts'
import { errorRecord, isSummary, KEYS, summaryOf, toJson } from './conversation-records.ts'
import type { KeptChange } from './kept-change.ts'
import { nextPlace, readFacts, type NoteMalformed, type Records } from './read-records.ts'
import type { StoredConversation } from './stored-conversation.ts'

/** What is stored of where a conversation stands, and of what a list shows of it. */
export interface KeptFacts {
  /** Takes over what was read. */
  take(
    records: Records,
    note: NoteMalformed,
  ): Omit<StoredConversation, 'messages' | 'confirmations' | 'drafts'>
  /** Whether the conversation is not in the store, for a list to find, or has become none. */
  isDue(state: EngineState): boolean
  /** @param isNews whether anything changed of which a list tells */
  collect(state: EngineState, now: number, isNews: boolean): KeptChange
}

/** @param version that of the records that are written */
export function keptFacts(version: number): KeptFacts {
  let createdAt: number | undefined
  let updatedAt: number | undefined
  return {
    take(records, note) {
      const about = records.get(KEYS.about)
      if (isSummary(about)) ({ createdAt, updatedAt } = about)
      else if (about !== undefined || nextPlace(records, 'message') > 0) note(KEYS.about)
      return readFacts(records, note)
    },
    isDue: (state) => createdAt === undefined || isUntouched(state),
    collect(state, now, isNews) {
      // What was begun was taken back: nothing that a list should show is left.
      if (isUntouched(state)) {
        return {
          put: new Map(),
          remove: [KEYS.about, KEYS.turn, KEYS.queue],
          succeeded() {
            createdAt = undefined
          },
          failed: () => undefined,
        }
      }
      createdAt ??= now
      updatedAt = isNews ? now : (updatedAt ?? now)
      const { requestState, processingState, error, queue } = state
      const turn = state.turn && { ...state.turn, waitingFor: undefined }
      return {
        put: new Map([
          [KEYS.about, toJson(summaryOf(state, { createdAt, updatedAt, version }))],
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
