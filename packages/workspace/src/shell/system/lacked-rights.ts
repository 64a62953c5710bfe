import { RIGHTS, type Right } from '../rights.ts'
import { LastUsed } from './last-used.ts'
import { LACKED } from './rights-in-words.ts'

/** Commands that are remembered. */
const MOST_COMMANDS = 1_000

/** Remembers which commands have failed for want of a right. */
export function createLackedRights() {
  const commands = new LastUsed<readonly Right[]>(MOST_COMMANDS)

  /** What the model is told when a command lacked rights. */
  function note(command: string, has: ReadonlySet<Right>, missing: readonly Right[]): string {
    if (missing.length === 0) {
      commands.delete(command)
      return ''
    }
    commands.set(command, missing)
    const all = RIGHTS.filter((right) => has.has(right) || missing.includes(right))
    return (
      `It seems to need what it may not: ${missing.map((right) => LACKED[right]).join(', ')}. ` +
      `It may have done a part of its work. If it is needed, call again with rights: ${JSON.stringify(all)}; a person is asked.`
    )
  }

  /** What a person is told when a command is asked about that has run before. */
  function reminder(command: string): string {
    const missing = commands.get(command)
    return missing
      ? `It has run before without what it needed (${missing.map((right) => LACKED[right]).join(', ')}) and may have done a part of its work.`
      : ''
  }

  return { note, reminder }
}
