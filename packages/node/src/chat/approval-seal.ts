import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { sentJson } from './sent-json.ts'

/** What an approval is given for. */
export interface SealedCall {
  readonly approvalId: string
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  /** The ids of all calls of its step where they run together: a page that leaves one out has no yes. */
  readonly step: readonly string[]
}

/**
 * Who asked: `person` a person is to decide; `rule` the rules have said yes, and the call only waits
 * for the rest of its step.
 */
export type ApprovalOrigin = 'person' | 'rule'

/** What a seal says of the request that it belongs to. */
export interface ReadSeal {
  readonly origin: ApprovalOrigin
  /** Milliseconds since the epoch. */
  readonly issuedAt: number
}

/**
 * Seals requests for approval, so that nothing runs for an approval that was not asked for: in this
 * conversation, of this user, for this very call and input, and at that time.
 */
export interface ApprovalSeal {
  sign(call: SealedCall, origin: ApprovalOrigin, issuedAt: number): string
  /** What the seal says; `undefined` when it is not one of ours for this call. */
  read(call: SealedCall, signature: string | undefined): ReadSeal | undefined
}

/** When a seal was made, without a check; `undefined` when the text is no seal. */
export function sealedAt(signature: string | undefined): number | undefined {
  const [, , at] = SHAPE.exec(signature ?? '') ?? []
  return at === undefined ? undefined : Number.parseInt(at, 36)
}

const SHAPE = /^assent1\.(p|r)\.([0-9a-z]{1,11})\.([\w-]{43})$/

/**
 * @param secret of the server; the same for all of its processes
 * @param scope the conversation and its user; a seal holds in no other
 */
export function createApprovalSeal(secret: string | Uint8Array, scope: string): ApprovalSeal {
  const mac = (call: SealedCall, mark: string, at: string) =>
    createHmac('sha256', secret)
      .update(
        JSON.stringify([
          'assent-approval-2',
          scope,
          mark,
          at,
          call.approvalId,
          call.toolCallId,
          call.toolName,
          [...new Set(call.step)].toSorted(),
          createHash('sha256').update(sentJson(call.input)).digest('base64url'),
        ]),
      )
      .digest()
  return {
    sign(call, origin, issuedAt) {
      const mark = origin === 'person' ? 'p' : 'r'
      const at = Math.floor(issuedAt).toString(36)
      return `assent1.${mark}.${at}.${mac(call, mark, at).toString('base64url')}`
    },
    read(call, signature) {
      const [, mark, at, code] = SHAPE.exec(signature ?? '') ?? []
      if (mark === undefined || at === undefined || code === undefined) return undefined
      const given = Buffer.from(code, 'base64url')
      const own = mac(call, mark, at)
      if (given.length !== own.length || !timingSafeEqual(given, own)) return undefined
      return { origin: mark === 'p' ? 'person' : 'rule', issuedAt: Number.parseInt(at, 36) }
    },
  }
}
