import { EngineError } from '@assent/engine'
import type { CommandResult, ResumeToolCallPayload, ToolCallPart } from '@assent/engine'
import { ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { useChat } from '../context/chat-context.ts'

/** Carries a decision out. Default: the command `resumeToolCall` of the conversation's tool plugin. */
export type Decide = (decision: ResumeToolCallPayload) => Promise<CommandResult>

/** A person's decision on one call: what is on its way, what was refused, and how to decide. */
export interface ToolDecision {
  /** What was clicked and has not taken effect yet. */
  readonly pending: Readonly<Ref<'yes' | 'no' | undefined>>
  /** Why the last attempt was refused. */
  readonly error: Readonly<ShallowRef<EngineError | undefined>>
  approve(): Promise<void>
  /** @param reason reaches the model */
  deny(reason?: string): Promise<void>
}

/** The decision on a call; the same for calls that run here and elsewhere. */
export function useDecision(
  part: () => ToolCallPart,
  messageId: () => string | undefined,
  own: () => Decide | undefined,
): ToolDecision {
  const chat = useChat()
  const pending = ref<'yes' | 'no'>()
  const error = shallowRef<EngineError>()

  watch(
    () => part().state,
    () => {
      pending.value = undefined
      error.value = undefined
    },
  )

  async function decide(outcome: 'yes' | 'no', reason?: string): Promise<void> {
    if (pending.value) return
    pending.value = outcome
    error.value = undefined
    const decision: ResumeToolCallPayload = { toolCallId: part().toolCallId, outcome }
    const id = messageId()
    if (id !== undefined) decision.messageId = id
    if (reason) decision.reason = reason
    const result = await carryOut(decision)
    if (result.success) return
    pending.value = undefined
    error.value = result.error
  }

  function carryOut(decision: ResumeToolCallPayload): Promise<CommandResult> {
    const decideOwn = own()
    if (decideOwn) return decideOwn(decision)
    if (chat.value) return chat.value.runPluginCommand('tool', 'resumeToolCall', decision)
    const message =
      'No conversation is provided. Use AsChat, provideMessage() or the prop `decide`.'
    return Promise.resolve({ success: false, error: new EngineError('invalid_argument', message) })
  }

  return {
    pending,
    error,
    approve: () => decide('yes'),
    deny: (reason) => decide('no', reason),
  }
}
