import { EngineError, fingerprintOfCall, isWaiting } from '@assent/engine'
import type {
  ApprovalScope,
  CancelToolCallPayload,
  CommandResult,
  ConfirmationOutcome,
  ResumeToolCallPayload,
  SubmitToolOutputPayload,
  ToolCallPart,
  ToolCallTarget,
} from '@assent/engine'
import { computed, watchEffect, type ComputedRef } from 'vue'
import { useConfig } from '../config/config.ts'
import { useDecisionState } from '../context/call-board.ts'
import type { CallBoard, HeldDecision, PendingDecision } from '../context/call-board.ts'
import { useChat } from '../context/chat-context.ts'
import { holdDecision } from '../context/hold-decision.ts'

/** Carries a decision out. Default: the command `resumeToolCall` of the conversation's tool plugin. */
export type Decide = (decision: ResumeToolCallPayload) => Promise<CommandResult>

/** Carries an answer out. Default: the command `submitToolOutput`. */
export type SubmitOutput = (answer: SubmitToolOutputPayload) => Promise<CommandResult>

/** Stops a call. Default: the command `cancelToolCall`. */
export type CancelCall = (call: CancelToolCallPayload) => Promise<CommandResult>

/** What carries things out in place of the conversation. */
export interface DecisionCarriers {
  decide?: Decide | undefined
  submit?: SubmitOutput | undefined
  cancel?: CancelCall | undefined
}

/** What a yes may bring with it. */
export interface ApproveOptions {
  /** Allows further calls, too, as far as this says; `{}` is this exact input in this conversation, for 8 hours. */
  always?: ApprovalScope
  /** Runs the call with this input in place of the model's. For calls that run here. */
  input?: unknown
  /** Runs it although that cannot be recorded, this once. For calls whose record failed. */
  withoutRecord?: boolean
}

export type { PendingDecision }

type Conversation = NonNullable<ReturnType<typeof useChat>['value']>

/** A person's decision on one call: what is on its way, what was refused, and how to decide. */
export interface ToolDecision {
  /** Names the question that is decided, on the board. */
  readonly key: ComputedRef<string>
  /** What was clicked and has not taken effect yet. */
  readonly pending: ComputedRef<PendingDecision | undefined>
  /** What is pending is held back for a moment, in which it can be taken back. */
  readonly held: ComputedRef<HeldDecision | undefined>
  /** Why the last attempt was refused. */
  readonly error: ComputedRef<EngineError | undefined>
  /** Whether something is there that could cancel a call. */
  readonly canCancel: ComputedRef<boolean>
  approve(options?: ApproveOptions): Promise<void>
  /** @param reason reaches the model */
  deny(reason?: string): Promise<void>
  /** @param output takes the place of what the tool would have given */
  submit(output: unknown): Promise<void>
  /** @param reason reaches the model */
  cancel(reason?: string): Promise<void>
  /** Forgets why the last attempt was refused. */
  forget(): void
}

/**
 * The decision on a call; the same for calls that run here and elsewhere, and one for all that show
 * the call: a card and a row of the tray are pending together.
 */
export function useDecision(
  board: CallBoard,
  part: () => ToolCallPart,
  messageId: () => string | undefined,
  own: () => DecisionCarriers,
): ToolDecision {
  const chat = useChat()
  const config = useConfig()
  const { key, state, set } = useDecisionState(board, part, messageId)

  // Of what is drawn, and not of what somebody may have written into it since.
  const shown = computed(() => fingerprintOfCall(part()))
  watchEffect(() => isWaiting(part()) && shown.value)

  function target(): ToolCallTarget {
    const { toolCallId } = part()
    const id = messageId()
    const named = { toolCallId, fingerprint: shown.value }
    return id === undefined ? named : { ...named, messageId: id }
  }

  async function carryOut(
    what: PendingDecision,
    byOwn: (() => Promise<CommandResult>) | undefined,
    byChat: (chat: Conversation) => Promise<CommandResult>,
  ): Promise<void> {
    if (state.value.pending) return
    const asked = key.value
    // The one that was looked at: another may be shown when it is time.
    const conversation = chat.value
    const { undoMs } = config.value
    const canUndo = undoMs > 0 && what !== 'output' && what !== 'cancel'
    if (canUndo && !(await holdDecision(board, asked, what, undoMs))) return
    board.decisions.set(asked, { pending: what })
    const result = await (byOwn?.() ?? (conversation ? byChat(conversation) : nobody()))
    // Another question has taken the place of the one that was answered.
    if (!result.success && key.value === asked) set({ error: result.error })
  }

  function decide(decision: ResumeToolCallPayload, outcome: ConfirmationOutcome): Promise<void> {
    const { decide: byOwn } = own()
    return carryOut(outcome, byOwn && (() => byOwn(decision)), (conversation) =>
      conversation.runPluginCommand('tool', 'resumeToolCall', decision),
    )
  }

  return {
    key,
    pending: computed(() => state.value.pending),
    held: computed(() => state.value.held),
    error: computed(() => state.value.error),
    canCancel: computed(() => (own().cancel ?? chat.value) !== undefined),
    approve({ always, input, withoutRecord } = {}) {
      const outcome = always ? 'yes_always' : 'yes'
      const decision: ResumeToolCallPayload = { ...target(), outcome }
      if (always) decision.scope = always
      if (input !== undefined) decision.input = input
      if (withoutRecord) decision.withoutRecord = true
      return decide(decision, outcome)
    },
    deny: (reason) => decide({ ...target(), outcome: 'no', ...because(reason) }, 'no'),
    submit(output) {
      const { submit } = own()
      const answer: SubmitToolOutputPayload = { ...target(), output }
      return carryOut('output', submit && (() => submit(answer)), (conversation) =>
        conversation.runPluginCommand('tool', 'submitToolOutput', answer),
      )
    },
    cancel(reason) {
      const { cancel } = own()
      const call: CancelToolCallPayload = { ...target(), ...because(reason) }
      return carryOut('cancel', cancel && (() => cancel(call)), (conversation) =>
        conversation.runPluginCommand('tool', 'cancelToolCall', call),
      )
    },
    forget() {
      set({ pending: state.value.pending })
    },
  }
}

function because(reason: string | undefined): { reason?: string } {
  return reason ? { reason } : {}
}

async function nobody(): Promise<CommandResult> {
  const message =
    'No conversation is provided. Use AsChat, provideMessage(), or the props `decide`, `submit` and `cancel`.'
  return { success: false, error: new EngineError('invalid_argument', message) }
}
