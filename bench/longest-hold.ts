/** What work came to, and for how many milliseconds it held the event loop at most. */
export async function longestHold<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly ms: number }> {
  let last = performance.now()
  let ms = 0
  const note = (): void => {
    const now = performance.now()
    ms = Math.max(ms, now - last)
    last = now
  }
  const ticking = setInterval(note, 1)
  try {
    const result = await work()
    note()
    return { result, ms }
  } finally {
    clearInterval(ticking)
  }
}
