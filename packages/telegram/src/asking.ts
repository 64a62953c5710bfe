import {
  readTaskWaiting,
  type Task,
  type TaskState,
  type TaskWaiting,
  type TaskCall,
} from '@assent/worker'
import { InputFile } from 'grammy'
import { keyboardOf } from './ask-buttons.ts'
import { askMessages } from './ask-text.ts'
import type { ChannelGround } from './channel-ground.ts'
import type { Decisions } from './decisions.ts'
import { callKeyOf, type KeptAsk } from './kept-asks.ts'
import { sendText } from './sending.ts'
import { readReplyTo, type TaskTarget } from './task-target.ts'
import { TelegramError } from './telegram-error.ts'

/** Asks about what waits for a person. */
export interface Asking {
  /**
   * Looks at all that waits: asks about what nobody was asked about, hands over what was decided,
   * takes back what does not wait any more. Does not wait for Telegram.
   */
  look(): Promise<void>
}

/** Tasks that are read at once. */
const PAGE = 100

const OVER: ReadonlySet<TaskState> = new Set(['done', 'dead', 'failed'])

/**
 * @param maxAgeMs after which a question is denied
 * @param track is given all that goes on by itself
 */
export function asking(
  ground: ChannelGround,
  decisions: Decisions,
  maxAgeMs: number,
  track: (work: Promise<unknown>) => void,
): Asking {
  const { botId, inbox, asks, client, clock, words, report } = ground
  /** Tokens of questions that are being sent. */
  const sending = new Set<string>()

  async function send(token: string, target: TaskTarget, askedAgain?: string): Promise<void> {
    const opened = await asks.get(token)
    // Before the new question is there: what went out once is not done again.
    if (opened && opened.round > 0) await decisions.showNotTaken(opened, askedAgain)
    await client.inChat(target.chatId, async (make) => {
      const ask = await asks.get(token)
      if (!ask || ask.decision || ask.isOver || ask.messageId !== undefined) return
      const { call, expiresAt } = ask
      const { ahead, file, question } = askMessages({ call, expiresAt, askedAgain }, words)
      for (const part of ahead) await sendText(make, target, part)
      if (file !== undefined) {
        const { chatId, threadId } = target
        const thread = threadId === undefined ? {} : { message_thread_id: threadId }
        await make((api) =>
          api.sendDocument(chatId, new InputFile(Buffer.from(file), 'request.txt'), thread),
        )
      }
      const keyboard = keyboardOf(ask, 'question', words)
      const { message_id: messageId } = await sendText(make, target, question, { keyboard })
      await asks.setMessage(token, messageId)
    })
  }

  function start(ask: KeptAsk, target: TaskTarget, askedAgain?: string): void {
    if (sending.has(ask.token)) return
    sending.add(ask.token)
    const sent = send(ask.token, target, askedAgain)
      .catch(async (error: unknown) => {
        if (error instanceof TelegramError && error.retryable) {
          if (error.code !== 'stopped') report(error)
          return
        }
        // Nobody will ever see it: without an answer the task would wait for ever.
        report(error)
        await decisions.denyUnseen(ask, words.unaskedReason)
        await decisions.settle(ask.token)
      })
      .catch(report)
      .then(async () => {
        sending.delete(ask.token)
        // It may have been decided, or not wait any more, before its message was known.
        const now = await asks.get(ask.token)
        if (now && !now.isOver) await lookAtAsk(now)
      })
      .catch(reportUnlessStopped)
    track(sent)
  }

  /**
   * Whether a task waits for a call although its last question is done with: a decision was not taken,
   * or the task was begun anew.
   */
  async function waitsAgain(taskId: string, callKey: string): Promise<TaskWaiting | undefined> {
    const task = await inbox.get(taskId)
    const waiting = task?.state === 'parked' ? readTaskWaiting(task.waitingFor) : undefined
    return waiting?.calls.some((call) => callKeyOf(call) === callKey) ? waiting : undefined
  }

  async function open(
    task: Task,
    call: TaskCall,
    round: number,
    chatId: number,
  ): Promise<KeptAsk | undefined> {
    const askedAt = clock.now()
    const expiresAt = Math.min(call.expiresAt ?? Infinity, askedAt + maxAgeMs)
    return asks.open({
      chatId,
      taskId: task.id,
      call,
      round,
      askedAt,
      expiresAt: Number.isFinite(expiresAt) ? Math.floor(expiresAt) : undefined,
    })
  }

  async function askAbout(task: Task, target: TaskTarget): Promise<void> {
    const waiting = readTaskWaiting(task.waitingFor)
    const known = await asks.ofTask(task.id)
    for (const call of waiting?.calls ?? []) {
      const callKey = callKeyOf(call)
      const last = known.findLast((ask) => ask.callKey === callKey)
      if (!last) {
        const ask = await open(task, call, 0, target.chatId)
        if (ask) start(ask, target)
      } else if (last.isDelivered || last.isOver) {
        const again = await waitsAgain(task.id, callKey)
        const ask = again && (await open(task, call, last.round + 1, target.chatId))
        if (ask) start(ask, target, again.refused.at(-1)?.message)
      } else if (last.messageId === undefined && !last.decision) {
        // It was to be asked when a process ended; whether it was cannot be told.
        start(last, target)
      }
    }
  }

  async function eachParked(
    look: (task: Task, target: TaskTarget) => Promise<void>,
  ): Promise<void> {
    for (let before: string | undefined; ;) {
      const tasks = await inbox.list({ states: ['parked'], limit: PAGE, ...(before && { before }) })
      for (const task of tasks) {
        const target = readReplyTo(botId, task.replyTo)
        if (target) await look(task, target)
      }
      before = tasks.length < PAGE ? undefined : tasks.at(-1)?.id
      if (before === undefined) return
    }
  }

  /** Whether nobody needs to decide any more: the task is over, or it waits for something else. */
  async function hasLapsed({ taskId, callKey }: KeptAsk): Promise<boolean> {
    const task = await inbox.get(taskId)
    if (!task || OVER.has(task.state)) return true
    if (task.state !== 'parked') return false
    const waiting = readTaskWaiting(task.waitingFor)
    return !waiting?.calls.some((call) => callKeyOf(call) === callKey)
  }

  async function lookAtAsk(ask: KeptAsk): Promise<void> {
    if (sending.has(ask.token)) return
    if (ask.decision) return track(decisions.settle(ask.token).catch(reportUnlessStopped))
    if (await hasLapsed(ask)) return track(takeBack(ask).catch(reportUnlessStopped))
    const { expiresAt = Infinity } = ask
    if (expiresAt > clock.now()) return
    await decisions.denyUnseen(ask, words.expiredReason)
    track(decisions.settle(ask.token).catch(reportUnlessStopped))
  }

  async function takeBack({ token, taskId }: KeptAsk): Promise<void> {
    await decisions.settle(token, true)
    // It may wait for the same again meanwhile.
    const task = await inbox.get(taskId)
    const target = readReplyTo(botId, task?.replyTo)
    if (task?.state === 'parked' && target) await askAbout(task, target)
  }

  function reportUnlessStopped(error: unknown): void {
    if (!(error instanceof TelegramError && error.code === 'stopped')) report(error)
  }

  return {
    async look() {
      for (const ask of await asks.notOver()) await lookAtAsk(ask)
      await eachParked(askAbout)
    },
  }
}
