import { EXIT, type Command } from './command.ts'
import { timeText } from './parse-time.ts'
import { TASK_STATES } from '../task-states.ts'
import { withoutContent } from './short-input.ts'
import { inputText, whyText } from './task-words.ts'

export const tasksList: Command = {
  name: 'tasks list',
  summary: 'Lists the tasks of workers, the newest first',
  options: {
    state: { value: 'state', isMultiple: true, help: TASK_STATES.join(', ') },
    conversation: { value: 'id', help: 'of this conversation' },
    limit: { value: 'count', help: 'at most so many; default 50, at most 1000' },
    before: { value: 'id', help: 'added before the task of this id' },
  },
  async run({ options, stores, out }) {
    const states = options.some('state', TASK_STATES)
    const conversationId = options.text('conversation')
    const before = options.text('before')
    const { inbox } = await stores()
    const tasks = await inbox.list({
      limit: options.whole('limit', 1, 1_000) ?? 50,
      ...(states.length > 0 && { states }),
      ...(conversationId !== undefined && { conversationId }),
      ...(before !== undefined && { before }),
    })
    const shown = tasks.map((task) => ({ ...task, input: withoutContent(task.input) }))
    out.say(shown, () => {
      if (tasks.length === 0) out.line('There is no such task.')
      else {
        out.table(
          [
            { title: 'id', of: ({ id }) => id },
            { title: 'state', of: ({ state }) => state },
            {
              title: 'tries',
              of: (task) => `${task.attempts}/${task.maxAttempts}`,
              isNumber: true,
            },
            { title: 'updated', of: ({ updatedAt }) => timeText(updatedAt) },
            { title: 'conversation', of: (task) => task.conversationId, cutTo: 8 },
            { title: 'says', of: inputText, cutTo: 10 },
            { title: 'why', of: whyText, cutTo: 10 },
          ],
          tasks,
        )
      }
    })
    return EXIT.done
  },
}
