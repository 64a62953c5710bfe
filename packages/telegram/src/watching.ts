import type { Task, TaskState } from '@assent/worker'
import type { Asking } from './asking.ts'
import type { ChannelGround } from './channel-ground.ts'
import type { Drafts } from './drafts.ts'
import { failureKeyboard } from './failure-buttons.ts'
import { rich } from './rich-text.ts'
import { sendText } from './sending.ts'
import { readReplyTo } from './task-target.ts'
import { TelegramError } from './telegram-error.ts'
import type { MessageRecords, NoticeRecords, TakenMessage } from './telegram-records.ts'

export interface WatchingOptions {
  readonly asking: Asking
  readonly drafts: Drafts
  readonly notices: NoticeRecords
  readonly signal: AbortSignal
  readonly track: (work: Promise<unknown>) => void
  /** Milliseconds between two looks when nothing happened in this process. */
  readonly lookMs: number
}

/** Telegram shows for 5 seconds that somebody types. */
const TYPING_MS = 4_000
const PRUNE_MS = 3_600_000
/** A message whose task is not there yet is about to be added; later it was deleted. */
const GONE_AFTER_MS = 3_600_000

const WORKING: readonly TaskState[] = ['in_progress', 'model_round', 'tool_round']

/**
 * Follows the inbox until the signal aborts: asks about what waits, tells of what failed for good, shows
 * that the assistant is at work.
 */
export async function watch(ground: ChannelGround, options: WatchingOptions): Promise<void> {
  const { botId, inbox, messages, client, clock, words, report } = ground
  const { asking, drafts, notices, signal, track, lookMs } = options
  const telling = new Set<string>()
  /** Those whose people know that the model cannot be reached. */
  const held = new Set<string>()
  /** When each chat at work was last shown to be. */
  let typedAt: ReadonlyMap<number, number> = new Map()
  let prunedAt = -Infinity
  let wake = Promise.withResolvers<void>()

  /** Once for a message, as far as that is known: it is kept, and tried again. */
  async function tellHeld({ taskId, chatId, messageId }: TakenMessage): Promise<void> {
    if (held.has(taskId)) return
    held.add(taskId)
    if (!(await notices.isDue(chatId, `held:${taskId}`))) return
    const text = rich(words.modelUnreachable)
    await client.inChat(chatId, (make) => sendText(make, { chatId, messageId }, text))
  }

  async function tellFailure(message: TakenMessage, task: Task): Promise<void> {
    const { taskId, chatId, messageId } = message
    telling.add(taskId)
    try {
      const text = rich(words.failed(task.error?.message ?? ''))
      const keyboard = failureKeyboard(task, messageId, words)
      await client.inChat(chatId, (make) =>
        sendText(make, { chatId, messageId }, text, { keyboard }),
      )
      await messages.end(taskId)
    } catch (error) {
      // Nobody is there to read it.
      const isBlocked = error instanceof TelegramError && error.code === 'blocked'
      if (!(error instanceof TelegramError && error.retryable)) await messages.end(taskId)
      if (!signal.aborted && !isBlocked) report(error)
    } finally {
      telling.delete(taskId)
    }
  }

  /** Notes the end of tasks, the first of every conversation, until one is found that goes on. */
  async function followMessages(kept: MessageRecords): Promise<void> {
    for (let heads = await kept.heads(); heads.length > 0;) {
      let hasEnded = false
      for (const head of heads) {
        if (telling.has(head.taskId)) continue
        const task = await inbox.get(head.taskId)
        const isGone = !task && head.takenAt < clock.now() - GONE_AFTER_MS
        if (task?.state === 'dead') {
          track(tellFailure(head, task))
        } else if (task?.state === 'queued' && task.error?.code === 'model_unreachable') {
          track(tellHeld(head).catch(report))
        } else if (isGone || task?.state === 'done' || task?.state === 'failed') {
          hasEnded = (await messages.end(head.taskId)) || hasEnded
        }
      }
      heads = hasEnded ? await kept.heads() : []
    }
  }

  async function showTyping(): Promise<void> {
    const shownAt = new Map<number, number>()
    for (const { replyTo } of await inbox.list({ states: WORKING })) {
      const target = readReplyTo(botId, replyTo)
      if (!target) continue
      const { chatId, threadId } = target
      const last = typedAt.get(chatId) ?? -Infinity
      const isDue = clock.now() - last >= TYPING_MS
      shownAt.set(chatId, isDue ? clock.now() : last)
      if (!isDue) continue
      const thread = threadId === undefined ? {} : { message_thread_id: threadId }
      track(
        client.hint(chatId, (make) => make((api) => api.sendChatAction(chatId, 'typing', thread))),
      )
    }
    typedAt = shownAt
  }

  async function look(): Promise<void> {
    if (clock.now() - prunedAt >= PRUNE_MS) {
      prunedAt = clock.now()
      await notices.prune()
    }
    await asking.look()
    await followMessages(messages)
    await drafts.sweep()
    await showTyping()
  }

  const unsubscribe = inbox.subscribe(() => wake.resolve())
  signal.addEventListener('abort', () => wake.resolve(), { once: true })
  try {
    while (!signal.aborted) {
      wake = Promise.withResolvers()
      await look().catch(report)
      const rest = new AbortController()
      const pause = clock.wait(lookMs, rest.signal).catch(() => undefined)
      await Promise.race([wake.promise, pause])
      rest.abort()
    }
  } finally {
    unsubscribe()
  }
}
