/** Few enough lines to be done within a frame. */
const SLICE = 20

/**
 * Works on code a few lines at a time, each when the page has nothing else to do.
 *
 * @param work makes lines out of a slice and of the state that the slice before ended in
 */
export async function inSlices<LINE, STATE>(
  code: string,
  work: (slice: string, state: STATE | undefined) => { lines: LINE[]; state: STATE | undefined },
): Promise<LINE[]> {
  const source = code.split('\n')
  const lines: LINE[] = []
  let state: STATE | undefined
  for (let start = 0; start < source.length; start += SLICE) {
    await idle()
    const done = work(source.slice(start, start + SLICE).join('\n'), state)
    lines.push(...done.lines)
    state = done.state
  }
  return lines
}

/** Not every browser says when it is idle; then the next task has to do. */
function idle(): Promise<unknown> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(resolve, { timeout: 500 })
    else setTimeout(resolve)
  })
}
