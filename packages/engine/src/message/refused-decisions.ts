import { isRecord, type RefusedDecision } from './tool-part.ts'

/** What a server says of decisions that it did not take, beside the `code` and `message` of its error. */
export interface RefusedDecisions extends RefusedDecision {
  readonly refused: readonly RefusedApproval[]
}

/** A decision that was not taken. */
export interface RefusedApproval {
  readonly approvalId: string
  /**
   * Whether the server knows that nothing came of the call before either; else it only says so of this
   * request, and of an earlier one with the same decision nothing is known.
   */
  readonly isOpen: boolean
}

/** Reads the error of a server; `undefined` when it says nothing of decisions. */
export function readRefusedDecisions(value: unknown): RefusedDecisions | undefined {
  if (!isRecord(value) || !Array.isArray(value['refused'])) return undefined
  const { code, message } = value
  const refused = value['refused'].flatMap((one: unknown): RefusedApproval[] => {
    if (!isRecord(one) || typeof one['approvalId'] !== 'string') return []
    return [{ approvalId: one['approvalId'], isOpen: one['isOpen'] === true }]
  })
  if (typeof code !== 'string' || typeof message !== 'string') return undefined
  return refused.length === 0 ? undefined : { code, message, refused }
}
