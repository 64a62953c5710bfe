import { randomBytes } from 'node:crypto'
import type { SealSecrets } from './approval-seal.ts'
import { ChatHandlerError } from './handler-errors.ts'

const MIN_BYTES = 16

/** A secret, or several while one replaces another: the first signs, and all verify. */
export type ApprovalSecret = string | Uint8Array | readonly (string | Uint8Array)[]

/**
 * The secrets that sign approvals: the app's own, or, outside of production, a random one, of which a
 * warning tells.
 *
 * @throws ChatHandlerError `secret_missing`, `secret_short`
 */
export function approvalSecretsOf(given: ApprovalSecret | undefined): SealSecrets {
  if (given !== undefined) {
    const [first, ...older] = isList(given) ? given : [given]
    for (const secret of [first ?? '', ...older]) {
      if (Buffer.byteLength(secret) >= MIN_BYTES) continue
      throw new ChatHandlerError(
        'secret_short',
        `Each approvalSecret must have at least ${MIN_BYTES} bytes, such as those of "openssl rand -hex 32".`,
      )
    }
    return [first ?? '', ...older]
  }
  if (process.env['NODE_ENV'] === 'production') {
    throw new ChatHandlerError(
      'secret_missing',
      'Set approvalSecret, the same for all processes: it signs what a person is asked, so that nothing runs that nobody was asked about.',
    )
  }
  process.emitWarning(
    'No approvalSecret: approvals that wait now will be refused after a restart. In production it is required.',
    { code: 'ASSENT_APPROVAL_SECRET' },
  )
  return [randomBytes(32)]
}

function isList(given: ApprovalSecret): given is readonly (string | Uint8Array)[] {
  return Array.isArray(given)
}
