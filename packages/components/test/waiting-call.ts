import { fingerprintOfCall } from '@assent/engine'
import type { WaitingCallEntry, WaitingCallPart } from '@assent/vue'
import { ask, question } from './fixtures.ts'

/** A call that waits, as `useApprovals` tells of it. */
export function waitingCall(
  toolCallId: string,
  facts: Partial<WaitingCallEntry> & { summary?: string } = {},
): WaitingCallEntry {
  const { risk = 'write', summary = `Write ${toolCallId}`, kind = 'approval' } = facts
  const input = { file: toolCallId }
  const part =
    kind === 'output'
      ? question('write', toolCallId, input)
      : ask('write', toolCallId, input, { summary, risk })
  return {
    messageId: 'a1',
    step: 1,
    toolCallId,
    toolName: 'write',
    kind,
    part: part as WaitingCallPart,
    input,
    summary,
    risk,
    fingerprint: fingerprintOfCall(part),
    preview: undefined,
    requestReason: undefined,
    checkFailed: false,
    isElsewhere: false,
    expiresAt: undefined,
    ...facts,
  }
}
