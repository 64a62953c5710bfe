import { FILTER_OPTIONS, PAGE_OPTIONS, readFilter, readPage } from './audit-filter.ts'
import { EXIT, type Command } from './command.ts'
import { timeText } from './parse-time.ts'

export const auditCalls: Command = {
  name: 'audit calls',
  summary: 'Lists the calls of tools as they stand, the one that was queued last first',
  options: { ...FILTER_OPTIONS, ...PAGE_OPTIONS },
  async run({ options, audit, out }) {
    const calls = await (await audit()).calls({ ...readFilter(options), ...readPage(options) })
    out.say(calls, () => {
      if (calls.length === 0) out.line('There is no such call.')
      else {
        out.table(
          [
            { title: '#', of: ({ seq }) => String(seq), isNumber: true },
            { title: 'queued', of: ({ queuedAt }) => timeText(queuedAt) },
            { title: 'tool', of: ({ toolName }) => toolName, cutTo: 6 },
            { title: 'status', of: ({ status, outcome }) => outcome ?? status },
            { title: 'took', of: tookText, isNumber: true },
            { title: 'conversation', of: (call) => call.conversationId ?? '', cutTo: 8 },
            { title: 'arguments', of: (call) => JSON.stringify(call.arguments), cutTo: 10 },
            { title: 'result', of: ({ error, output }) => error ?? output ?? '', cutTo: 10 },
          ],
          calls,
        )
      }
    })
    return EXIT.done
  },
}

function tookText({
  startedAt,
  finishedAt,
}: {
  startedAt?: number | undefined
  finishedAt?: number | undefined
}): string {
  if (startedAt === undefined || finishedAt === undefined) return ''
  const ms = finishedAt - startedAt
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}
