import { healthRecords, type NotedHealth } from '../health-records.ts'
import { EXIT, type Command } from './command.ts'
import { timeText } from './parse-time.ts'

/** A channel notes how it is every minute. */
const SILENT_MS = 3 * 60_000

export const channels: Command = {
  name: 'channels',
  summary: 'Says how channels are, such as a bot on Telegram; exits with 1 when one is not well',
  options: {},
  async run({ stores, out, now }) {
    const found = await healthRecords(await stores()).list()
    const isSilent = ({ notedAt }: NotedHealth) => now() - notedAt > SILENT_MS
    out.say(
      found.map((one) => ({ ...one, isSilent: isSilent(one) })),
      () => {
        if (found.length === 0) {
          out.line('No channel has noted how it is; give it healthRecords(stores).')
          return
        }
        out.table(
          [
            { title: 'channel', of: ({ name }) => name },
            { title: 'state', of: (one) => (isSilent(one) ? 'silent' : one.state) },
            { title: 'since', of: (one) => timeText(isSilent(one) ? one.notedAt : one.since) },
            {
              title: 'last success',
              of: ({ lastSuccessAt }) => (lastSuccessAt ? timeText(lastSuccessAt) : 'never'),
            },
            { title: 'last error', of: ({ lastError = '' }) => lastError, cutTo: 10 },
          ],
          found,
        )
      },
    )
    return found.every((one) => one.isWell && !isSilent(one)) ? EXIT.done : EXIT.no
  },
}
