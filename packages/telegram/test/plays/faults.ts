import type { ModelEngineOptions, SqliteStores } from '@assent/worker'
import type { BotRecords } from '../../src/index.ts'
import type { Step } from './plan.ts'

/** A mistake made on purpose: a play must find it. */
export interface Fault {
  readonly name: string
  /** Where it shows. */
  readonly steps: readonly Step[]
  readonly stores?: (stores: SqliteStores) => SqliteStores
  readonly records?: (records: BotRecords) => BotRecords
  readonly engine?: Partial<ModelEngineOptions>
}

const says = (kind: 'say' | 'effect'): Step => ({
  afterMs: 0,
  do: 'say',
  said: { kind, place: 'ada', decision: 'Approve' },
})

export const FAULTS: readonly Fault[] = [
  {
    name: 'an update that was stored is not looked at again after a crash',
    steps: [{ afterMs: 0, do: 'kill', kill: 'updates stored' }, says('effect')],
    records: (records) => ({
      ...records,
      updates: { ...records.updates, open: async () => [] },
    }),
  },
  {
    name: 'a reply that does not go out at once is given up',
    steps: [
      { afterMs: 0, do: 'spell', spell: 'outage of 60 s', isAtNews: true },
      says('say'),
      says('effect'),
    ],
    stores: (stores) => ({
      ...stores,
      replies: {
        ...stores.replies,
        fail: (claim, failure) => stores.replies.fail(claim, failure, undefined),
      },
    }),
  },
  {
    name: 'a call that a crash interrupted is run again',
    steps: [{ afterMs: 0, do: 'kill', kill: 'after an effect' }, says('effect')],
    engine: {
      onInterrupted: 'retry',
      toolOptions: { effect: { idempotent: true }, ask: { idempotent: true } },
    },
  },
  {
    name: 'what of a reply went out is not noted',
    steps: [{ afterMs: 0, do: 'kill', kill: 'sendMessage' }, says('say')],
    records: (records) => ({
      ...records,
      replies: {
        ...records.replies,
        begin: async () => ({ sentParts: 0, isSending: false }),
      },
    }),
  },
]
