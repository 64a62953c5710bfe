import type { Inbox } from '../inbox.ts'
import { CliError } from './cli-error.ts'
import { EXIT, type Command, type CommandCall, type ExitCode } from './command.ts'

export const tasksReplay: Command = {
  name: 'tasks replay',
  summary: 'Queues dead tasks again, with all their attempts',
  operands: '<id>… | --all-dead',
  options: { 'all-dead': { help: 'all that are dead' } },
  run: (call) => changeDead(call, 'replayed', (inbox, id) => inbox.replay(id)),
}

export const tasksDiscard: Command = {
  name: 'tasks discard',
  summary: 'Gives dead tasks up; they stay in the list as failed',
  operands: '<id>…',
  options: {},
  run: (call) => changeDead(call, 'discarded', (inbox, id) => inbox.discard(id)),
}

async function changeDead(
  { options, operands, stores, out }: CommandCall,
  word: 'replayed' | 'discarded',
  change: (inbox: Inbox, id: string) => Promise<boolean>,
): Promise<ExitCode> {
  const isAll = options.has('all-dead')
  if (isAll === operands.length > 0) {
    throw new CliError(
      'usage',
      'Name the tasks: assent-worker tasks list --state dead has their ids.',
    )
  }
  const { inbox } = await stores()
  const changed: string[] = []
  const refused: { id: string; message: string }[] = []
  for (const id of isAll ? await deadOf(inbox) : operands) {
    if (await change(inbox, id)) changed.push(id)
    else {
      const task = await inbox.get(id)
      const message = task ? `it is not dead: ${task.state}` : 'there is no such task'
      refused.push({ id, message })
    }
  }
  out.say({ [word]: changed, refused }, () => {
    for (const id of changed) out.line(`${word}  ${id}`)
    for (const { id, message } of refused) out.line(`not ${word}  ${id}  (${message})`)
    if (changed.length + refused.length === 0) out.line('No task is dead.')
  })
  return refused.length > 0 ? EXIT.no : EXIT.done
}

/** All of them, before any is changed: a replayed one comes in at the end of the list. */
async function deadOf(inbox: Inbox): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const before = ids.at(-1)
    const page = await inbox.list({
      states: ['dead'],
      limit: 500,
      ...(before !== undefined && { before }),
    })
    ids.push(...page.map(({ id }) => id))
    // The oldest goes first.
    if (page.length < 500) return ids.toReversed()
  }
}
