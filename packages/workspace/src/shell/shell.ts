import type { ToolPreview } from '@assent/engine'
import type { Clearance, QuestionedCall } from '../tool-kit.ts'
import type { CommandRisk } from './verdict.ts'
import type { Right } from './rights.ts'

/** A command line, as the model gives it. */
export interface ShellInput {
  readonly command: string
  /** What it needs beyond reading the workspace. */
  readonly rights?: readonly Right[] | undefined
}

/** A call that may run now. */
export interface ShellRequest {
  readonly input: ShellInput
  readonly toolCallId: string
  /** What `clear` has said right before: a call that was allowed without a question gets no right. */
  readonly clearance: Clearance
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Told of what is printed, in the order in which it comes. */
  readonly onOutput: (text: string) => void
}

/** How a command ended. */
export interface RunResult {
  readonly exitCode: number | null
  /** The signal that ended it. */
  readonly signal: string | null
  readonly ended: 'exited' | 'timeout' | 'aborted' | 'too-much-output'
}

/** How a call ended. */
export interface ShellResult extends RunResult {
  /** Where it ran: `in bubblewrap 0.8.0 with the rights write, network`. */
  readonly place: string
  /** What the model is told below what was printed. */
  readonly note?: string | undefined
}

/** What runs the commands of the tool `bash`, and says which of them a person is asked about. */
export interface Shell {
  /** What the model is told of it. */
  readonly about: string
  /** The rights that a call may ask for. Without any the tool's input has no such field. */
  readonly rights: readonly Right[]
  /** Whether a call may run. Asked more than once of one call, with the same answer while nothing changes. */
  clear(input: ShellInput, call: QuestionedCall): Clearance | Promise<Clearance>
  /** Runs a call that is allowed, or that a person was asked about. */
  run(request: ShellRequest): Promise<ShellResult>
  /** What a command was seen to do when it was asked about, whatever its words say. */
  riskSeen?(command: string): CommandRisk | undefined
  /** One sentence for a person; default: the command. */
  summary?(input: ShellInput): string
  /** What a person sees of a call before deciding. */
  preview(
    input: ShellInput,
    call: { readonly toolCallId: string },
  ): ToolPreview | undefined | PromiseLike<ToolPreview | undefined>
  /** Ends what it keeps running. */
  dispose?(): void
}
