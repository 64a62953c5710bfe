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
  /** Takes note of messages that are stored beside the queue until they are in it. */
  held(keys: readonly string[]): void
  /** Whether the conversation is not in the store, for a list to find, or has become none. */
  isDue(state: EngineState): boolean
  collect(state: EngineState, now: number, options: CollectFacts): KeptChange
}

/** How facts are collected. */
export interface CollectFacts {
  /** Something may have changed of which a list tells. */
  readonly isNews: boolean
  /** They are written also when they are in the store as they are. */
  readonly isForced: boolean
}

/** @param version that of the records that are written */
export function keptFacts(version: number): KeptFacts {
  let createdAt: number | undefined
  let updatedAt: number | undefined
  /** What the store has, as a text: who only looks at a conversation writes nothing. */
  let known: string | undefined
  const held = new Set<string>()
  return {
    take(records, note) {
      const about = records.get(KEYS.about)
      if (isSummary(about)) ({ createdAt, updatedAt } = about)
      else if (about !== undefined || nextPlace(records, 'message') > 0) note(KEYS.about)
      known = textOf(records)
      for (const key of records.keys()) if (key.startsWith(KEYS.held(''))) held.add(key)
      return readFacts(records, note)
    },
    held(keys) {
      for (const key of keys) held.add(key)
    },
    isDue: (state) => createdAt === undefined || isUntouched(state),
    collect(state, now, { isNews, isForced }) {
      // What was begun was taken back: nothing that a list should show is left.
      if (isUntouched(state)) {
        if (createdAt === undefined) return NOTHING
        return {
          put: new Map(),
          remove: [KEYS.about, KEYS.turn, KEYS.queue],
          succeeded() {
            createdAt = known = undefined
          },
          failed: () => undefined,
        }
      }
      createdAt ??= now
      const { error, queue } = state
      // A pause is stored before it is shown, and the same afterwards.
      const isPaused = state.processingState === 'pausing'
      const requestState = isPaused ? 'paused' : state.requestState
      const processingState = isPaused ? undefined : state.processingState
      const turn = state.turn && { ...state.turn, waitingFor: undefined }
      const factsAt = (time: number) =>
        new Map([
          [
            KEYS.about,
            toJson(summaryOf(state, { createdAt: createdAt ?? now, updatedAt: time, version })),
          ],
          [KEYS.turn, toJson({ requestState, processingState, turn, error: errorRecord(error) })],
          [KEYS.queue, toJson(queue)],
        ])
      if (!isForced && updatedAt !== undefined && textOf(factsAt(updatedAt)) === known) {
        return NOTHING
      }
      updatedAt = isNews ? now : (updatedAt ?? now)
      const put = factsAt(updatedAt)
      const remove = [...held]
      return {
        put,
        remove,
        succeeded() {
          known = textOf(put)
          for (const key of remove) held.delete(key)
        },
        failed() {
          known = undefined
        },
      }
    },
  }
}

/** Nothing has to be written. */
const NOTHING: KeptChange = {
  put: new Map(),
  remove: [],
  succeeded: () => undefined,
  failed: () => undefined,
}

function textOf(facts: Records): string {
  return JSON.stringify([KEYS.about, KEYS.turn, KEYS.queue].map((key) => facts.get(key)))
}

function isUntouched({ messages, turn, queue, drafts }: EngineState): boolean {
  return [messages, queue, drafts].every(({ length }) => length === 0) && turn === undefined
}
