import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { FromThread, OverlayOrder, OverlayOutcome, ToThread } from './overlay-run.ts'

/** An order without what the threads add. */
export interface OverlayRequest extends Omit<OverlayOrder, 'hasOwnRule'> {
  readonly signal?: AbortSignal | undefined
}

/** Runs commands over copies, each in a thread. */
export interface OverlayThreads {
  run(request: OverlayRequest): Promise<OverlayOutcome>
  /** Ends the threads, and what runs in them. */
  close(): void
}

/** Threads at the same time. Others wait. */
const MOST_THREADS = 2
/** Milliseconds before the end of its time in which a command is to end by itself. */
const EARLIER_MS = 300
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 }

/** The thread's file, beside this one: in the sources, and where they are built. */
const NAME = `./overlay-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`

interface Thread {
  readonly worker: Worker
  /** Told of how the command ended that it runs now. */
  settle: ((outcome: OverlayOutcome) => void) | undefined
}

/**
 * Keeps threads warm, and runs each command in one: a loop without end blocks that thread only, which is
 * ended when the time is up.
 *
 * @param ownRule the app's rule about sensitive paths; what it throws means that the path is one
 * @param file that of the thread, written so that what collects the files of a server finds it
 * @throws TypeError when the package has become a part of a bundle
 */
export function createOverlayThreads(
  ownRule: ((path: string) => boolean) | undefined,
  file = new URL(NAME, import.meta.url),
): OverlayThreads {
  if (!existsSync(file)) {
    throw new TypeError(
      "The simulated shell runs in a thread, whose file is not here: a bundler has left it out. Keep @assent/workspace out of the bundle; in Nitro 3 by traceDeps: ['@assent/workspace'].",
    )
  }
  const threads = new Set<Thread>()
  const waiting: ((thread: Thread) => void)[] = []
  let isClosed = false

  function start(): Thread {
    const worker = new Worker(file, {
      name: 'assent-simulated-shell',
      env: {},
      argv: [],
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: LIMITS,
    })
    const thread: Thread = { worker, settle: undefined }
    threads.add(thread)
    worker.on('message', (message: FromThread) => {
      if (message.type === 'done') return thread.settle?.(message.outcome)
      const isSensitive = askOwnRule(ownRule, message.path)
      post(worker, { type: 'sensitive', path: message.path, isSensitive })
    })
    worker.on('error', (error) => end(thread, failed(`The shell ended: ${error.message}`)))
    worker.on('exit', () => end(thread, failed('The shell ended.')))
    // A thread that waits for work must not keep the process alive.
    worker.unref()
    return thread
  }

  function end(thread: Thread, outcome: OverlayOutcome): void {
    const wasThere = threads.delete(thread)
    void thread.worker.terminate()
    thread.settle?.(outcome)
    if (wasThere) serveNext()
  }

  function serveNext(): void {
    const free = [...threads].find(({ settle }) => settle === undefined)
    const next = waiting[0]
    if (!next || (!free && threads.size >= MOST_THREADS)) return
    waiting.shift()
    next(free ?? start())
  }

  return {
    async run({ signal, timeoutMs, ...order }) {
      if (isClosed) return failed('The tools were disposed.')
      if (signal?.aborted) return { ...failed(), ended: 'aborted' }
      const until = performance.now() + timeoutMs
      const { promise, resolve } = Promise.withResolvers<OverlayOutcome>()
      let thread: Thread | undefined

      function begin(mine: Thread): void {
        thread = mine
        mine.settle = settle
        mine.worker.ref()
        const left = Math.max(50, Math.floor(until - performance.now() - EARLIER_MS))
        const hasOwnRule = ownRule !== undefined
        post(mine.worker, { type: 'run', order: { ...order, hasOwnRule, timeoutMs: left } })
      }

      function settle(outcome: OverlayOutcome): void {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        const at = waiting.indexOf(begin)
        if (at !== -1) waiting.splice(at, 1)
        if (thread) {
          thread.settle = undefined
          thread.worker.unref()
        }
        resolve(outcome)
        // What ran until its time was up may still be at it.
        if (thread && outcome.ended !== 'exited') end(thread, outcome)
        else serveNext()
      }

      const timer = setTimeout(() => settle({ ...failed(), ended: 'timeout' }), timeoutMs)
      const abort = () => settle({ ...failed(), ended: 'aborted' })
      signal?.addEventListener('abort', abort, { once: true })
      waiting.push(begin)
      serveNext()
      return promise
    },
    close() {
      isClosed = true
      for (const thread of threads) end(thread, failed('The tools were disposed.'))
    },
  }
}

function post(worker: Worker, message: ToThread): void {
  worker.postMessage(message, [])
}

function failed(...notes: string[]): OverlayOutcome {
  return { ended: 'failed', exitCode: null, output: '', changes: [], notes }
}

function askOwnRule(ownRule: ((path: string) => boolean) | undefined, path: string): boolean {
  try {
    return ownRule?.(path) ?? true
  } catch {
    return true
  }
}
