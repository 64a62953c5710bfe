import type { FieldPattern } from '@assent/engine'

/** Why a yes to several calls leaves one out. */
export type LeftOutWords = Readonly<
  Record<
    | 'answer'
    | 'editing'
    | 'destroy'
    | 'checkFailed'
    | 'notRecorded'
    | 'expired'
    | 'typed'
    | 'unseen',
    string
  >
>

/** The words beside the conversation: what waits, what is allowed, what was decided. */
export interface ApprovalWords {
  /** The strip with all that waits. */
  tray: {
    label: string
    waiting: (count: number) => string
    show: string
    review: string
    hide: string
    /** Approves those that were shown in full; `all` when that is all that waits. */
    approveSeen: (count: number, all: boolean) => string
    approveTitle: (count: number) => string
    approve: (count: number) => string
    leftOut: string
    why: LeftOutWords
    denyAll: (count: number) => string
    deny: (count: number) => string
    elsewhere: string
    notify: string
  }
  /** The list of standing permissions. Default: English. */
  policies?: PolicyWords
  /** The record of all decisions. Default: English. */
  audit?: AuditWords
  /** What the page says of itself while nobody looks at it. */
  attention: {
    title: (count: number, title: string) => string
    ended: (title: string) => string
    turnEnded: string
  }
}

/** The list of standing permissions. */
export interface PolicyWords {
  label: string
  none: string
  noneHint: string
  /** Which calls of its tool a permission covers. */
  everyCall: string
  thisCall: string
  when: (fields: readonly string[]) => string
  field: (name: string, pattern: FieldPattern) => string
  /** The input itself, where a pattern is not about one of its fields. */
  wholeInput: string
  here: string
  everywhere: string
  until: (time: string) => string
  usesLeft: (count: number) => string
  uses: (count: number) => string
  /** The tool, and which of its calls. */
  what: (tool: string, covered: string) => string
  /** When, on which call, and where, if that was in another conversation. */
  given: (time: string, sentence: string | undefined, place: string | undefined) => string
  otherConversation: string
  showCall: string
  revoke: string
  /** @param covered which calls that is; @param uses how many it let run */
  revokeWhat: (tool: string, covered: string) => string
  /** @param notStarted calls that it approved and that have not started */
  asksAgain: (notStarted: number) => string
  keep: string
  /** Of one that is suspended. */
  paused: string
  pausedHint: string
  resume: string
}

/** The record of all decisions. */
export interface AuditWords {
  label: string
  none: string
  noneFound: string
  undated: string
  search: string
  tool: string
  outcome: string
  by: string
  all: string
  outcomes: Readonly<Record<AuditOutcomeName, string>>
  /** How many of all are listed. */
  count: (count: number, total: number) => string
  more: (count: number) => string
  exportAs: (format: string) => string
  reason: string
  allowed: string
  allowedBy: (time: string) => string
  revokedAt: (covered: string, time: string) => string
  revocation: string
  input: string
  changes: string
  result: string
  took: string
  showCall: string
}

/** What was decided. */
export type AuditOutcomeName =
  | 'approved'
  | 'always'
  | 'denied'
  | 'answered'
  | 'revoked'
  | 'suspended'
  | 'resumed'
  | 'voided'
