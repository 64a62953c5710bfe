import type { TaskAnswer } from '../task-answer.ts'
import { readTaskWaiting, type TaskCall } from '../task-waiting.ts'
import { CliError } from './cli-error.ts'
import { EXIT, type Command, type CommandCall, type GivenOptions } from './command.ts'

const BY = { value: 'name', help: 'who decides, for the audit; default: $USER' } as const

export const tasksAnswer: Command = {
  name: 'tasks answer',
  summary: 'Approves, denies or answers a call that a task waits for; see it with tasks show first',
  operands: '<id>',
  options: {
    call: { value: 'id', help: 'which call, when it waits for several' },
    approve: { help: 'let it run, this once' },
    deny: { help: 'do not let it run' },
    reason: { value: 'text', help: 'why it is denied: the model reads it' },
    output: { value: 'text', help: 'the answer to a call that waits for one' },
    by: BY,
  },
  async run(call) {
    const { operands, options, stores, out } = call
    const [id] = operands
    if (id === undefined || operands.length > 1) {
      throw new CliError('usage', 'Give the id of one task; assent-worker tasks list has them.')
    }
    const given = readDecision(options)
    const { inbox } = await stores()
    const task = await inbox.get(id)
    if (!task) throw new CliError('not_found', `There is no task ${JSON.stringify(id)}.`)
    const calls = task.state === 'parked' ? (readTaskWaiting(task.waitingFor)?.calls ?? []) : []
    const found = pickCall(calls, options.text('call'))
    if (!found) return refuse(call, id, `it waits for no such call: ${task.state}`)
    if ((found.kind === 'output') !== 'output' in given) {
      throw new CliError(
        'usage',
        found.kind === 'output'
          ? `${found.toolName} (${found.toolCallId}) waits for an answer: give --output.`
          : `${found.toolName} (${found.toolCallId}) waits for a decision: give --approve or --deny.`,
      )
    }
    const answer = { ...toAnswer(found, given), ...byWhom(call) } satisfies TaskAnswer
    if (!(await inbox.answer(id, JSON.parse(JSON.stringify(answer))))) {
      return refuse(call, id, 'it is over')
    }
    const what = 'output' in given ? 'answered' : given.outcome === 'yes' ? 'approved' : 'denied'
    out.say({ [what]: { id, toolCallId: found.toolCallId, toolName: found.toolName } }, () => {
      out.line(`${what}  ${id}  ${found.toolName} (${found.toolCallId})`)
    })
    return EXIT.done
  },
}

export const tasksAbort: Command = {
  name: 'tasks abort',
  summary: 'Ends tasks that wait or run; their messages get no reply',
  operands: '<id>…',
  options: { reason: { value: 'text', help: 'why, for the audit' }, by: BY },
  async run(call) {
    const { operands, options, stores, out } = call
    if (operands.length === 0) {
      throw new CliError('usage', 'Name the tasks: assent-worker tasks list has their ids.')
    }
    const { inbox } = await stores()
    const reason = options.text('reason')
    const abort = reason === undefined ? {} : { reason }
    const aborted: string[] = []
    const refused: { id: string; message: string }[] = []
    for (const id of operands) {
      const answer = { abort, ...byWhom(call) } satisfies TaskAnswer
      if (await inbox.answer(id, answer)) aborted.push(id)
      else {
        const task = await inbox.get(id)
        refused.push({ id, message: task ? `it is over: ${task.state}` : 'there is no such task' })
      }
    }
    out.say({ aborted, refused }, () => {
      for (const id of aborted) out.line(`aborted  ${id}`)
      for (const { id, message } of refused) out.line(`not aborted  ${id}  (${message})`)
    })
    return refused.length > 0 ? EXIT.no : EXIT.done
  },
}

type Decision =
  | { readonly outcome: 'yes' | 'no'; readonly reason?: string }
  | { readonly output: string }

function readDecision(options: GivenOptions): Decision {
  const output = options.text('output')
  const reason = options.text('reason')
  const isDenied = options.has('deny')
  const count = [options.has('approve'), isDenied, output !== undefined].filter(Boolean).length
  if (count !== 1 || (reason !== undefined && !isDenied)) {
    throw new CliError(
      'usage',
      'Give one of --approve, --deny and --output; --reason goes with --deny.',
    )
  }
  if (output !== undefined) return { output }
  return { outcome: isDenied ? 'no' : 'yes', ...(reason !== undefined && { reason }) }
}

function pickCall(calls: readonly TaskCall[], id: string | undefined): TaskCall | undefined {
  const found = id === undefined ? calls : calls.filter(({ toolCallId }) => toolCallId === id)
  if (found.length > 1) {
    const names = found.map(({ toolName, toolCallId }) => `${toolCallId} (${toolName})`)
    throw new CliError('usage', `It waits for several calls, give --call: ${names.join(', ')}.`)
  }
  return found[0]
}

function toAnswer(call: TaskCall, given: Decision): TaskAnswer {
  const { toolCallId, messageId, step, fingerprint } = call
  const target = { toolCallId, messageId, step, ...(fingerprint !== undefined && { fingerprint }) }
  return 'output' in given
    ? { outputs: [{ ...target, ...given }] }
    : { decisions: [{ ...target, ...given }] }
}

/** Whoever may write to the database is believed. */
function byWhom({ options, env }: CommandCall): Pick<TaskAnswer, 'by' | 'user'> {
  const name = options.text('by') ?? env['USER'] ?? ''
  if (name.trim() === '') throw new CliError('usage', 'Say who decides: with --by, or in $USER.')
  return { by: `${name} (command line)`, user: `cli:${name}` }
}

function refuse({ out }: CommandCall, id: string, message: string): typeof EXIT.no {
  out.say({ refused: [{ id, message }] }, () => out.line(`not answered  ${id}  (${message})`))
  return EXIT.no
}
