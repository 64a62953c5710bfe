import type { EngineErrorCode } from '../../src/errors.ts'
import type { ToolCallRef } from '../../src/message/tool-part.ts'
import type { ResumeToolCallPayload } from '../../src/plugins/tools/commands.ts'
import type { Click } from './clicks.ts'
import type { Call, Scope } from '../../src/testing/decision-model.ts'

/** A decision as it is sent, and what is foreseen to come of it. */
export interface Decision {
  readonly payload: ResumeToolCallPayload
  readonly call: Call | undefined
  readonly click: Click | undefined
  /** Why it cannot be made; any of these may be said. None when it counts. */
  readonly refusals: readonly EngineErrorCode[]
  /** The call was decided so before. */
  readonly isRepeated: boolean
}

/** Somebody changed the call since it was approved: what counts as the same is anybody's guess. */
export function isUnclear({ call }: Decision): boolean {
  return call?.changedFrom !== undefined
}

export interface SentScope {
  readonly sent: unknown
  readonly scope: Scope | undefined
}

export const noScope: SentScope = { sent: undefined, scope: undefined }

export function coversOf({ scope }: ResumeToolCallPayload): string {
  const covers = scope?.covers ?? 'input'
  return typeof covers === 'string' ? covers : 'patterns'
}

export function settledOf(result: unknown): readonly ToolCallRef[] {
  return (result as { settled?: readonly ToolCallRef[] }).settled ?? []
}
