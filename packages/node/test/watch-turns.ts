/** Measures the longest turn of the event loop by what this thread computed in it, in milliseconds. */
export function watchTurns(): { stop(): number } {
  const computedMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let last = computedMs()
  let longest = 0
  let turn: NodeJS.Immediate
  const look = () => {
    const now = computedMs()
    longest = Math.max(longest, now - last)
    last = now
    turn = setImmediate(look)
  }
  turn = setImmediate(look)
  return {
    stop() {
      clearImmediate(turn)
      return longest
    },
  }
}
