import type { ResumeToolCallPayload } from '../../src/plugins/tools/commands.ts'
import type { EngineState } from '../../src/state.ts'
import type { MessageEngine } from '../../src/message-engine.ts'

/** What a tool does when its call comes: the tools are in `crash-tools.ts`. */
export type ToolName = 'look' | 'write' | 'mail' | 'put' | 'charge' | 'form' | 'deploy'

/** A call that the model makes; its id is the same in every play. */
export interface ScriptedCall {
  readonly id: string
  readonly tool: ToolName
}

/** What a person says about a call. */
export type Answer =
  | Omit<ResumeToolCallPayload, 'toolCallId' | 'messageId'>
  | { readonly output: string }

/** What a person does beside answering. */
export interface Move {
  readonly name: string
  /** Whether it is time for it, and it is still to be done, as far as the state tells. */
  when(state: EngineState): boolean
  /** Resolves with whether it was done. */
  make(engine: MessageEngine): Promise<boolean>
  /** The message that it sends. */
  readonly says?: string
  /** What is done lasts once it was acknowledged: it is not to be done again. */
  readonly lasts: boolean
}

/** A turn as its model, its tools and its person play it. */
export interface TurnScript {
  readonly name: string
  /** The calls of each step; after them comes the final text. */
  readonly steps: readonly (readonly ScriptedCall[])[]
  /** By the id of the call. */
  readonly answers?: Readonly<Record<string, Answer>>
  readonly moves?: readonly Move[]
  readonly gate?: 'step' | 'call'
  readonly concurrency?: number
  /** Tools run only when it could be stored that they start. */
  readonly isDurable?: boolean
  /** The person may end the turn before its answer. */
  readonly mayBeAborted?: boolean
}

/** The input that the model gives a call. */
export function inputOf(id: string): { text: string } {
  return { text: `of ${id}` }
}

/** What a tool answers. */
export function outputOf(tool: string, { text }: { text: string }): string {
  return `${tool} did ${text}`
}

/** The id of a call without what tells that the model made it once more. */
export function baseOf(toolCallId: string): string {
  return toolCallId.replace(/#\d+$/, '')
}
