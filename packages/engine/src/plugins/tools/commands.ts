import type { ApprovalScope, ConfirmationOutcome } from '../../confirmation.ts'
import type { ToolCallRef } from '../../message/tool-part.ts'

/** Names a call in the payload of a command. */
export interface ToolCallTarget {
  toolCallId: string
  /** Needed only where a provider used the same call id in several messages. */
  messageId?: string
  /** Needed only where a provider used the same call id in several steps of the message. */
  step?: number
  /**
   * What was shown, from {@link fingerprintOfCall}: a call that is another one by now is refused as
   * `call_changed`. Give it wherever a person has looked at the call.
   */
  fingerprint?: string
}

/** Payload of `resumeToolCall`. */
export interface ResumeToolCallPayload extends ToolCallTarget {
  /** Default `'yes'`. */
  outcome?: ConfirmationOutcome
  /** Reaches the model with a denial. */
  reason?: string
  /** Runs the call with this input in place of the model's. For calls that run here. */
  input?: unknown
  /** What a `yes_always` covers. Default: this exact input, in this conversation, for 8 hours. */
  scope?: ApprovalScope
  /**
   * Lets this one call run although it cannot be stored that it starts: for a call that asks again
   * because of that. Refused for a call of risk `destroy`. Default `false`.
   */
  withoutRecord?: boolean
}

/** Result of `resumeToolCall`: the call that was decided. */
export interface ResumeToolCallResult extends ToolCallRef {
  /** Other calls that waited and that a new `yes_always` has approved with it. */
  settled: readonly ToolCallRef[]
}

/** Result of `resumeToolCalls`. */
export interface ResumeToolCallsResult {
  /** The calls that were decided, in the order of the payload. */
  toolCalls: readonly ToolCallRef[]
  /** Other calls that waited and that a new `yes_always` has approved with them. */
  settled: readonly ToolCallRef[]
}

/** Payload of `submitToolOutput`: an output, or why there is none. */
export interface SubmitToolOutputPayload extends ToolCallTarget {
  output?: unknown
  /** Makes the call a failed one that says this. */
  errorText?: string
}

/** Payload of `cancelToolCall`. */
export interface CancelToolCallPayload extends ToolCallTarget {
  /** Reaches the model. */
  reason?: string
}

/** Payload of `revokePolicy`. */
export interface RevokePolicyPayload {
  /** The id of the policy, which is that of the confirmation that made it. */
  policyId: string
}

/** Result of `revokePolicy`. */
export interface RevokePolicyResult {
  policyId: string
  /** Calls that the policy had approved and that had not started: they wait for a decision again. */
  asked: readonly ToolCallRef[]
}

/** Payload of `resumePolicies`. */
export interface ResumePoliciesPayload {
  /** Default: all that are suspended. */
  policyId?: string
}

/** Result of `resumePolicies`. */
export interface ResumePoliciesResult {
  /** Those that were suspended, and are not any more. */
  policyIds: readonly string[]
}

/** Payload of `readToolOutput`. */
export interface ReadToolOutputPayload extends ToolCallTarget {
  /** UTF-8 bytes to skip. Default 0. */
  offset?: number
}

/** Result of `readToolOutput`: a piece of the whole output, cut where a character ends. */
export interface ReadToolOutputResult {
  text: string
  /** Where the piece begins, in UTF-8 bytes. */
  offset: number
  /** Where the next piece begins; none when this was the last one. */
  nextOffset?: number
  totalBytes: number
}

/** Payload of `readInputSchema`. */
export type ReadInputSchemaPayload = ToolCallTarget

/** Result of `readInputSchema`. */
export interface ReadInputSchemaResult {
  /** JSON Schema; none when the tool's schema cannot be told as such. */
  schema?: unknown
}

declare module '../../commands.ts' {
  interface PluginCommandMap {
    tool: {
      /** Decides a call that awaits approval. */
      resumeToolCall: { payload: ResumeToolCallPayload; result: ResumeToolCallResult }
      /** Decides several calls: all of them, or none when one of the decisions is refused. */
      resumeToolCalls: {
        payload: readonly ResumeToolCallPayload[]
        result: ResumeToolCallsResult
      }
      /** Answers a call that has not started in place of its tool. */
      submitToolOutput: { payload: SubmitToolOutputPayload; result: ToolCallRef }
      /** Stops a call that runs here, or is about to. */
      cancelToolCall: { payload: CancelToolCallPayload; result: ToolCallRef }
      /** Takes a standing `yes_always` back. Also while the model answers. */
      revokePolicy: { payload: RevokePolicyPayload; result: RevokePolicyResult }
      /** Lets standing ones that `stopAll()` has suspended go on. Also while the model answers. */
      resumePolicies: { payload: ResumePoliciesPayload; result: ResumePoliciesResult }
      /** Reads from the whole of an output that was cut, as far as it is kept. */
      readToolOutput: { payload: ReadToolOutputPayload; result: ReadToolOutputResult }
      /** Tells what the input of a call may be, where it can be edited. */
      readInputSchema: { payload: ReadInputSchemaPayload; result: ReadInputSchemaResult }
    }
  }
}
