import type { ConfirmationRecord } from '@assent/engine'
import type { StoredEntry } from '../audit/audit-entry.ts'
import type { AuditLog } from '../audit/audit-log.ts'

/** An empty audit to be tested, without a redactor. */
export interface TestedAudit {
  readonly audit: AuditLog
  /** The same by other connections, as another process has it; may be the same one. */
  readonly other: AuditLog
  /** What somebody can do who may write the database, past all that refuses it. */
  readonly forger: {
    entries(): Promise<readonly StoredEntry[]>
    remove(seq: number): Promise<void>
    insert(entry: StoredEntry): Promise<void>
    lead(head: { readonly seq: number; readonly hash: string }): Promise<void>
    /** Says in the table of calls that each has failed. */
    failCalls(): Promise<void>
    removeCalls(): Promise<void>
  }
}

/** A test of an audit; rejects with what is wrong. */
export interface AuditTest {
  readonly name: string
  readonly run: (make: () => Promise<TestedAudit>) => Promise<void>
}

export function auditTest(name: string, test: (tested: TestedAudit) => Promise<void>): AuditTest {
  return { name, run: async (make) => test(await make()) }
}

/** A user whom no hash has in it by chance. */
export const ADA = 'ada@example.org'

export const CALL = {
  conversationId: 'c',
  messageId: 'm',
  step: 1,
  toolCallId: '1',
  toolName: 'write',
} as const

export function decision(more: { id?: string; reason?: string } = {}): ConfirmationRecord {
  return { ...CALL, id: 'd', fingerprint: 'f', at: 5, outcome: 'no', ...more }
}

/** A call from its question to its end, by two processes, a decision, a refusal and a task. */
export async function fill({ audit, other }: Pick<TestedAudit, 'audit' | 'other'>): Promise<void> {
  const owner = ADA
  await audit.recordCall({ ...CALL, owner, phase: 'queued', input: { path: 'secret.txt' } })
  await other.recordDecision(decision({ reason: 'my reason' }), { who: ADA, owner })
  await other.recordCall({ ...CALL, owner, phase: 'running', startedAt: 7 })
  await audit.recordCall({ ...CALL, owner, phase: 'done', output: 'found "it"\n\0 \u202e語' })
  const context = { conversationId: 'c' }
  await audit.recordRefusal(
    { code: 'outside', toolName: 'read', toolCallId: '2', message: 'no', subject: '/etc' },
    context,
  )
  await other.recordTask({ taskId: 't', conversationId: 'c', phase: 'done', message: 'Answered.' })
  const elsewhere = { ...CALL, conversationId: 'elsewhere', owner: 'bob' }
  await audit.recordCall({ ...elsewhere, phase: 'running', input: { path: 'kept.txt' } })
}
