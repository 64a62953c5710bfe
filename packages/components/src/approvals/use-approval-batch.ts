import type { CommandResult, EngineError } from '@assent/engine'
import type { UseMessageReturn, WaitingCallEntry } from '@assent/vue'
import { computed, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import { provideAskBoard } from '../context/ask-board.ts'
import { useArmed } from '../tool-call/use-armed.ts'
import type { LeftOut } from './batch.ts'
import { keyOf, useBatch, useBatchDecision } from './use-batch.ts'
import { useWaiting } from './use-waiting.ts'

/** What waits, and what one yes to several calls covers. */
export interface ApprovalBatch {
  /** All that waits, in call order. */
  readonly waiting: ComputedRef<readonly WaitingCallEntry[]>
  /** The calls that `approve` covers: shown in full, and fit to be approved together. */
  readonly covered: ComputedRef<readonly WaitingCallEntry[]>
  /** The calls it leaves out, and why: those to be shown next, one after the other. */
  readonly left: ComputedRef<readonly { readonly call: WaitingCallEntry; readonly why: LeftOut }[]>
  /** Whether a decision is on its way. */
  readonly isPending: ComputedRef<boolean>
  /** Whether `approve` takes a click: not right after it began to cover other calls. */
  readonly isArmed: Readonly<Ref<boolean>>
  /** Why the last decision was refused. */
  readonly error: Readonly<ShallowRef<EngineError | undefined>>
  /** Approves what is covered, as one batch. `undefined` when nothing was sent. */
  approve(): Promise<CommandResult | undefined>
  /** Denies everything that waits, as one batch. @param reason reaches the model */
  deny(reason?: string): Promise<CommandResult | undefined>
}

/**
 * Deciding several calls at once, in a panel of your own: by the record of what was shown that cards and tray
 * use, so that nothing is approved unread.
 *
 * ```ts
 * const { covered, left, isArmed, approve } = useApprovalBatch()
 * ```
 *
 * Call it in `setup`, below a component that calls `provideApprovalBoard` and stands above the
 * conversation too. Without that nothing counts as shown.
 *
 * @param chat default: that of the `AsChat` above, else the one given to `provideMessage`
 */
export function useApprovalBatch(chat?: UseMessageReturn): ApprovalBatch {
  const board = provideAskBoard()
  const waiting = useWaiting(chat ? { chat } : {})
  const batch = useBatch(waiting, board)
  const covered = computed(() => batch.value.covered)
  const { picked, error, decide } = useBatchDecision(waiting, board)
  const { isArmed } = useArmed(() => covered.value.map(keyOf).join())
  return {
    waiting: waiting.calls,
    covered,
    left: computed(() => batch.value.left),
    isPending: computed(() => picked.value !== undefined),
    isArmed,
    error,
    approve: async () => (isArmed.value ? decide(covered.value, 'yes') : undefined),
    deny: (reason) => decide(waiting.calls.value, 'no', reason),
  }
}
