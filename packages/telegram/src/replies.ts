import { createHash } from 'node:crypto'
import type { TurnNotice } from '@assent/engine'
import { ReplyError, type Task } from '@assent/worker'
import { InputFile } from 'grammy'
import type { MakeCall } from './bot-client.ts'
import type { ChannelGround } from './channel-ground.ts'
import type { Drafts } from './drafts.ts'
import { markdownText } from './markdown-text.ts'
import { joinRich, rich, trimRich, type RichText } from './rich-text.ts'
import { replaceText, sendText } from './sending.ts'
import { MAX_MESSAGE_LENGTH, splitRich } from './split-text.ts'
import { readConversationId, readReplyTo, type TaskTarget } from './task-target.ts'
import { TelegramError } from './telegram-error.ts'
import type { ReplyProgress, ReplyRecords } from './telegram-records.ts'
import { MAX_LATE_LENGTH, MAX_REPEATED_LENGTH } from './words.ts'

/** A reply, as a worker hands it to its `onReply`. */
export interface TelegramReply {
  readonly task: Task
  /** Markdown. */
  readonly text: string
  /** Why the turn ended without a whole answer: said below the text. */
  readonly notice?: TurnNotice | undefined
  /** It may have been sent before: what of it went out is not sent again. */
  readonly mayBeRepeated: boolean
  /** Milliseconds since it was to go out first: said above it when that is long ago. Default 0. */
  readonly waitedMs?: number | undefined
  /** Whoever sends it waits no longer: what is left of it is not sent. */
  readonly abortSignal?: AbortSignal | undefined
}

/** A file for a chat. */
export interface TelegramFile {
  /** What it is called: no path. */
  readonly name: string
  readonly bytes: Uint8Array
  /** At most 1,024 characters. */
  readonly caption?: string
}

/** Sends what the assistant says. */
export interface Replies {
  reply(reply: TelegramReply): Promise<void>
  sendFile(conversationId: string, file: TelegramFile): Promise<void>
}

/** A chat that takes no more for longer than this has its reply sent by another attempt. */
const MAX_WAIT_MS = 30_000
/** A reply that comes later than this says so. */
const LATE_MS = 60_000
/** What a part leaves free for the lines in front of it. */
const RESERVED = MAX_REPEATED_LENGTH + MAX_LATE_LENGTH
/** Something that is more than space and characters without a look. */
const HAS_SHOWN = /[^\s\p{Cc}\p{DI}]/u
/** Telegram takes no more text beside a file. */
const MAX_CAPTION_LENGTH = 1_024

export function replies(ground: ChannelGround, kept: ReplyRecords, drafts: Drafts): Replies {
  const { botId, client, clock, messages, words } = ground

  /** A reply quotes its message when others came after it, or when others talk here too. */
  async function placeOf(task: Task, { messageId, ...place }: TaskTarget): Promise<TaskTarget> {
    const isPrivate = place.chatId > 0
    const isQuoted = messageId !== undefined && (!isPrivate || (await messages.hasLater(task.id)))
    return isQuoted ? { ...place, messageId } : place
  }

  /** The messages of a reply. There is always one: an answer of which nothing is shown says so. */
  function partsOf({ text, notice }: TelegramReply): RichText[] {
    const shown = trimRich(markdownText(text))
    const isBlank = text.trim() === ''
    const said = isBlank || HAS_SHOWN.test(shown.text) ? shown : rich(words.unshown)
    const why = notice ?? (isBlank ? 'empty' : undefined)
    return splitRich(
      trimRich(joinRich([said, why ? words.notice(why) : ''], '\n\n')),
      MAX_MESSAGE_LENGTH - RESERVED,
    )
  }

  function lateLine({ waitedMs = 0 }: TelegramReply): RichText | undefined {
    if (waitedMs < LATE_MS) return undefined
    const line = words.late(words.time(clock.now() - waitedMs))
    return rich(`${line.slice(0, MAX_LATE_LENGTH - 1).toWellFormed()}\n`)
  }

  async function send(reply: TelegramReply, target: TaskTarget): Promise<void> {
    const { task, mayBeRepeated, abortSignal: signal } = reply
    const parts = partsOf(reply)
    const late = lateLine(reply)
    const place = await placeOf(task, target)
    const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
    const draftId = await drafts.end(task.id)
    /** The first part takes the place of what was shown of it, unless that is too far up. */
    const replaceDraft = async (make: MakeCall, piece: RichText): Promise<boolean> => {
      const isReplaced =
        draftId !== undefined && !late && (place.chatId < 0 || place.messageId === undefined)
          ? await replaceText(make, place.chatId, draftId, piece)
          : false
      await drafts.forget(task.id, !isReplaced)
      return isReplaced
    }
    const sendParts = async (make: MakeCall): Promise<void> => {
      const { sentParts, isSending } = await kept.begin(task.id, digest, mayBeRepeated)
      for (const [at, part] of parts.entries()) {
        if (at < sentParts) continue
        const piece = late && at === sentParts ? rich(late, part) : part
        await kept.sending(task.id)
        try {
          if (at > 0 || !(await replaceDraft(make, piece))) {
            await sendText(make, at === 0 ? place : { ...place, messageId: undefined }, piece, {
              repeated: words.repeated,
              mayHaveArrived: isSending && at === sentParts,
            })
          }
        } catch (error) {
          const isUnsent = error instanceof TelegramError && !error.mayHaveArrived
          if (isUnsent && !(isSending && at === sentParts)) await kept.sent(task.id, at)
          throw error
        }
        await kept.sent(task.id, at + 1)
      }
    }
    await client.inChat(place.chatId, sendParts, { maxWaitMs: MAX_WAIT_MS, signal })
  }

  return {
    async reply(reply) {
      const target = readReplyTo(botId, reply.task.replyTo)
      if (!target) {
        throw new TelegramError('not_ours', `Task ${reply.task.id} did not come from this bot.`)
      }
      try {
        await send(reply, target)
      } catch (error) {
        throw toReplyError(error, await kept.progress(reply.task.id))
      }
    },

    async sendFile(conversationId, { name, bytes, caption }) {
      const target = readConversationId(botId, conversationId)
      if (!target) {
        throw new TelegramError(
          'not_ours',
          `Conversation ${conversationId} is not one of this bot.`,
        )
      }
      const { chatId, threadId } = target
      await client.inChat(chatId, (make) =>
        make((api) =>
          // A file is read once per try.
          api.sendDocument(chatId, new InputFile(bytes, name), {
            ...(threadId !== undefined && { message_thread_id: threadId }),
            ...(caption !== undefined && { caption: caption.slice(0, MAX_CAPTION_LENGTH) }),
          }),
        ),
      )
    },
  }
}

function toReplyError(error: unknown, { sentParts, isSending }: ReplyProgress): unknown {
  if (!(error instanceof TelegramError)) return error
  const { message, retryable, retryAfterMs } = error
  const isUnsent = sentParts === 0 && !isSending
  return new ReplyError(message, { retryable, isUnsent, retryAfterMs, cause: error })
}
