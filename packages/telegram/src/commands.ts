import type { Task, TaskAnswer, TaskState } from '@assent/worker'
import type { BuiltInName } from './built-in-commands.ts'
import { helpText, type TelegramCommand } from './command-menu.ts'
import type { ChannelGround, Effect } from './channel-ground.ts'
import { beginConversation, currentConversation } from './current-conversation.ts'
import type { IncomingMessage } from './incoming-message.ts'
import type { Reminding } from './reminding.ts'
import { rich } from './rich-text.ts'
import { sendText } from './sending.ts'
import type { TaskTarget } from './task-target.ts'

/** Answers commands. */
export interface Commands {
  isKnown(command: string): boolean
  /** Begins another conversation, and ends what is open in the one before. */
  begin(
    target: TaskTarget & { readonly messageId: number },
    who: Pick<IncomingMessage, 'userId' | 'userName'>,
  ): Promise<Effect>
  /** What is to be said, or what the assistant is to read in the place of the message. */
  run(command: string, message: IncomingMessage): Promise<Effect[] | { readonly prompt: string }>
}

const WORKING: ReadonlySet<TaskState> = new Set([
  'in_progress',
  'model_round',
  'tool_round',
  'reply_sent',
])

export function commands(
  ground: ChannelGround,
  reminding: Reminding,
  own: readonly TelegramCommand[],
): Commands {
  const { inbox, messages, client, clock, words, standing, report } = ground
  const ownByName = new Map(own.map((command) => [`/${command.name}`, command]))

  /** The tasks of a conversation that are not over, oldest first. */
  async function openTasks(target: TaskTarget): Promise<Task[]> {
    const tasks: Task[] = []
    for (const { taskId } of await messages.openOf(await currentConversation(ground, target))) {
      const task = await inbox.get(taskId)
      if (task && !['done', 'dead', 'failed'].includes(task.state)) tasks.push(task)
    }
    return tasks
  }

  async function status(target: TaskTarget): Promise<Effect> {
    const tasks = await openTasks(target)
    const asked = await reminding.waiting(target)
    // One that is about to be asked waits, too; one that was answered is not queued any more.
    const parked = tasks.filter(({ state }) => state === 'parked').length
    const failed = tasks.find(({ state, error }) => state === 'queued' && error !== undefined)
    const say = words.status({
      asked: Math.max(asked.length, parked),
      isWorking: tasks.some(({ state }) => WORKING.has(state)),
      queued: tasks.filter(({ state }) => state === 'queued').length,
      retry: failed?.error && {
        reason: failed.error.message,
        seconds: Math.max(0, failed.dueAt - clock.now()) / 1_000,
      },
    })
    const [first, ...more] = asked
    return first ? reminding.show(first, say, more.length) : toSay(target, say)
  }

  function toSay(target: TaskTarget, text: string): Effect {
    return () => client.inChat(target.chatId, (make) => sendText(make, target, rich(text)))
  }

  /** Ends what is open now: the task that comes first, or all of them; says how many. */
  async function stop(
    target: TaskTarget,
    { userId, userName }: Pick<IncomingMessage, 'userId' | 'userName'>,
    isAll: boolean,
  ): Promise<number> {
    const abort = { reason: words.stopReason }
    const answer = { abort, by: `${userName} (telegram:${userId})` } satisfies TaskAnswer
    let count = 0
    for (const { id } of await openTasks(target)) {
      if (await inbox.answer(id, answer)) count++
      if (count > 0 && !isAll) break
    }
    return count
  }

  /** What is open ends with its conversation: nobody would see what it asks in this one. */
  async function begin(
    { messageId, ...target }: TaskTarget & { readonly messageId: number },
    who: Pick<IncomingMessage, 'userId' | 'userName'>,
  ): Promise<Effect> {
    const count = await stop(target, who, true)
    await beginConversation(ground, { ...target, messageId })
    return toSay(target, words.newConversation(count))
  }

  async function showPermissions(target: TaskTarget): Promise<Effect> {
    const listed = await standing?.list(await currentConversation(ground, target))
    if (!listed) return toSay(target, words.unknownCommand('/permissions'))
    const { text, keyboard } = listed
    return () => client.inChat(target.chatId, (make) => sendText(make, target, text, { keyboard }))
  }

  async function runOwn(
    { run }: TelegramCommand,
    target: TaskTarget,
    { text, userId, userName, chatId }: IncomingMessage,
  ): Promise<Effect[] | { readonly prompt: string }> {
    try {
      const conversationId = await currentConversation(ground, target)
      const said = await run({ text, userId, userName, chatId, conversationId })
      if (typeof said !== 'string') return said
      return said.trim() === '' ? [] : [toSay(target, said)]
    } catch (error) {
      // What it did before it failed must not be done again.
      report(error)
      return [toSay(target, words.commandFailed)]
    }
  }

  const builtIn: Readonly<
    Record<BuiltInName, (target: TaskTarget, message: IncomingMessage) => Promise<Effect>>
  > = {
    start: async (target) => toSay(target, words.welcome),
    help: async (target) =>
      toSay(target, helpText({ own, hasPermissions: standing !== undefined }, words)),
    status,
    stop: async (target, message) => {
      const isAll = message.text.toLowerCase() === 'all'
      return toSay(target, words.stopped(await stop(target, message, isAll)))
    },
    new: (target, message) => begin({ ...target, messageId: message.messageId }, message),
    permissions: showPermissions,
  }
  const isBuiltIn = (name: string): name is BuiltInName => Object.hasOwn(builtIn, name)

  return {
    begin,
    isKnown: (command) => isBuiltIn(command.slice(1)) || ownByName.has(command),
    async run(command, message) {
      const { chatId, threadId } = message
      const target = { chatId, ...(threadId !== undefined && { threadId }) }
      const name = command.slice(1)
      if (isBuiltIn(name)) return [await builtIn[name](target, message)]
      const found = ownByName.get(command)
      return found ? runOwn(found, target, message) : [toSay(target, words.unknownCommand(command))]
    },
  }
}
