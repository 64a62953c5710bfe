import type { UIMessage } from 'ai'
import { createMessageEngine } from '../../src/engine.ts'
import type { EngineErrorCode } from '../../src/errors.ts'
import { isEqualJson } from '../../src/message/json-equality.ts'
import { isRecord } from '../../src/message/tool-part.ts'
import { KEYS, namespaceOf } from '../../src/storage/conversation-records.ts'
import type { StorageContent } from '../../src/storage/memory-storage.ts'
import { defineStorage } from '../../src/storage/define-storage.ts'
import { toolPlugin } from '../../src/plugins/tools/tool-plugin.ts'
import type { EngineState } from '../../src/state.ts'
import { scriptedTransport } from '../../src/testing/index.ts'
import { CrashPerson, isAnswered } from './crash-person.ts'
import { CrashServer } from './crash-server.ts'
import { crashTools } from './crash-tools.ts'
import { crashingDisk, type CrashingDisk, type Failing } from './crashing-disk.ts'
import { Watch } from '../rules/watch.ts'
import type { Tally } from './invariants.ts'
import { Ledger } from './ledger.ts'
import { Life, type CrashPoint } from './life.ts'
import { inspectCalls, inspectRequest } from './truth.ts'
import type { TurnScript } from './turn-script.ts'

/** The parts of an app: the true ones, or those of a copy with a fault. */
export interface AppParts {
  readonly createMessageEngine: typeof createMessageEngine
  readonly toolPlugin: typeof toolPlugin
  readonly defineStorage: typeof defineStorage
}

export const TRUE_PARTS: AppParts = { createMessageEngine, toolPlugin, defineStorage }

/** The clock that all timers hang on, moved by hand. */
export interface Clock {
  /** Lets the timers of the next milliseconds fire, one after the other. */
  advance(ms: number): Promise<unknown>
  /** The process is dead, and its timers with it. */
  clear(): void
}

export interface Play {
  readonly turn: TurnScript
  /** Where the lives of the app end; after the last one comes a life that ends by itself. */
  readonly points: readonly CrashPoint[]
  /** Acts before what is to be written by and by is written; else after that. */
  readonly isQuick: boolean
  readonly isFickle: boolean
  readonly failing?: Failing
  /** Milliseconds that a write takes. Default 0. */
  readonly writeMs?: number
}

export interface Played {
  /** How many of the points were reached. */
  readonly crashes: number
  readonly lives: readonly Life[]
  /** The histories that were sent after a crash. */
  readonly histories: readonly string[]
}

const MOST_ROUNDS = 900
/** Rounds of 50 ms in which nothing happens, until a hanging write is given up: a call takes less. */
const HUNG_ROUNDS = 30
const EXPECTED: readonly EngineErrorCode[] = ['interrupted', 'decision_unanswered']

