import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { EngineParts } from './play.ts'

/** A mistake, made in a copy of the sources. */
export interface Fault {
  readonly name: string
  /** In `src`. */
  readonly file: string
  /** Text that the file has exactly once. */
  readonly right: string
  readonly wrong: string
}

const SOURCES = join(import.meta.dirname, '../../src')

export const FAULTS: readonly Fault[] = [
  {
    name: 'a call that asks runs without a yes',
    file: 'plugins/tools/check-call.ts',
    right: "if (type !== 'run') {",
    wrong: "if (type === 'deny') {",
  },
  {
    name: 'a decision counts although the call does not wait any more',
    file: 'plugins/tools/plan-decisions.ts',
    right: 'const entry = waitingCalls(context).find((call) => isWanted(call) && isOpen(call))',
    wrong: 'const entry = latestCall(context, decision)',
  },
  {
    name: 'a tool starts although its turn was aborted while its messages were made',
    file: 'plugins/tools/execute.ts',
    right:
      '// Making them takes its time, in which the call may have ended.\n      abortSignal.throwIfAborted()',
    wrong: '',
  },
  {
    name: "with gate 'step' a call runs before all are decided",
    file: 'plugins/tools/settle-calls.ts',
    right: "if (options.gate === 'call') return true",
    wrong: 'if (Math.random() >= 0) return true',
  },
  {
    name: 'one more tool runs at a time than may',
    file: 'plugins/tools/settle-calls.ts',
    right: 'runtime.slots.size >= (options.concurrency ?? Infinity)',
    wrong: 'runtime.slots.size > (options.concurrency ?? Infinity)',
  },
  {
    name: 'what is queued is sent although the turn before it was aborted',
    file: 'queue.ts',
    right: '({ ...queued, held: true })',
    wrong: '({ ...queued })',
  },
  {
    name: 'what is late is written after its turn has ended',
    file: 'turn-host.ts',
    right: '() => run?.isAlive !== false',
    wrong: '() => true',
  },
  {
    name: 'an abort leaves calls without a result',
    file: 'runner.ts',
    right: "closeTurnMessages(host, endedText('Aborted'), 'cancelled')",
    wrong: '',
  },
  {
    name: 'a decision that comes while the turn is pausing is overlooked',
    file: 'turn.ts',
    right: 'if (run.isWoken) {',
    wrong: 'if (run.pauseRequested) {',
  },
  {
    name: 'who waits for a turn is not told that it pauses',
    file: 'turn.ts',
    right: "outcome.resolve({ turnId, requestState: 'paused', ...(turn && endOf(turn)) })",
    wrong: 'void outcome',
  },
  {
    name: 'a turn makes one request more than it may',
    file: 'turn.ts',
    right: 'const isAtBound = step >= maxSteps',
    wrong: 'const isAtBound = step > maxSteps',
  },
  {
    name: 'the last message of the queue is sent first',
    file: 'queue.ts',
    right: 'return queue.find((queued) => !queued.held)',
    wrong: 'return queue.findLast((queued) => !queued.held)',
  },
  {
    name: 'a state becomes another object although nothing changed',
    file: 'store.ts',
    right: 'if (isSame(before, after)) return',
    wrong: '',
  },
  {
    name: 'a turn that goes on after a pause starts anew',
    file: 'runner.ts',
    right: "const goOn = { hook: 'onTurnResume' } as const",
    wrong: "const goOn = { hook: 'onTurnStart' } as const",
  },
  {
    name: 'a command from before everything was stopped begins a turn after it',
    file: 'engine.ts',
    right: ' || stops > stopsBefore',
    wrong: '',
  },
  {
    name: 'the open turn goes on although everything was stopped',
    file: 'engine.ts',
    right: 'return runner.abort()',
    wrong: 'return Promise.resolve()',
  },
]

/** Loads the engine of a copy of the sources that has the fault. */
export async function loadFaulty(fault: Fault): Promise<EngineParts> {
  const { createMessageEngine, toolPlugin } = await loadFrom<EngineParts>(fault, [
    'engine.ts',
    'plugins/tools/tool-plugin.ts',
  ])
  return { createMessageEngine, toolPlugin }
}

/** The text of the file that has the fault. */
export function faultyText({ file, right, wrong }: Fault): string {
  const [before, after, ...more] = readFileSync(join(SOURCES, file), 'utf8').split(right)
  if (after === undefined || more.length > 0) {
    throw new Error(`"${right}" is not exactly once in ${file}.`)
  }
  return before + wrong + after
}

/** Everything that some files of a copy of the sources export that has the fault. */
export async function loadFrom<PARTS extends object>(
  fault: Fault,
  files: readonly string[],
): Promise<PARTS> {
  const copy = mkdtempSync(join(tmpdir(), 'assent-fault-'))
  try {
    cpSync(SOURCES, copy, { recursive: true })
    writeFileSync(join(copy, fault.file), faultyText(fault))
    const load = (name: string) => import(/* @vite-ignore */ pathToFileURL(join(copy, name)).href)
    return Object.assign({}, ...(await Promise.all(files.map(load))))
  } finally {
    rmSync(copy, { recursive: true })
  }
}
