/** A span of a Chromium trace; times in µs. */
interface Span {
  readonly name: string
  readonly thread: string
  readonly start: number
  readonly end: number
  /** CPU time of the thread, which leaves out what other processes take. */
  readonly cpu: number
}

/** What to trace for {@link scriptingMicroseconds}; more would slow down what is measured. */
export const TRACE_CATEGORIES = ['-*', 'v8']

/** Where V8 works for the page: calls into it with the microtasks after them, and its own GC. */
const SCRIPTING = /^(v8\.callFunction|v8\.evaluateModule|V8\.GC.*)$/

/** CPU time that the main threads of a trace's pages spent in scripts and garbage collection. */
export function scriptingMicroseconds(trace: string): number {
  const events = eventsOf(JSON.parse(trace))
  const mainThreads = new Set(events.filter(isMainThreadName).map(threadOf))
  const spans = events.flatMap((event) => spanOf(event) ?? [])
  const isCounted = ({ name, thread }: Span): boolean =>
    mainThreads.has(thread) && SCRIPTING.test(name)
  const sorted = spans.filter(isCounted).toSorted((a, b) => a.start - b.start)
  let total = 0
  // A span inside another one is part of it.
  const covered = new Map<string, number>()
  for (const { thread, start, end, cpu } of sorted) {
    if (start < (covered.get(thread) ?? 0)) continue
    covered.set(thread, end)
    total += cpu
  }
  return total
}

type TraceEvent = Readonly<Record<string, unknown>>

function eventsOf(trace: unknown): TraceEvent[] {
  if (!isRecord(trace) || !Array.isArray(trace['traceEvents'])) {
    throw new Error('Chromium gave no trace.')
  }
  return trace['traceEvents'].filter(isRecord)
}

function isMainThreadName({ name, args }: TraceEvent): boolean {
  return name === 'thread_name' && isRecord(args) && args['name'] === 'CrRendererMain'
}

function spanOf(event: TraceEvent): Span | undefined {
  const { ph, name, ts, dur, tdur } = event
  if (ph !== 'X' || typeof name !== 'string' || typeof ts !== 'number') return undefined
  if (typeof dur !== 'number' || typeof tdur !== 'number') return undefined
  return { name, thread: threadOf(event), start: ts, end: ts + dur, cpu: tdur }
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${String(pid)}:${String(tid)}`
}

function isRecord(value: unknown): value is TraceEvent {
  return typeof value === 'object' && value !== null
}
