import { keepClaim } from './claim-lease.ts'
import { failDelivery, isUnsentBy } from './fail-delivery.ts'
import { handOver } from './hand-over.ts'
import type { Delivery } from './replies.ts'
import type { WorkerParts } from './worker-parts.ts'

/** Sends the replies that did not go out at once. */
export interface Deliveries {
  start(): void
  /** Begins no more; resolves once what is under way is over. */
  stop(): Promise<void>
}

export interface DeliveriesOptions {
  /** Replies, of as many conversations, that are sent at the same time. */
  readonly concurrency: number
  readonly pollMs: number
  /** What is under way is left as it is. */
  readonly left: AbortSignal
}

export function runDeliveries(
  parts: WorkerParts,
  { concurrency, pollMs, left }: DeliveriesOptions,
): Deliveries {
  const { inbox, replies, audit, report, schedule, leaseMs } = parts
  const underWay = new Set<Promise<void>>()
  let isRunning = false
  let looking: Promise<void> | undefined
  let cancel = () => {}

  const isFree = () => isRunning && underWay.size < concurrency

  function look(): void {
    looking ??= lookNow().finally(() => {
      looking = undefined
    })
  }

  async function lookNow(): Promise<void> {
    cancel()
    try {
      while (isFree()) {
        const askedAt = performance.now()
        const delivery = await replies.next(leaseMs)
        if (!delivery) break
        begin(delivery, askedAt)
      }
    } catch (error) {
      report(error)
    }
    if (isRunning) cancel = schedule(look, pollMs)
  }

  function begin(delivery: Delivery, askedAt: number): void {
    // One whose worker ended comes again soon: nobody extends its lease.
    const heartbeat = (forMs: number) => replies.extend(delivery, forMs)
    const lease = keepClaim({ heartbeat, leaseMs, askedAt, schedule, report, onBeat() {} })
    const trying: Promise<void> = send(delivery, lease.lost)
      .catch(report)
      .then(() => {
        lease.end()
        underWay.delete(trying)
        // The one after it may be due.
        if (isRunning) look()
      })
    underWay.add(trying)
  }

  async function send(delivery: Delivery, lost: AbortSignal): Promise<void> {
    const { reply, mayBeRepeated, failures, waitedMs } = delivery
    const task = await inbox.get(delivery.task.id)
    if (task) {
      try {
        const told = { task, notice: undefined, ...reply, mayBeRepeated, waitedMs }
        await handOver(parts, told, AbortSignal.any([left, lost]))
      } catch (error) {
        // Whoever has it now says what became of it.
        if (lost.aborted) return
        if (left.aborted) return putBack(delivery, isUnsentBy(error) && !mayBeRepeated)
        const failed = { task, error, mayBeRepeated, failures, waitedMs }
        await failDelivery(parts, delivery, failed)
        return
      }
    }
    // One of a task that is forgotten is nobody's.
    if (!(await replies.sent(delivery)) || !task) return
    await audit.phase(task, 'reply', `The reply was sent, ${Math.round(waitedMs / 1_000)} s late.`)
  }

  async function putBack(delivery: Delivery, isUnsent: boolean): Promise<void> {
    const error = { code: 'stopped', message: 'The worker was stopped.' }
    await replies.fail(delivery, { error, isUnsent }, 0)
  }

  return {
    start() {
      isRunning = true
      look()
    },
    async stop() {
      isRunning = false
      cancel()
      await looking
      await Promise.all(underWay)
    },
  }
}
