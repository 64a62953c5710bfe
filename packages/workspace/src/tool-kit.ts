import type { ToolOptions } from '@assent/engine'
import type { Redact } from '@assent/engine/redaction'
import type { FlexibleSchema, ToolExecutionOptions } from 'ai'
import type { Outputs } from './outputs.ts'
import type { Roots } from './roots.ts'
import type { ShownCalls } from './shown-calls.ts'
import type { SeenPlaces } from './seen-places.ts'
import type { SeenFiles } from './text-file.ts'
import { visibleName } from './visible-name.ts'

/** What all tools of a workspace work with. */
export interface ToolKit {
  readonly roots: Roots
  readonly outputs: Outputs
  /** Masks secrets; a part of a file is taken from what is masked. */
  readonly redact: Redact
  readonly seen: SeenFiles
  /** Where paths led to. */
  readonly places: SeenPlaces
  /** What people were asked about. */
  readonly shown: ShownCalls
  /** UTF-8 bytes of a file that is read or written. */
  readonly maxFileBytes: number
}

/** Whether a call may run: without a question, after a yes, or not at all; and why. */
export type Clearance =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'ask' | 'deny'; readonly reason: string }

/** A call that a rule is asked about. */
export interface QuestionedCall {
  readonly toolCallId: string
  /** A yes is there: the rule is asked once more, right before the call runs. */
  readonly isDecided?: boolean
  /** It runs now, by whoever runs it: what is said by now asks nobody any more. */
  readonly isStarting?: boolean
}

/** What is known about one call beside its input. */
export type CallDetails = Pick<ToolExecutionOptions<unknown>, 'toolCallId' | 'abortSignal'>

/** The same of a call that may run now, with what was said of it right before. */
export type ClearedCall = CallDetails & { readonly clearance: Clearance }

/** A tool of a workspace before it is one of the AI SDK. */
export type WorkspaceTool<INPUT> = {
  readonly description: string
  readonly inputSchema: FlexibleSchema<INPUT>
  /** Whether the call may run. What will be refused is told when the call runs. */
  clear(input: INPUT, call: QuestionedCall): Promise<Clearance> | Clearance
  readonly options: ToolOptions<INPUT>
} & (
  | { execute(input: INPUT, call: ClearedCall): Promise<string> }
  /** Yields what there is so far, and at last all of it. */
  | { stream(input: INPUT, call: ClearedCall): AsyncGenerator<string> }
)

export const ALLOWED: Clearance = { verdict: 'allow' }

/** A path in a sentence. */
export function quoted(path: string): string {
  return `“${visibleName(path)}”`
}
