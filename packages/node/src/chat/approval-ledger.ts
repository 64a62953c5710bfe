import type { ProviderMetadata } from 'ai'

/** Whose calls, and in which conversation. */
export interface LedgerScope {
  /** The user; `''` where there is none. */
  readonly owner: string
  /** `''` where the request named none. */
  readonly conversationId: string
}

/** What a ledger knows a call by. */
export interface LedgerKey extends LedgerScope {
  /** Names the question about the call; where nobody was asked, its answer and step. */
  readonly approvalId: string
  /** Of the call: its id, its tool and its input. */
  readonly fingerprint: string
}

/** How the run of a call ended. */
export type RunOutcome =
  | { readonly status: 'done'; readonly output: unknown }
  | { readonly status: 'failed'; readonly errorText: string }
  /** It was stopped while it ran, or whoever ran it is gone: it may have taken effect. */
  | { readonly status: 'unknown' }

/** What has become of a call that was decided. */
export type LedgerEntry =
  | RunOutcome
  /** Somebody runs it, and has said so within the last lease. */
  | { readonly status: 'running' }
  /** The approval came too late, and the call will not run. */
  | { readonly status: 'expired' }
  /** It was denied before anybody claimed it, and will not run. */
  | { readonly status: 'denied' }

/** The decision that stands on a call. */
export interface StandingDecision {
  readonly approved: boolean
  /** The user who made it; `undefined` where there are none, or nobody noted it. */
  readonly by: string | undefined
}

/** The answer to who wants to run a call. */
export type ClaimAnswer =
  | LedgerEntry
  /** It is theirs to run, and nobody else's, ever. */
  | { readonly status: 'claimed' }

/** Another answer of the conversation has begun since: the call does not run. */
export interface Superseded {
  readonly status: 'superseded'
}

/** A call that its rules let run without a question. */
export interface UnaskedRun {
  readonly key: LedgerKey
  /** Names the answer in which the model called it, over all processes. */
  readonly answerId: string
  /** Of that answer, from 1. */
  readonly step: number
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  /** What the provider wants to see again beside the call. */
  readonly providerMetadata?: ProviderMetadata | undefined
  /** How many calls of the same id, tool and input the conversation had before. */
  readonly before: number
}

/** Who runs a call. */
export interface Runner {
  /** Names this one run, over all processes. */
  readonly holder: string
  /** For how long nobody takes it for gone, in milliseconds. */
  readonly leaseMs: number
}

/**
 * What became of the calls of a server, for all of its processes.
 *
 * An approval arrives any number of times: a page sends it again until it is answered, and somebody may
 * have kept it. Its call is claimed once. When whoever claimed it does not say any more that it
 * runs, nobody knows whether it took effect: it is `unknown`, and never claimed again.
 *
 * A call that nobody is asked about is claimed for its answer, and kept as untold until a request of the
 * conversation carries its result: each answer until then begins with what became of it.
 *
 * No clock makes a ledger forget: it counts the time that has passed for itself, and of what it may have
 * forgotten it says `unknown`. `askedAt` is when a call was asked about, in milliseconds since the epoch, as
 * the seal of its question says.
 *
 * A ledger answers for what is in its store, and for nothing that another store knows: so each question names the
 * store that it was asked with, and a yes to it runs nothing with another one.
 *
 * Each method is one step that no other falls into, in whichever process. Implement it over a database of
 * your own, and test it by `ledgerConformance` of `@assent/node/testing`.
 */
export interface ApprovalLedger {
  /**
   * Whether it outlives this process. Only then pages are told that they may send decisions again
   * until they are answered.
   */
  readonly isDurable: boolean
  /**
   * Names the store: made at random once, when the store is made, and kept in it. One that was deleted and made
   * anew has another name.
   */
  identity(): Promise<string>
  /**
   * Notes a decision. Answers the one that stands: this, or the one that came before. A denial stands
   * unless the call was claimed: it takes the place of an approval, and of one that came too late.
   *
   * @param by the user who decides, kept beside the decision that stands
   */
  decide(key: LedgerKey, approved: boolean, askedAt: number, by?: string): Promise<boolean>
  /** The decision that stands, and whose it is; `undefined` before there is one, and when it came too late. */
  decision(key: LedgerKey): Promise<StandingDecision | undefined>
  /** What has become of a call; `undefined` as long as it may still be claimed. */
  look(key: LedgerKey): Promise<LedgerEntry | undefined>
  /** Gives the right to run a call, to the first who asks. That is kept before this resolves. */
  claim(key: LedgerKey, runner: Runner, askedAt: number): Promise<ClaimAnswer>
  /**
   * A new answer of a conversation begins: calls of the one before are not claimed any more, in whichever
   * process that goes on. Answers the runs that are untold, the first to be claimed first.
   */
  begin(scope: LedgerScope, answerId: string): Promise<readonly UnaskedRun[]>
  /** The same as `claim` for a call of the latest answer, and notes it as untold. */
  claimUnasked(run: UnaskedRun, runner: Runner): Promise<ClaimAnswer | Superseded>
  /** A request has carried the results of these runs. They stay claimed. */
  told(runs: readonly UnaskedRun[]): Promise<void>
  /** The run goes on: from now on for another lease. */
  renew(key: LedgerKey, runner: Runner): Promise<void>
  /**
   * Notes how a run has ended, also when its lease has ended before. Of anybody but its holder it is
   * not heeded, nor is a second end.
   */
  end(key: LedgerKey, holder: string, outcome: RunOutcome): Promise<void>
  /**
   * What was claimed has not begun, and will not: it may be claimed again, and is not untold. Of anybody
   * but its holder it is not heeded, nor after an end.
   */
  release(key: LedgerKey, holder: string): Promise<void>
  /**
   * A decision came too late: a call that nobody has claimed is not claimed any more. Of what the ledger
   * may have forgotten it answers `unknown`.
   */
  expire(key: LedgerKey, askedAt: number): Promise<LedgerEntry>
}
