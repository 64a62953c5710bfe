import {
  fingerprintOfCall,
  type ApprovalScope,
  type CommandResult,
  type FieldPattern,
  type ResumeToolCallResult,
  type RunPluginCommand,
  type ToolCallPart,
  type ToolCallRef,
  type ToolCallTarget,
} from '@assent/engine'
import type { WaitingCallEntry } from './waiting-calls.ts'

/** A call as it was shown: one of `useApprovals`, the part of a message that a slot is given, or its reference. */
export type ShownCall = WaitingCallEntry | ToolCallPart | ToolCallRef

/** The fields of an input by JSON Pointer, as far as its type names them. */
type FieldOf<INPUT> = unknown extends INPUT
  ? string
  : INPUT extends object
    ? `/${keyof INPUT & string}${'' | `/${string}`}`
    : never

/** An {@link ApprovalScope} whose patterns name fields of a call's input. */
export type ScopeOf<CALL> = Omit<ApprovalScope, 'covers'> & {
  readonly covers?:
    | 'tool'
    | 'input'
    | {
        readonly [
          FIELD in FieldOf<CALL extends { input: infer INPUT } ? INPUT : unknown>
        ]?: FieldPattern
      }
}

/** How a person decides a call: each never rejects, and does nothing to a call that has changed since it was shown. */
export interface CallDecisions {
  /** Lets a call run, with another input where one is given. */
  approve(
    call: ShownCall,
    options?: { readonly input?: unknown },
  ): Promise<CommandResult<ResumeToolCallResult>>
  /** Keeps a call from running. @param reason reaches the model */
  deny(call: ShownCall, reason?: string): Promise<CommandResult<ResumeToolCallResult>>
  /**
   * Lets a call run, and later ones like it without asking.
   *
   * @param scope which ones. Default: this exact input, in this conversation, for 8 hours
   */
  always<CALL extends ShownCall>(
    call: CALL,
    scope?: ScopeOf<CALL>,
  ): Promise<CommandResult<ResumeToolCallResult>>
}

/** Decisions as commands of the tool plugin. */
export function callDecisions(run: RunPluginCommand): CallDecisions {
  const decide = (
    call: ShownCall,
    decision: object,
  ): Promise<CommandResult<ResumeToolCallResult>> =>
    run('tool', 'resumeToolCall', { ...decision, ...targetOf(call) })
  return {
    approve: (call, { input } = {}) => decide(call, input === undefined ? {} : { input }),
    deny: (call, reason) => decide(call, { outcome: 'no', reason }),
    always: (call, scope) => decide(call, { outcome: 'yes_always', scope }),
  }
}

/** Names a call in a command, and what was shown of it, where that was given. */
export function targetOf(call: ShownCall): ToolCallTarget {
  if ('type' in call) {
    const { toolCallId } = call
    return { toolCallId, fingerprint: fingerprintOfCall(call) }
  }
  const { messageId, step, toolCallId } = call
  const shown = 'fingerprint' in call ? { fingerprint: call.fingerprint } : {}
  return { messageId, step, toolCallId, ...shown }
}
