import { visibleName } from '../visible-name.ts'

/** Blanks, and line ends, beyond which there may be something that nobody scrolls to. */
const LONGEST_RUN = 16
/** Characters of a command in a sentence. */
const LONGEST = 80

/** A command as a person is to see it: whole, with long runs of blanks counted, and nothing hidden. */
export function visibleCommand(command: string): string {
  const counted = command.replaceAll(/\s+/gu, (run) => {
    if (run.length <= LONGEST_RUN) return run
    const lines = run.split('\n').length - 1
    return lines === 0
      ? ` [${run.length} blanks] `
      : `\n[${run.length} blanks, ${lines} line ends]\n`
  })
  return counted
    .split(/([\n\t])/)
    .map((piece) => (piece === '\n' || piece === '\t' ? piece : visibleName(piece)))
    .join('')
}

/** How a command begins, for a sentence. */
export function firstOfCommand(command: string): string {
  const visible = visibleName(visibleCommand(command))
  return visible.length > LONGEST ? `${visible.slice(0, LONGEST - 1)}…` : visible
}