/** Plays a turn through all its crashes to its end. Throws the first invariant that is broken. */
export async function play(
  { turn, points, isQuick, isFickle, failing, writeMs }: Play,
  parts: AppParts,
  tally: Tally,
  clock: Clock,
): Promise<Played> {
  const watch = new Watch(tally)
  const ledger = new Ledger(watch)
  const person = new CrashPerson(turn, ledger, watch, isFickle)
  const server = new CrashServer(turn, ledger, (id) => person.sends(id))
  const histories: string[] = []
  const failures = failing ? [...EXPECTED, 'storage_failed' as const] : EXPECTED
  let before: CrashingDisk | undefined
  const lives: Life[] = []
  let crashes = 0
  watch.tell(
    `${turn.name}, ${isQuick ? 'quick' : 'slow'}, fails: ${JSON.stringify(failing)}, ${writeMs} ms`,
  )

  for (let number = 0; ; number++) {
    const life = new Life(number, points[number])
    lives.push(life)
    watch.tell(`life ${number}, until ${JSON.stringify(life.point)}`)
    const disk = crashingDisk(before?.left() ?? new Map(), life, {
      failing: number === 0 ? failing : undefined,
      writeMs,
    })
    const app = openApp(life, disk)
    const state = await live(life, disk, app)
    clock.clear()
    watch.report()
    before = disk
    if (!state) {
      crashes++
      continue
    }
    inspectEnd(state)
    await inspectDisk(disk.left(), state)
    watch.report()
    return { crashes, lives, histories }
  }

  function openApp(life: Life, { storage }: Pick<CrashingDisk, 'storage'>) {
    let made = 0
    const answers = server.answers(life, (messages) => {
      if (life.number > 0) histories.push(JSON.stringify(messages))
      inspectRequest(messages, ledger, watch)
    })
    return parts.createMessageEngine({
      id: 'chat',
      transport: scriptedTransport(Array.from({ length: 50 }, () => answers)),
      storage: parts.defineStorage(storage),
      plugins: [parts.toolPlugin(crashTools(turn, life, ledger))],
      generateId: () => `${life.number}-${made++}`,
      onError(error) {
        if (life.isDead) return
        watch.tell(`  reported: ${error.code} ${error.message}`)
        watch.hold('what is reported was to be expected', failures.includes(error.code), error.code)
      },
    })
  }

  /** Lets one life go on to its end. Answers with how it stands then, if it did not crash. */
  async function live(
    life: Life,
    disk: CrashingDisk,
    engine: ReturnType<typeof openApp>,
  ): Promise<EngineState | undefined> {
    let still = 0
    let activity = ''
    let isSeated = false
    engine.subscribe(() => {
      if (life.isDead || disk.isFailing || engine.getState().requestState !== 'paused') return
      watch.hold('I9 a pause that is shown is stored', isPauseStored(disk.left()))
    })
    void engine.ready.then(() => {
      if (life.isDead) return
      isSeated = true
      watch.tell(`  opened as ${standing(engine.getState())}`)
      person.sitDown({ engine, life, disk }, before)
    })
    for (let round = 0; round < MOST_ROUNDS; round++) {
      await nextLoop()
      if (life.isDead) return undefined
      if (isQuick && isSeated && person.act()) continue
      await clock.advance(0)
      if (life.isDead) return undefined
      const state = engine.getState()
      if (life.activity + standing(state) === activity) still++
      else still = 0
      activity = life.activity + standing(state)
      if (still > 0 && isSeated && person.act()) continue
      if (still > HUNG_ROUNDS) {
        if (life.isHung) {
          life.isDead = true
          return undefined
        }
        if (isSeated && person.isDone(state) && !disk.isFailing) return state
      }
      await clock.advance(50)
    }
    watch.hold('it ends at rest with an answer to everything', false, standing(engine.getState()))
    watch.report()
    return undefined
  }

  function inspectEnd(state: EngineState): void {
    const { messages, requestState, queue, turn: last } = state
    const asked = messages.filter(({ role }) => role === 'user')
    const unanswered = asked.filter((message) => !isAnswered(messages, message))
    const isOver =
      ['idle', 'completed'].includes(requestState) &&
      queue.length === 0 &&
      last?.unsent.length === 0
    const facts = { requestState, queue, unanswered, last }
    watch.hold('it ends at rest with an answer to everything', isOver, facts)
    const isAllSaid = asked.length === person.said.size
    const isAllAnswered = unanswered.length <= (turn.mayBeAborted ? 1 : 0)
    watch.hold('it ends at rest with an answer to everything', isAllSaid && isAllAnswered, messages)
    inspectCalls(messages, ledger, watch)
  }

  /** What is read from the disk is what the engine says. */
  async function inspectDisk(content: StorageContent, state: EngineState): Promise<void> {
    const life = new Life(-1, undefined)
    const disk = crashingDisk(content, life)
    const engine = openApp(life, disk)
    await engine.ready
    const read = engine.getState()
    const isSame =
      isEqualJson(plain(read.messages), plain(state.messages)) &&
      isEqualJson(idsOf(read.confirmations), idsOf(state.confirmations)) &&
      isEqualJson(plain(read.turn), plain(state.turn)) &&
      read.queue.length === state.queue.length
    const facts = { read: read.messages, said: state.messages }
    watch.hold('I9 the disk says what the engine says', isSame, facts)
    engine.dispose()
    clock.clear()
  }
}

function standing({ requestState, processingState, messages }: EngineState<UIMessage>): string {
  return ` ${requestState}/${processingState} ${messages.length}`
}

function isPauseStored(content: StorageContent): boolean {
  const record = content.get(namespaceOf('chat'))?.get(KEYS.turn)
  return isRecord(record) && isRecord(record['turn']) && 'pauseReason' in record['turn']
}

/** In any order: what holds everywhere is kept apart. */
function idsOf(records: readonly { readonly id: string }[]): string[] {
  return records.map(({ id }) => id).sort()
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null))
}

/** All that follows without waiting for a timer has happened after that. */
async function nextLoop(): Promise<void> {
  for (let count = 0; count < 3; count++) {
    await new Promise<void>((resolve) => void setImmediate(resolve))
  }
}
