import type { Scheduler } from 'fast-check'
import { toolCallsOf } from '../../src/message/tool-calls.ts'
import { toolCallStatus } from '../../src/message/tool-part.ts'
import type { MessageEngine } from '../../src/message-engine.ts'
import type { EngineState } from '../../src/state.ts'
import type { EngineParts, FakeTime } from '../turns/play.ts'
import { Clicks } from './clicks.ts'
import { DecisionModel } from './decision-model.ts'
import { Inspector } from './inspector.ts'
import { Watch } from '../rules/watch.ts'
import type { Invariant, Tally } from './invariants.ts'
import { meddler } from './meddler.ts'
import { Person } from './person.ts'
import type { DecisionPlan, Move, Plan } from './plan.ts'
import { Server } from './server.ts'
import type { Stage } from './stage.ts'
import { Tools } from './tools.ts'
import { Witness } from './witness.ts'

/** How much may happen in a play before it is said never to end: far more than ever does. */
const MOST_EVENTS = 2_000

const REST = 'I10 the play comes to rest'

/**
 * Plays a plan with an engine: the scheduler owns the order in which everything outside of the
 * engine happens. Throws a `BrokenInvariant` that tells the play's story.
 */
export async function play(
  plan: Plan,
  scheduler: Scheduler,
  parts: EngineParts,
  tally: Tally,
  time: FakeTime,
): Promise<void> {
  const run = new Play(plan, scheduler, parts, tally, time)
  await run.act()
  await run.end()
}

class Play {
  readonly #plan: Plan
  readonly #scheduler: Scheduler
  readonly #parts: EngineParts
  readonly #time: FakeTime
  readonly #watch: Watch<Invariant>
  readonly #model: DecisionModel
  readonly #clicks = new Clicks()
  readonly #server: Server
  readonly #tools: Tools
  readonly #witness: Witness
  readonly #inspector: Inspector
  readonly #person: Person
  readonly #requestsOf = new Map<string, number>()
  #engine: MessageEngine
  #ids = 0
  #events = 0

  constructor(plan: Plan, scheduler: Scheduler, parts: EngineParts, tally: Tally, time: FakeTime) {
    this.#plan = plan
    this.#scheduler = scheduler
    this.#parts = parts
    this.#time = time
    this.#watch = new Watch(tally)
    this.#model = new DecisionModel(() => time.now())
    const stage = this.#stage()
    this.#server = new Server(stage, () => this.#countRequest())
    this.#tools = new Tools(stage)
    this.#witness = new Witness(stage, this.#clicks)
    this.#inspector = new Inspector(stage, this.#witness)
    this.#engine = this.#begin({ messages: [], confirmations: [] })
    this.#person = new Person(stage, this.#witness, this.#clicks, this.#engine)
    const { gate, concurrency, whenBusy, maxSteps } = plan
    this.#watch.tell(`gate ${gate}, concurrency ${concurrency}, ${whenBusy}, ${maxSteps} steps`)
  }

  async act(): Promise<void> {
    for (const step of this.#plan.steps) {
      if ('release' in step) {
        for (let count = 0; count < step.release; count++) await this.#release()
      } else if ('rest' in step) await this.#rest()
      else await this.#meanwhile(step.move, step.after)
    }
  }

  /** Lets everything come to its end: by itself, by decisions, and once more in a new engine. */
  async end(): Promise<void> {
    await this.#settle()
    this.#inspector.ends(false)
    this.#restart('same')
    // Late decisions, on all that is over.
    for (let which = 0; which < 9; which++) {
      this.#person.do({ do: 'decide', decision: decisionOn(which, 'yes'), next: 'nothing' })
    }
    this.#person.do({ do: 'send' })
    await this.#settle()
    this.#inspector.ends(true)
    this.#engine.dispose()
    await this.#flush()
    const { unsettled } = this.#person
    this.#watch.hold(REST, unsettled.length === 0, unsettled)
    this.#watch.report()
    this.#watch.end()
  }

  /** Decides whatever waits until nothing does; what has failed is tried once more. */
  async #settle(isAgain = false): Promise<void> {
    await this.#rest()
    for (let round = 0; round < 40 && this.#isPaused(); round++) {
      if (round > 30) this.#person.do({ do: 'abort' })
      else {
        const outcome = round % 3 === 2 ? 'no' : 'yes'
        this.#person.do({ do: 'decide', decision: decisionOn(0, outcome), next: 'nothing' })
        if (this.#engine.getState().turn?.pauseReason?.type === 'output') {
          this.#person.do({ do: 'submit', which: 0, isError: false, next: 'nothing' })
        }
      }
      await this.#rest()
    }
    if (!isAgain && this.#engine.getState().requestState === 'error') {
      this.#person.do({ do: 'retry' })
      return this.#settle(true)
    }
    for (const { id } of this.#engine.getState().queue) this.#engine.removeQueued(id)
    await this.#rest()
    this.#watch.hold(REST, !this.#isPaused(), 'it waits for ever')
    this.#watch.report()
  }

