import type { CommandResult, EngineError } from '@assent/engine'
import type { WaitingCallEntry } from '@assent/vue'
import { computed, shallowRef, type ComputedRef, type ShallowRef } from 'vue'
import { useConfig } from '../config/config.ts'
import type { AskBoard } from '../context/ask-board.ts'
import { callKey } from '../context/call-board.ts'
import { useClock } from '../context/clock.ts'
import { holdDecision } from '../context/hold-decision.ts'
import { questionKey } from '../review/question-key.ts'
import { confirmWord } from '../tool-call/describe-call.ts'
import { splitBatch, type Batch } from './batch.ts'
import type { Waiting } from './use-waiting.ts'

/** What a yes to several calls covers now, by what was shown of them. */
export function useBatch(
  { calls, isEdited }: Pick<Waiting, 'calls' | 'isEdited'>,
  board: AskBoard,
): ComputedRef<Batch> {
  const config = useConfig()
  const now = useClock(() => calls.value.some(({ expiresAt }) => expiresAt !== undefined))
  return computed(() => {
    const idle = calls.value.filter((call) => !board.decisions.get(keyOf(call))?.pending)
    return splitBatch(idle, {
      isSeen: ({ messageId, part }) => board.review.whole.has(questionKey(messageId, part)),
      isEdited,
      isTyped: ({ part }) => confirmWord(part, config.value) !== undefined,
      now: now.value ?? 0,
    })
  })
}

/** One decision about several calls. */
export interface BatchDecision {
  /** What is on its way. */
  readonly picked: ShallowRef<readonly WaitingCallEntry[] | undefined>
  /** Why the last one was refused. */
  readonly error: ShallowRef<EngineError | undefined>
  /** Resolves to `undefined` when nothing was sent: one is on its way, or all was taken back. */
  decide(
    calls: readonly WaitingCallEntry[],
    outcome: 'yes' | 'no',
    reason?: string,
  ): Promise<CommandResult | undefined>
}

/** Carries out decisions about several calls, whose cards and rows are pending meanwhile. */
export function useBatchDecision(
  { decideAll }: Pick<Waiting, 'decideAll'>,
  board: AskBoard,
): BatchDecision {
  const config = useConfig()
  const picked = shallowRef<readonly WaitingCallEntry[]>()
  const error = shallowRef<EngineError>()

  /** Each can be taken back by itself, on its card; what is left after that is meant. */
  async function hold(
    calls: readonly WaitingCallEntry[],
    outcome: 'yes' | 'no',
    duration: number,
  ): Promise<readonly WaitingCallEntry[]> {
    const isMeant = await Promise.all(
      calls.map((call) => holdDecision(board, keyOf(call), outcome, duration)),
    )
    return calls.filter((_, index) => isMeant[index])
  }

  return {
    picked,
    error,
    async decide(calls, outcome, reason) {
      if (picked.value || calls.length === 0) return undefined
      picked.value = calls
      error.value = undefined
      const { undoMs } = config.value
      const meant = undoMs > 0 ? await hold(calls, outcome, undoMs) : calls
      if (meant.length === 0) return void (picked.value = undefined)
      for (const call of meant) board.decisions.set(keyOf(call), { pending: outcome })
      const result = await decideAll(meant, outcome, reason)
      picked.value = undefined
      if (result.success) return result
      for (const call of meant) board.decisions.delete(keyOf(call))
      error.value = result.error
      return result
    },
  }
}

/** Names a call on the board. */
export function keyOf(call: WaitingCallEntry): string {
  return callKey(call.messageId, call.part)
}
