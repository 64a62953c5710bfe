import type { ErasureSubject } from '@assent/node'
import { CliError } from './cli-error.ts'
import { EXIT, type Command, type GivenOptions } from './command.ts'

export const erase: Command = {
  name: 'erase',
  summary: 'Erases what was said in a conversation, or by a user, wherever it is kept',
  options: {
    conversation: { value: 'id', help: 'all of this conversation' },
    owner: { value: 'name', help: 'with --conversation: only that of this owner' },
    user: { value: 'name', help: 'all conversations of this user, and what the user decided' },
    who: { value: 'name', help: 'who wants it, to be noted' },
    yes: { help: 'do it: it cannot be undone' },
  },
  async run({ options, stores, out }) {
    const subject = subjectOf(options)
    if (!options.has('yes')) {
      throw new CliError('usage', 'Nothing was erased: add --yes, as it cannot be undone.')
    }
    const erased = await (await stores()).erase(subject, { who: options.text('who') })
    out.say({ erased }, () => {
      const { records, calls, tasks, messages, entries } = erased
      out.line(
        `Erased: records ${records}, calls ${calls}, tasks ${tasks}, messages ${messages}, ` +
          `entries of the audit ${entries}.`,
      )
    })
    return EXIT.done
  },
}

function subjectOf(options: GivenOptions): ErasureSubject {
  const conversationId = options.text('conversation')
  const user = options.text('user')
  const owner = options.text('owner')
  if (conversationId !== undefined && user === undefined) return { conversationId, owner }
  if (user !== undefined && conversationId === undefined && owner === undefined) return { user }
  throw new CliError('usage', 'Name one of --conversation and --user; --owner is for the first.')
}
