import type { CDPSession } from 'playwright'

/** Milliseconds of CPU that a page's main thread has used: scripts, style, layout, paint, collection. */
export type MainThreadClock = () => Promise<number>

/** Reads the CPU time of a page's main thread, which leaves out what others on the machine take. */
export async function mainThreadClock(session: CDPSession): Promise<MainThreadClock> {
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    const task = metrics.find(({ name }) => name === 'TaskDuration')
    if (!task) throw new Error('Chromium does not say how long its tasks took.')
    return task.value * 1_000
  }
}
