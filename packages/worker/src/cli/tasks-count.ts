import { EXIT, type Command } from './command.ts'
import { TASK_STATES } from '../task-states.ts'

export const tasksCount: Command = {
  name: 'tasks count',
  summary: 'Says how many tasks there are in each state',
  options: {},
  async run({ stores, out }) {
    const { inbox } = await stores()
    const counts = await inbox.count()
    const rows = TASK_STATES.map((state) => [state, counts.get(state) ?? 0] as const)
    out.say(Object.fromEntries(rows), () => {
      out.table(
        [
          { title: 'state', of: ([state]) => state },
          { title: 'tasks', of: ([, count]) => String(count), isNumber: true },
        ],
        rows,
      )
    })
    return EXIT.done
  },
}
