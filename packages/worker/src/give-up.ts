import { failureOf, type Failure } from './failure.ts'
import type { Claim } from './inbox.ts'
import { retryDelayMs } from './retry-delay.ts'
import type { TaskHold, WorkerParts } from './worker-parts.ts'

/** How long a model that cannot be reached is waited for between two attempts, at most. */
const LONGEST_WAIT_MS = 5 * 60_000

const WAITS =
  'I can’t reach the AI model right now. Your message is kept, and I’ll answer as soon as I can.'

/** Says in the inbox what becomes of a task after an attempt that failed, and tells who is to be told. */
export async function giveUp(parts: WorkerParts, claim: Claim, error: unknown): Promise<void> {
  const failure = failureOf(error)
  if (failure.isUnreachable) {
    const { attempts, forMs } = parts.outages.note(claim.task.conversationId)
    if (forMs < parts.holdForMs) return hold(parts, claim, { ...failure, attempts })
  } else parts.outages.end(claim.task.conversationId)
  return fail(parts, claim, failure)
}

/** The attempt does not count: it was none of the task's. Later ones of its conversation wait behind it. */
async function hold(
  { inbox, audit, retryBaseMs: baseMs, random, onHeld, report }: WorkerParts,
  claim: Claim,
  { code, message, retryAfterMs, attempts }: Failure & { readonly attempts: number },
): Promise<void> {
  const { task } = claim
  const capMs = LONGEST_WAIT_MS
  const delay = retryDelayMs({ attempts, baseMs, capMs, retryAfterMs, random })
  const next = `The attempt does not count, and is made again in ${delay / 1_000} s.`
  await audit.phase(task, 'failed', `The model was not reached (${code}): ${message} ${next}`)
  const isHeld = await inbox.release(claim, delay, { code, message })
  // Kept with the task: whoever took it up before has told the person.
  if (!isHeld || task.error?.code === code) return
  const held: TaskHold = { code, message: WAITS, retryAt: Date.now() + delay }
  await tell(report, async () => onHeld?.(task, held))
}

async function fail(
  { inbox, audit, retryBaseMs, random, onDead, report }: WorkerParts,
  claim: Claim,
  { code, message, isTransient, retryAfterMs }: Failure,
): Promise<void> {
  const { task } = claim
  const isLast = !isTransient || task.attempts >= task.maxAttempts
  const delay = retryDelayMs({ attempts: task.attempts, baseMs: retryBaseMs, retryAfterMs, random })
  const next = isLast ? 'It is not tried again.' : `It is tried again in ${delay / 1_000} s.`
  await audit.phase(task, 'failed', `Attempt ${task.attempts} failed (${code}): ${message} ${next}`)
  await inbox.fail(claim, { code, message }, isLast ? undefined : delay)
  if (isLast) await tell(report, async () => onDead?.(task, { code, message }))
}

/** Tells an observer; what it throws changes nothing. */
async function tell(report: WorkerParts['report'], observe: () => Promise<unknown>): Promise<void> {
  try {
    await observe()
  } catch (thrown) {
    report(thrown)
  }
}
