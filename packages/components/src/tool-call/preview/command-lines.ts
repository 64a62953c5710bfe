/** A piece of a command: text, or a run of spaces long enough to push something out of sight. */
export type CommandPiece = string | { spaces: number }

/** Spaces in a row that are told by their number. Indents of code are shorter. */
const MANY_SPACES = 12

/**
 * A command line by line, as a shell reads it. Runs of spaces are told by their number, so that nothing
 * stands far to the right or far below of what seems to be the end.
 */
export function commandLines(command: string): CommandPiece[][] {
  return command.split('\n').map((line) => {
    const pieces: CommandPiece[] = []
    let seen = 0
    for (const run of line.matchAll(new RegExp(`[ \\t]{${MANY_SPACES},}`, 'g'))) {
      if (run.index > seen) pieces.push(line.slice(seen, run.index))
      pieces.push({ spaces: run[0].length })
      seen = run.index + run[0].length
    }
    if (seen < line.length) pieces.push(line.slice(seen))
    return pieces
  })
}
