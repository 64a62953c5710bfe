import { failureOf, type Failure, type Outage } from './failure.ts'
import type { Claim } from './inbox.ts'
import type { Insist } from './insist.ts'
import { ranWords, type RanCall } from './ran-calls.ts'
import { retryDelayMs } from './retry-delay.ts'
import type { TaskHold, WorkerParts } from './worker-parts.ts'

/**
 * How long what is away is waited for between two attempts, at most, and how long all in all before attempts count.
 * An answer may break off because of what is in it: then it would do so for ever, and cost each time.
 */
const WAITS: Readonly<Record<Outage, { readonly longestMs: number; readonly allMs?: number }>> = {
  model: { longestMs: 5 * 60_000 },
  answer: { longestMs: 60_000, allMs: 5 * 60_000 },
  storage: { longestMs: 10_000 },
}

const SAID: Readonly<Record<Outage, string>> = {
  model: 'The model was not reached',
  answer: 'The answer of the model broke off',
  storage: 'What is stored could not be read or written',
}

/** After so many in a row a person is told. */
const CUTS_TOLD = 3

const HELD =
  'I can’t reach the AI model right now. Your message is kept, and I’ll answer as soon as I can.'

/** What is given up. */
export interface Giving {
  readonly claim: Claim
  readonly insist: Insist
  /** The calls that ran, or may have; `undefined` where only the audit may know. */
  readonly ran: readonly RanCall[] | undefined
}

/** Says in the inbox what becomes of a task after an attempt that failed, and tells who is to be told. */
export async function giveUp(parts: WorkerParts, giving: Giving, error: unknown): Promise<void> {
  const failure = failureOf(error)
  const { claim } = giving
  const { outage } = failure
  const { outages, holdForMs } = parts
  const { conversationId } = claim.task
  // What ended its worker is no outage, whatever it was.
  if (outage && !claim.isSpent) {
    const { attempts, forMs } = outages.note(conversationId)
    const { allMs = holdForMs } = WAITS[outage]
    if (forMs < Math.min(allMs, holdForMs)) {
      return hold(parts, giving, { ...failure, outage, attempts })
    }
  } else outages.end(conversationId)
  return fail(parts, giving, failure)
}

/** The attempt does not count: it was none of the task's. Later ones of its conversation wait behind it. */
async function hold(
  { inbox, audit, retryBaseMs: baseMs, random, onHeld, report }: WorkerParts,
  { claim, insist }: Giving,
  {
    code: said,
    message,
    retryAfterMs,
    outage,
    attempts,
  }: Failure & { readonly outage: Outage; readonly attempts: number },
): Promise<void> {
  const { task } = claim
  const capMs = WAITS[outage].longestMs
  const delay = retryDelayMs({ attempts, baseMs, capMs, retryAfterMs, random })
  const next = `The attempt does not count, and is made again in ${delay / 1_000} s.`
  const why = `${SAID[outage]} (${said}): ${message} ${next}`
  await insist(() => audit.phase(task, 'failed', why))
  // Whoever waits for an answer that breaks off again and again waits for the model.
  const code = outage === 'answer' && attempts >= CUTS_TOLD ? 'model_unreachable' : said
  const isHeld = await insist(() => inbox.release(claim, delay, { code, message }))
  // Kept with the task: whoever took it up before has told the person.
  if (!isHeld || code !== 'model_unreachable' || task.error?.code === code) return
  const held: TaskHold = { code, message: HELD, retryAt: Date.now() + delay }
  await tell(report, async () => onHeld?.(task, held))
}

async function fail(
  { inbox, audit, retryBaseMs, random, onDead, report }: WorkerParts,
  { claim, insist, ran: known }: Giving,
  { code, message: why, isTransient, retryAfterMs }: Failure,
): Promise<void> {
  const { task } = claim
  const isLast = !isTransient || task.attempts >= task.maxAttempts
  const delay = retryDelayMs({ attempts: task.attempts, baseMs: retryBaseMs, retryAfterMs, random })
  const ran = isLast ? (known ?? (await insist(() => audit.ran(task)))) : []
  // Whoever sends it again is to know that first.
  const message = ran.length === 0 ? why : `${asSentence(why)} ${ranWords(ran)}`
  const next = isLast ? 'It is not tried again.' : `It is tried again in ${delay / 1_000} s.`
  const said = `Attempt ${task.attempts} failed (${code}): ${message} ${next}`
  await insist(() => audit.phase(task, 'failed', said))
  const isSaid = await insist(() =>
    inbox.fail(claim, { code, message }, isLast ? undefined : delay),
  )
  if (!isLast) return
  // The answer to a try may have been lost that buried it.
  const isDead = isSaid || (await insist(() => inbox.get(task.id)))?.state === 'dead'
  if (isDead) await tell(report, async () => onDead?.(task, { code, message, ran }))
}

/** Tells an observer; what it throws changes nothing. */
async function tell(report: WorkerParts['report'], observe: () => Promise<unknown>): Promise<void> {
  try {
    await observe()
  } catch (thrown) {
    report(thrown)
  }
}

function asSentence(text: string): string {
  return /[.!?…。！？]\W*$/.test(text) ? text : `${text}.`
}
