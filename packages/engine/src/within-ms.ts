/** Waits for work, but no longer than that; the work goes on. */
export async function withinMs(ms: number, work: () => Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const bound = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work(), bound])
  clearTimeout(timer)
}
