import { EXIT, type Command } from './command.ts'
import { timeText } from './parse-time.ts'

export const tasksUndelivered: Command = {
  name: 'tasks undelivered',
  summary: 'Lists the replies that did not go out so far, the oldest first',
  options: { limit: { value: 'count', help: 'at most so many; default 50, at most 1000' } },
  async run({ options, stores, out }) {
    const { replies } = await stores()
    const found = await replies.undelivered(options.whole('limit', 1, 1_000) ?? 50)
    out.say(found, () => {
      if (found.length === 0) out.line('Every reply went out.')
      else {
        out.table(
          [
            { title: 'task', of: ({ taskId }) => taskId },
            { title: 'since', of: ({ waitingSince }) => timeText(waitingSince) },
            {
              title: 'next try',
              of: ({ dueAt }) => (dueAt === undefined ? 'given up' : timeText(dueAt)),
            },
            { title: 'tries', of: ({ failures }) => String(failures), isNumber: true },
            { title: 'conversation', of: ({ conversationId }) => conversationId, cutTo: 8 },
            {
              title: 'why',
              of: ({ error }) => (error ? `${error.code}: ${error.message}` : 'waits for others'),
              cutTo: 10,
            },
          ],
          found,
        )
      }
    })
    return EXIT.done
  },
}
