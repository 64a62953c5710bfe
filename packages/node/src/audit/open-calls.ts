import type { AuditLog } from './audit-log.ts'
import type { AuditedCall } from './audited-call.ts'
import { callIdOf } from './call-row.ts'
import { isOver } from './engine-calls.ts'
import type { CallChange } from './record-call.ts'

/** The calls of a conversation of which the audit does not say that they are over. */
export interface OpenCalls {
  /** Reads them anew from the audit; by id. */
  read(): Promise<Map<string, CallChange>>
  /** Takes note of what was noted of one. */
  note(change: CallChange): void
  /** Those of one message. */
  of(messageId: string): CallChange[]
}

export function openCalls(audit: AuditLog, conversationId: string): OpenCalls {
  const calls = new Map<string, CallChange>()

  async function readAll(status: 'queued' | 'running'): Promise<AuditedCall[]> {
    const all: AuditedCall[] = []
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const page = await audit.calls({ conversationId, status, before, limit: 1_000 })
      all.push(...page)
      const last = page.at(-1)
      if (!last) return all
      before = last.seq
    }
  }

  return {
    async read() {
      const found = [...(await readAll('queued')), ...(await readAll('running'))]
      calls.clear()
      for (const call of found) {
        const { id, taskId, messageId, step, toolCallId, toolName, status } = call
        const name = { conversationId, taskId, messageId, step, toolCallId, toolName }
        // One that has no message is not of an engine.
        if (messageId !== undefined) calls.set(id, { ...name, phase: status })
      }
      return new Map(calls)
    },
    note(change) {
      const id = callIdOf(change)
      if (isOver(change)) calls.delete(id)
      else calls.set(id, change)
    },
    of: (messageId) => [...calls.values()].filter((call) => call.messageId === messageId),
  }
}
