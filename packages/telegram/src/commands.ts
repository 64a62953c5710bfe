import type { Task, TaskAnswer } from '@assent/worker'
import type { ChannelGround, Effect } from './channel-ground.ts'
import type { IncomingMessage } from './incoming-message.ts'
import { rich } from './rich-text.ts'
import { sendText } from './sending.ts'
import { toConversationId, type TaskTarget } from './task-target.ts'

/** Answers commands: `/start`, `/help`, `/status`, `/stop`. */
export type RunCommand = (command: string, message: IncomingMessage) => Promise<Effect[]>

export function commands(ground: ChannelGround): RunCommand {
  const { botId, inbox, asks, messages, client, words } = ground

  /** The tasks of a conversation that are not over, oldest first. */
  async function openTasks(target: TaskTarget): Promise<Task[]> {
    const tasks: Task[] = []
    for (const { taskId } of await messages.openOf(toConversationId(botId, target))) {
      const task = await inbox.get(taskId)
      if (task && !['done', 'dead', 'failed'].includes(task.state)) tasks.push(task)
    }
    return tasks
  }

  async function status(target: TaskTarget): Promise<string> {
    const tasks = await openTasks(target)
    const ids = new Set(tasks.map(({ id }) => id))
    const asked = await asks.notOver()
    return words.status({
      waiting: tasks.length,
      asked: asked.filter(({ taskId, decision }) => ids.has(taskId) && !decision).length,
      working: tasks.some(({ state }) => !['queued', 'parked'].includes(state)),
    })
  }

  /** Ends what is open now: the task that comes first, or all of them. */
  async function stop(
    target: TaskTarget,
    { text, userId, userName }: IncomingMessage,
  ): Promise<string> {
    const isAll = text.toLowerCase() === 'all'
    const abort = { reason: words.stopReason }
    const answer = { abort, by: `${userName} (telegram:${userId})` } satisfies TaskAnswer
    let count = 0
    for (const { id } of await openTasks(target)) {
      if (await inbox.answer(id, answer)) count++
      if (count > 0 && !isAll) break
    }
    return words.stopped(count)
  }

  async function say(
    command: string,
    target: TaskTarget,
    message: IncomingMessage,
  ): Promise<string> {
    switch (command) {
      case '/start':
        return words.welcome
      case '/help':
        return words.help
      case '/status':
        return status(target)
      case '/stop':
        return stop(target, message)
      default:
        return words.unknownCommand(command)
    }
  }

  return async (command, message) => {
    const { chatId, threadId } = message
    const target = { chatId, ...(threadId !== undefined && { threadId }) }
    const said = await say(command, target, message)
    return [() => client.inChat(chatId, (make) => sendText(make, target, rich(said)))]
  }
}
