import { randomBytes } from 'node:crypto'
import { ChatHandlerError } from './handler-errors.ts'

const MIN_BYTES = 16

/**
 * The secret that signs approvals: the app's own, or, outside of production, a random one, of which a
 * warning tells.
 *
 * @throws ChatHandlerError `secret_missing`, `secret_short`
 */
export function approvalSecretOf(given: string | Uint8Array | undefined): string | Uint8Array {
  if (given !== undefined) {
    if (Buffer.byteLength(given) >= MIN_BYTES) return given
    throw new ChatHandlerError(
      'secret_short',
      `approvalSecret must have at least ${MIN_BYTES} bytes, such as those of "openssl rand -hex 32".`,
    )
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
  return randomBytes(32)
}
