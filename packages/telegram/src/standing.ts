import { createHash } from 'node:crypto'
import type { Inbox, Revocation, StandingPermission, StandingPermissions } from '@assent/worker'
import type { InlineKeyboardMarkup } from 'grammy/types'
import { visible } from './evidence.ts'
import type { KeptAsk } from './kept-asks.ts'
import { joinRich, rich, styled, type RichText } from './rich-text.ts'
import type { Clock } from './waiting.ts'
import type { TelegramWords } from './words.ts'

/** What became of the permission that an “Always” has given. */
export type GivenStatus =
  /** It holds, or is about to. */
  | 'holds'
  | 'revoked'
  /** It ended by itself, or was never given. */
  | 'ended'

/** The standing permissions of chats, to be shown and revoked. */
export interface Standing {
  /** Those that hold in a conversation, as a message. */
  list(conversationId: string): Promise<{ text: RichText; keyboard: InlineKeyboardMarkup }>
  /** The one in a list that a button names; `undefined` when it holds no more. */
  find(conversationId: string, name: string): Promise<StandingPermission | undefined>
  /** What became of the one that a question has given. */
  given(ask: KeptAsk): Promise<{ status: GivenStatus; revocation?: Omit<Revocation, 'user'> }>
  /** Takes one back at once, where nobody works on its conversation. */
  revoke(revocation: Revocation): Promise<'revoked' | 'unknown' | 'busy'>
  /** The same as soon as that is so; rejects when the channel stops. */
  revokeLater(revocation: Revocation): Promise<void>
}

export interface StandingParts {
  readonly inbox: Inbox
  readonly clock: Clock
  readonly words: TelegramWords
  readonly permissions: StandingPermissions
  /** The channel stops. */
  readonly signal: AbortSignal
}

/** Most that are listed: Telegram shows no more buttons well. */
const MOST = 20
const MAX_SUMMARY_LENGTH = 120
/** Who lets a conversation go in another process may not be heard. */
const LOOK_MS = 2_000

export function standing({ inbox, clock, words, permissions, signal }: StandingParts): Standing {
  const holding = async (conversationId: string): Promise<StandingPermission[]> =>
    (await permissions.list(conversationId)).filter(({ status }) => status === 'standing')

  function line(permission: StandingPermission, index: number): RichText {
    const { toolName, scope, summary, input, givenAt, uses } = permission
    const what = visible(summary ?? JSON.stringify(input ?? {}))
    const shown = what.length > MAX_SUMMARY_LENGTH ? `${what.slice(0, MAX_SUMMARY_LENGTH)}…` : what
    const covers = scope.covers ?? 'input'
    return rich(
      `${index + 1}. `,
      styled({ type: 'bold' }, visible(toolName)),
      `: ${words.permissionCovers(covers === 'tool' ? 'tool' : covers === 'input' ? 'input' : 'pattern', shown.toWellFormed())}`,
      `\n${words.permissionGiven(words.time(givenAt), uses)}`,
    )
  }

  return {
    async list(conversationId) {
      const found = (await holding(conversationId)).slice(-MOST)
      const lines = found.map(line)
      const text = joinRich([words.permissions(found.length), ...lines], '\n\n')
      const buttons = found.map(({ id }, index) => [
        { text: words.revokeNumber(index + 1), callback_data: `${nameOf(id)}:take-back` },
      ])
      return { text, keyboard: { inline_keyboard: buttons } }
    },
    async find(conversationId, name) {
      return (await holding(conversationId)).find(({ id }) => nameOf(id) === name)
    },
    async given({ taskId, call, decision }) {
      if (decision?.outcome !== 'yes_always') return { status: 'ended' }
      const task = await inbox.get(taskId)
      if (!task) return { status: 'ended' }
      const { conversationId, state } = task
      const { messageId, step, toolCallId } = call
      const all = await permissions.list(conversationId)
      const found = all.findLast(
        (one) =>
          one.call.messageId === messageId &&
          one.call.step === step &&
          one.call.toolCallId === toolCallId,
      )
      if (!found) {
        // The worker has not taken the decision yet.
        const isOver = state === 'done' || state === 'dead' || state === 'failed'
        return { status: isOver ? 'ended' : 'holds' }
      }
      const holds = found.status === 'standing' || found.status === 'suspended'
      const status = holds ? 'holds' : found.status === 'revoked' ? 'revoked' : 'ended'
      return { status, revocation: { conversationId, permissionId: found.id } }
    },
    revoke: (revocation) => permissions.revoke(revocation),
    async revokeLater(revocation) {
      for (;;) {
        const free = Promise.withResolvers<void>()
        const rest = new AbortController()
        const stop = permissions.onFree(revocation.conversationId, free.resolve)
        try {
          if ((await permissions.revoke(revocation)) !== 'busy') return
          const pause = clock.wait(LOOK_MS, AbortSignal.any([signal, rest.signal]))
          await Promise.race([free.promise, pause])
        } finally {
          stop()
          rest.abort()
        }
      }
    },
  }
}

/** Names a permission in the data of a button, which has no room for an id of any length. */
function nameOf(permissionId: string): string {
  return createHash('sha256').update(permissionId).digest('base64url').slice(0, 22)
}
