import {
  FILTER_OPTIONS,
  KIND_OPTION,
  PAGE_OPTIONS,
  readFilter,
  readKind,
  readPage,
} from './audit-filter.ts'
import { EXIT, type Command } from './command.ts'
import { entryWords } from './entry-words.ts'
import { timeText } from './parse-time.ts'

export const auditList: Command = {
  name: 'audit list',
  summary: 'Lists what happened, the newest first',
  options: { ...FILTER_OPTIONS, kind: KIND_OPTION, ...PAGE_OPTIONS },
  async run({ options, audit, out }) {
    const filter = { ...readFilter(options), ...readKind(options), ...readPage(options) }
    const entries = await (await audit()).query(filter)
    out.say(entries, () => {
      if (entries.length === 0) out.line('There is no such entry.')
      else {
        const rows = entries.map((entry) => ({ entry, words: entryWords(entry) }))
        out.table(
          [
            { title: '#', of: ({ entry }) => String(entry.seq), isNumber: true },
            { title: 'time', of: ({ entry }) => timeText(entry.at) },
            { title: 'kind', of: ({ entry }) => entry.kind },
            { title: 'tool', of: ({ words }) => words.tool, cutTo: 6 },
            { title: 'what', of: ({ words }) => words.what, cutTo: 8 },
            { title: 'conversation', of: ({ words }) => words.conversation, cutTo: 8 },
            { title: 'details', of: ({ words }) => words.details, cutTo: 10 },
          ],
          rows,
        )
      }
    })
    return EXIT.done
  },
}
