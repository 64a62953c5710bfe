import type { JSONValue } from 'ai'
import { readTaskWaiting } from '../task-waiting.ts'
import { CliError } from './cli-error.ts'
import { EXIT, type Command } from './command.ts'
import { entryWords } from './entry-words.ts'
import { timeText } from './parse-time.ts'
import { shortText, withoutContent } from './short-input.ts'
import { inputText, whyText } from './task-words.ts'

export const tasksShow: Command = {
  name: 'tasks show',
  summary: 'Shows a task, what it waits for, and its way through the audit',
  operands: '<id>',
  options: {},
  async run({ operands, stores, out }) {
    const [id] = operands
    if (id === undefined || operands.length > 1) {
      throw new CliError('usage', 'Give the id of one task; assent-worker tasks list has them.')
    }
    const { inbox, audit: log } = await stores()
    const task = await inbox.get(id)
    if (!task) throw new CliError('not_found', `There is no task ${JSON.stringify(id)}.`)
    const entries = log ? await log.query({ taskId: id, limit: 1_000 }) : []
    const audit = entries.toReversed()
    const shown = { ...task, input: withoutContent(task.input) }
    out.say({ task: shown, audit }, () => {
      out.line(`${task.id}  ${task.state}  (${task.attempts} of ${task.maxAttempts} attempts)`)
      out.line(`conversation  ${task.conversationId}`)
      out.line(`added         ${timeText(task.createdAt)}`)
      out.line(`updated       ${timeText(task.updatedAt)}`)
      const why = whyText(task)
      if (why !== '') out.line(`now           ${why}`)
      out.line(`says          ${inputText(task).replaceAll('\n', '\n              ')}`)
      for (const call of readTaskWaiting(task.waitingFor)?.calls ?? []) {
        out.line()
        out.line(`${call.toolName} (${call.toolCallId}) waits for ${waitWords[call.kind]}`)
        if (call.requestReason !== undefined) out.line(`  why    ${call.requestReason}`)
        if (call.risk !== undefined) out.line(`  risk   ${call.risk}`)
        out.line(`  input  ${inJson(call.input).replaceAll('\n', '\n         ')}`)
      }
      if (audit.length > 0) out.line()
      for (const entry of audit) {
        const { tool, what, details } = entryWords(entry)
        const words = [entry.kind, tool, what, details].filter((word) => word !== '')
        out.line(`${timeText(entry.at)}  ${words.join('  ')}`)
      }
    })
    return EXIT.done
  },
}

const waitWords = { approval: 'a decision', output: 'an output' } as const

function inJson(value: JSONValue): string {
  return shortText(JSON.stringify(withoutContent(value), null, 2))
}
