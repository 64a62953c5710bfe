import type { TaskState, TaskText } from '@assent/worker'
import type { ChannelGround } from './channel-ground.ts'
import { markdownText } from './markdown-text.ts'
import { rich, trimRich } from './rich-text.ts'
import { replaceText, sendText } from './sending.ts'
import { splitRich } from './split-text.ts'
import { readReplyTo, type TaskTarget } from './task-target.ts'
import type { DraftRecords, KeptDraft } from './telegram-records.ts'

/** Shows answers while they are written, in messages that their last text replaces. */
export interface Drafts {
  /** Shows so much of an answer, soon, or some later text of it. Waits for nothing. */
  show(said: TaskText): void
  /** The message that shows the answer to a task so far, if it is sure that it will not change any more. */
  end(taskId: string): Promise<number | undefined>
  /** The answer has taken its place, or is shown elsewhere: then it is removed. */
  forget(taskId: string, isRemoved: boolean): Promise<void>
  /** Removes those of tasks that go on with something else than an answer. */
  sweep(): Promise<void>
}

interface Draft {
  readonly taskId: string
  readonly target: TaskTarget
  readonly ending: AbortController
  wanted: string
  shown: string
  messageId: number | undefined
  /** What is under way. */
  work: Promise<void> | undefined
  isEnded: boolean
  /** An edit failed, and may still come: whatever is written there then is lost. */
  isUnsure: boolean
}

/** Milliseconds before an answer is worth a draft. */
const FIRST_MS = 1_000
/** Milliseconds between two edits: Telegram takes about one message a second in a chat, in a group 20 a minute. */
const EVERY_MS = 2_500
const EVERY_IN_GROUP_MS = 6_000
/** Characters that are shown; the rest comes with the answer. */
const MAX_LENGTH = 3_000
const MORE = ' …'

const KEPT: ReadonlySet<TaskState> = new Set([
  'queued',
  'in_progress',
  'model_round',
  'tool_round',
  'reply_sent',
  'done',
])

/**
 * A draft that does not get through is none, and nothing waits for one. One that a process has left is taken away by the
 * next: an edit of it may still come, so that no reply takes its place.
 *
 * @param signal the channel stops
 */
export function drafts(
  { botId, inbox, client, clock, report }: ChannelGround,
  kept: DraftRecords,
  signal: AbortSignal,
): Drafts {
  const known = new Map<string, Draft>()
  /** Tasks whose drafts processes before have left; read when first needed. */
  let left: Set<string> | undefined

  async function write(draft: Draft): Promise<void> {
    const { target, messageId, wanted } = draft
    const [first] = splitRich(trimRich(markdownText(wanted)), MAX_LENGTH)
    if (!first) return
    const piece = rich(first, MORE)
    const { chatId } = target
    if (messageId !== undefined) {
      const edited = await client.hint(chatId, (make) =>
        replaceText(make, chatId, messageId, piece),
      )
      if (edited === undefined) Object.assign(draft, { isEnded: true, isUnsure: true })
    } else {
      // Where others talk, too, it says whom it answers.
      const place = chatId < 0 ? target : { ...target, messageId: undefined }
      const sent = await client.hint(chatId, (make) => sendText(make, place, piece))
      // It may be there all the same: no second one.
      if (!sent) draft.isEnded = true
      else {
        draft.messageId = sent.message_id
        await kept.note(draft.taskId, { chatId, messageId: sent.message_id })
      }
    }
    draft.shown = wanted
  }

  async function run(draft: Draft): Promise<void> {
    const stop = AbortSignal.any([draft.ending.signal, signal])
    const every = draft.target.chatId < 0 ? EVERY_IN_GROUP_MS : EVERY_MS
    await clock.wait(FIRST_MS, stop)
    await removeLeft(draft.taskId)
    while (!draft.isEnded && draft.wanted !== draft.shown) {
      await write(draft)
      await clock.wait(every, stop)
    }
  }

  async function end(taskId: string): Promise<number | undefined> {
    const draft = known.get(taskId)
    if (!draft) return undefined
    draft.isEnded = true
    draft.ending.abort()
    await draft.work
    return draft.isUnsure ? undefined : draft.messageId
  }

  async function forget(taskId: string, isRemoved: boolean): Promise<void> {
    const draft = known.get(taskId)
    if (!draft) return removeLeft(taskId)
    const { chatId } = draft.target
    const { messageId } = draft
    if (messageId !== undefined) {
      if (isRemoved) await remove({ chatId, messageId })
      await kept.forget(taskId)
    }
    known.delete(taskId)
  }

  async function remove({ chatId, messageId }: KeptDraft): Promise<void> {
    await client.hint(chatId, (make) => make((api) => api.deleteMessage(chatId, messageId)))
  }

  /** Removes the draft of a process before, if there is one. */
  async function removeLeft(taskId: string): Promise<void> {
    const draft = await kept.find(taskId)
    if (!draft) return
    await remove(draft)
    await kept.forget(taskId)
  }

  return {
    show({ task, text }) {
      const target = readReplyTo(botId, task.replyTo)
      if (!target || text === '') return
      const draft: Draft = known.get(task.id) ?? {
        taskId: task.id,
        target,
        ending: new AbortController(),
        wanted: '',
        shown: '',
        messageId: undefined,
        work: undefined,
        isEnded: false,
        isUnsure: false,
      }
      known.set(task.id, draft)
      draft.wanted = text
      if (draft.isEnded) return
      draft.work ??= run(draft)
        .catch((error: unknown) => {
          if (!draft.ending.signal.aborted && !signal.aborted) report(error)
        })
        .finally(() => {
          draft.work = undefined
        })
    },
    end,
    forget,
    async sweep() {
      left ??= new Set(await kept.taskIds())
      for (const taskId of new Set([...known.keys(), ...left])) {
        const task = await inbox.get(taskId)
        if (task && KEPT.has(task.state)) {
          // Whoever has sent the reply knows what became of the draft.
          if (task.state === 'done') left.delete(taskId)
          continue
        }
        await end(taskId)
        await forget(taskId, true)
        left.delete(taskId)
      }
    },
  }
}
