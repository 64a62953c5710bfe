import {
  toolCallStatus,
  type ConfirmationOutcome,
  type EngineError,
  type ToolCallPart,
} from '@assent/engine'
import { computed, onBeforeUnmount, onMounted, shallowReactive, watch } from 'vue'
import type { ComputedRef, ShallowReactive } from 'vue'

/** What is on its way: a decision, an output in place of the tool's, or a cancellation. */
export type PendingDecision = ConfirmationOutcome | 'output' | 'cancel'

/** What is on its way for a call, or why the last attempt was refused. */
export interface DecisionState {
  readonly pending?: PendingDecision | undefined
  readonly error?: EngineError | undefined
  /** What is pending is not sent yet and can be taken back. */
  readonly held?: HeldDecision | undefined
}

/** A decision that waits for a moment before it is sent. */
export interface HeldDecision {
  /** How long it waits in all, and until when. Milliseconds, since the epoch. */
  readonly duration: number
  readonly until: number
  /** Takes it back: nothing was sent. */
  undo(): void
  /** Sends it now. */
  send(): void
}

/** What the cards and rows of one conversation share about its calls. */
export interface CallBoard {
  /** By {@link callKey}; only calls about which there is something to say. */
  readonly decisions: ShallowReactive<Map<string, DecisionState>>
  /** Where the calls that wait are shown in the conversation, by {@link callKey}. */
  readonly places: ShallowReactive<Map<string, HTMLElement>>
  /** The cards that offer to send their decision again. */
  readonly unanswered: ShallowReactive<Set<unknown>>
  /** Brings a message into the page whose bubble is not there; set by lists that leave some out. */
  reveal?: (messageId: string) => unknown
}

export function createCallBoard(): CallBoard {
  return {
    decisions: shallowReactive(new Map()),
    places: shallowReactive(new Map()),
    unanswered: shallowReactive(new Set()),
  }
}

/**
 * Names one question about one call. Providers reuse call ids, so the message and the request for
 * approval belong to it.
 */
export function callKey(messageId: string | undefined, part: ToolCallPart): string {
  return JSON.stringify([messageId, part.toolCallId, part.approval?.id])
}

/** The state of a call's decision; the same for all that show the call. */
export function useDecisionState(
  board: CallBoard,
  part: () => ToolCallPart,
  messageId: () => string | undefined,
): {
  key: ComputedRef<string>
  state: ComputedRef<DecisionState>
  set(state: DecisionState): void
} {
  const key = computed(() => callKey(messageId(), part()))
  const none: DecisionState = {}

  function set(state: DecisionState): void {
    if (state.pending || state.error) board.decisions.set(key.value, state)
    else board.decisions.delete(key.value)
  }

  // Beside the state, because a preliminary output and the last one share theirs.
  watch(
    () => `${part().state} ${toolCallStatus(part())}`,
    () => set({}),
  )
  return { key, state: computed(() => board.decisions.get(key.value) ?? none), set }
}

/** Notes where a call is shown for as long as it waits there. */
export function usePlace(
  board: CallBoard,
  key: () => string | undefined,
  element: () => HTMLElement | null,
): void {
  function leave(former: string | undefined): void {
    if (former !== undefined) board.places.delete(former)
  }

  onMounted(() =>
    watch(
      key,
      (now, before) => {
        leave(before)
        const place = element()
        if (now !== undefined && place) board.places.set(now, place)
      },
      { immediate: true },
    ),
  )
  onBeforeUnmount(() => leave(key()))
}
