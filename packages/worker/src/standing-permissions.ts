import { randomUUID } from 'node:crypto'
import {
  assentMetadata,
  deriveApprovalPolicies,
  findToolCall,
  type ApprovalScope,
  type ToolApprovalPolicyStatus,
  type ToolCallRef,
} from '@assent/engine'
import {
  namespaceOf,
  readStoredConfirmations,
  storedConversations,
  storedRevocation,
} from '@assent/engine/storage'
import { sayRevocation } from './revocations-said.ts'
import type { WorkerStores } from './stores.ts'

/** A standing permission of a conversation: calls that it covers run without a question. */
export interface StandingPermission {
  readonly id: string
  readonly toolName: string
  readonly scope: ApprovalScope
  readonly status: ToolApprovalPolicyStatus
  /** The call that it was given on. */
  readonly call: ToolCallRef
  /** What that call does, in one sentence, where its tool says so. */
  readonly summary: string | undefined
  /** Of that call; `undefined` when it is not there any more. */
  readonly input: unknown
  /** When it was given. Milliseconds since the epoch. */
  readonly givenAt: number
  /** How many calls it has let run. */
  readonly uses: number
}

/** What to take back, and who does. */
export interface Revocation {
  readonly conversationId: string
  readonly permissionId: string
  /** For the audit. */
  readonly user: string
}

/** The standing permissions of conversations that workers lead, to be shown and taken back. */
export interface StandingPermissions {
  /** All that were given in a conversation, oldest first, with what became of them. */
  list(conversationId: string): Promise<readonly StandingPermission[]>
  /**
   * Takes one back for good. `busy` while somebody works on the conversation: a worker is told, and asks again about
   * calls that have not started; but it may miss that, so try again, `onFree` says when. `unknown` when there is
   * none of this id that could be taken back, or it has been.
   */
  revoke(revocation: Revocation): Promise<'revoked' | 'unknown' | 'busy'>
  /** Calls back when a conversation may be free. Returns how to listen no more. */
  onFree(conversationId: string, listener: () => void): () => void
}

/** @param now milliseconds since the epoch. Default `Date.now` */
export function standingPermissions(
  { conversations, audit }: Pick<WorkerStores, 'conversations' | 'audit'>,
  now: () => number = Date.now,
): StandingPermissions {
  const { storage } = conversations
  const stored = storedConversations(storage, { now })
  return {
    async list(conversationId) {
      const records = await readStoredConfirmations(storage, namespaceOf(conversationId))
      const own = records.filter((record) => record.conversationId === conversationId)
      const policies = deriveApprovalPolicies(own, { now: now() })
      if (policies.length === 0) return []
      const { messages } = await stored.export(conversationId)
      return policies.map(({ id, toolName, scope, status, uses, confirmation }) => {
        const { messageId, step, toolCallId, at: givenAt } = confirmation
        const call = { messageId, step, toolCallId }
        const message = messages.find((one) => one.id === messageId)
        const part = message && findToolCall(message, call)?.part
        const summary = part && assentMetadata(part).summary
        return { id, toolName, scope, status, call, summary, input: part?.input, givenAt, uses }
      })
    },
    async revoke({ conversationId, permissionId, user }) {
      const hold = await conversations.hold(conversationId, { owner: `revoke:${randomUUID()}` })
      if (!hold) {
        sayRevocation(conversations, conversationId, { permissionId, user })
        return 'busy'
      }
      try {
        const namespace = namespaceOf(conversationId)
        const made = { id: randomUUID(), at: now() }
        const revocation = await storedRevocation(storage, namespace, permissionId, made)
        if (revocation) {
          const options = { fence: hold.epoch, durability: 'strict' } as const
          await storage.write(namespace, revocation.changes, options)
          if (audit) await audit.recordDecision(revocation.record, { conversationId, who: user })
        }
        // A worker that was told takes back what holds in its conversation.
        const everywhere = await stored.everywhere()
        const isWide = everywhere.some(({ id }) => id === permissionId)
        if (isWide) await stored.revokeEverywhere(permissionId)
        return revocation || isWide ? 'revoked' : 'unknown'
      } finally {
        await hold.release()
      }
    },
    onFree: (conversationId, listener) => conversations.onFree({ conversationId }, listener),
  }
}