  #isPaused(): boolean {
    return this.#engine.getState().requestState === 'paused'
  }

  #begin(history: Pick<EngineState, 'messages' | 'confirmations'>): MessageEngine {
    const { createMessageEngine, toolPlugin } = this.#parts
    const { maxSteps, whenBusy } = this.#plan
    const engine = createMessageEngine({
      ...history,
      id: this.#model.conversation,
      transport: this.#server.transport,
      plugins: [toolPlugin(this.#tools.options(this.#model.schemaOf('write'))), meddler],
      maxSteps,
      whenBusy,
      generateId: () => `id-${++this.#ids}`,
      now: () => this.#time.now(),
      onError: () => undefined,
      scheduleFrame: (publish) => {
        publish()
        return () => undefined
      },
    })
    engine.subscribe(() => {
      if (engine !== this.#engine) return
      this.#witness.glance(engine.getState())
      // What is done in one go is looked at as a whole.
      queueMicrotask(() => this.#lookAt(engine))
    })
    this.#witness.begins(engine.getState())
    return engine
  }

  #lookAt(engine: MessageEngine): void {
    if (engine === this.#engine) this.#witness.look(engine.getState())
  }

  /** The page is left in this moment, and opened again with what its messages and history say. */
  #restart(as: Extract<Move, { do: 'restart' }>['as']): void {
    const { messages, confirmations } = this.#engine.getState()
    this.#witness.look(this.#engine.getState())
    this.#engine.dispose()
    this.#model.restarted()
    this.#watch.tell(`restart with ${as}`)
    this.#watch.happened(`restart, ${as}`)
    if (as === 'another conversation') {
      this.#model.conversation = `conversation ${++this.#ids}`
      this.#clicks.forget()
    }
    if (as === 'another schema') {
      this.#model.schemas.set('write', this.#model.schemaOf('write') + 1)
    }
    this.#engine = this.#begin(JSON.parse(JSON.stringify({ messages, confirmations })))
    this.#person.uses(this.#engine)
  }

  /** Lets everything happen that happens by itself; timers too. */
  async #rest(): Promise<void> {
    await this.#settleDown()
    for (let waits = 0; waits < 20; waits++) {
      while (this.#scheduler.count() > 0) await this.#release()
      if (this.#isAtRest()) break
      this.#time.advance(31_000)
      this.#watch.tell('31 s pass')
      await this.#settleDown()
    }
    const state = this.#engine.getState()
    this.#watch.hold(REST, this.#isAtRest(), state.requestState)
    this.#watch.tell(`at rest: ${state.requestState}`)
    this.#inspector.rests(state)
    this.#watch.report()
  }

  /** Over, with nothing left to send, or waiting for a person. */
  #isAtRest(): boolean {
    const { requestState, queue, messages } = this.#engine.getState()
    if (requestState !== 'paused') {
      return requestState !== 'processing' && queue.every(({ held }) => held)
    }
    return messages
      .flatMap((message) => toolCallsOf(message))
      .some(({ part }) => ['awaiting-approval', 'awaiting-output'].includes(toolCallStatus(part)))
  }

  async #release(): Promise<void> {
    if (this.#scheduler.count() === 0) return
    this.#watch.hold(REST, ++this.#events < MOST_EVENTS, 'it never ends')
    await this.#scheduler.waitNext(1)
    await this.#settleDown()
  }

  /** Moves some microtasks after something else has begun to happen. */
  async #meanwhile(move: Move, after: number): Promise<void> {
    if (move.do === 'wait') {
      this.#watch.tell(`${move.ms} ms pass`)
      this.#watch.happened('wait')
      this.#time.advance(move.ms)
      return this.#settleDown()
    }
    const isRacing = after > 0 && this.#scheduler.count() > 0
    const released = isRacing && this.#scheduler.waitNext(1)
    for (let count = 0; count < after; count++) await undefined
    if (move.do === 'restart') this.#restart(move.as)
    else this.#person.do(move, isRacing)
    await released
    await this.#settleDown()
  }

  async #settleDown(): Promise<void> {
    await this.#flush()
    this.#witness.look(this.#engine.getState())
    this.#watch.report()
  }

  /** All microtasks come before the next macrotask. */
  #flush(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(resolve)
    })
  }

  #countRequest(): void {
    const { turn } = this.#engine.getState()
    if (!turn) return
    const count = (this.#requestsOf.get(turn.id) ?? 0) + 1
    this.#requestsOf.set(turn.id, count)
    const isWithin = turn.step <= this.#plan.maxSteps
    this.#watch.hold('I10 a turn makes no more requests than it may', isWithin, { count, turn })
  }

  #stage(): Stage {
    return {
      plan: this.#plan,
      model: this.#model,
      watch: this.#watch,
      now: () => this.#time.now(),
      gate: (label) => this.#scheduler.schedule(Promise.resolve(), label),
      look: () => this.#witness.look(this.#engine.getState()),
      runs: (uid, tool, args) => {
        this.#witness.look(this.#engine.getState())
        this.#witness.ran(uid, tool, args)
      },
      callOf: (toolCallId) => this.#server.callOf(toolCallId),
    }
  }
}

function decisionOn(which: number, outcome: 'yes' | 'no'): DecisionPlan {
  const scope = { covers: 0, isEverywhere: false, lasts: null, uses: null }
  return { which, outcome, edit: null, scope }
}
