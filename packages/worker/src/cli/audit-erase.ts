import { CliError } from './cli-error.ts'
import { EXIT, type Command } from './command.ts'

export const auditErase: Command = {
  name: 'audit erase',
  summary: 'Erases what people and tools said in the audit, of a conversation or of a user',
  options: {
    conversation: { value: 'id', help: 'all of this conversation' },
    user: { value: 'name', help: 'all conversations of this user, and what the user decided' },
    who: { value: 'name', help: 'who wants it, to be noted' },
    yes: { help: 'do it: it cannot be undone' },
  },
  async run({ options, audit, out }) {
    const conversationId = options.text('conversation')
    const user = options.text('user')
    const subject =
      conversationId !== undefined && user === undefined
        ? { conversationId }
        : user !== undefined && conversationId === undefined
          ? { user }
          : undefined
    if (!subject) throw new CliError('usage', 'Name one of --conversation and --user.')
    if (!options.has('yes')) {
      throw new CliError('usage', 'Nothing was erased: add --yes, as it cannot be undone.')
    }
    const erased = await (await audit()).erase(subject, { who: options.text('who') })
    out.say({ erased }, () => {
      out.line(erased === 1 ? 'Erased 1 entry.' : `Erased ${erased} entries.`)
    })
    return EXIT.done
  },
}
