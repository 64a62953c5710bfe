import type { Scheduler } from 'fast-check'
import type { MessageEngine } from '../../src/message-engine.ts'
import type { AppParts } from '../crash/crash-play.ts'
import type { CrashPoint } from '../crash/life.ts'
import type { FakeTime } from '../turns/play.ts'
import { Clicks } from './clicks.ts'
import { DecisionModel } from '../../src/testing/decision-model.ts'
import { Inspector } from './inspector.ts'
import { Watch } from '../rules/watch.ts'
import type { Invariant, Tally } from './invariants.ts'
import { decisionOn, isAtRest, stepsOf } from './ending.ts'
import { Page } from './page.ts'
import { Person } from './person.ts'
import type { Move, Plan } from './plan.ts'
import { inspectRecovery } from './recovery.ts'
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
  parts: AppParts,
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
  readonly #time: FakeTime
  readonly #watch: Watch<Invariant>
  readonly #model: DecisionModel
  readonly #stage: Stage
  readonly #clicks = new Clicks()
  readonly #server: Server
  readonly #witness: Witness
  readonly #inspector: Inspector
  readonly #person: Person
  readonly #requestsOf = new Map<string, number>()
  readonly #page: Page
  #events = 0

  constructor(plan: Plan, scheduler: Scheduler, parts: AppParts, tally: Tally, time: FakeTime) {
    this.#plan = plan
    this.#scheduler = scheduler
    this.#time = time
    this.#watch = new Watch(tally)
    this.#model = new DecisionModel(() => time.now())
    this.#stage = this.#makeStage()
    const stage = this.#stage
    this.#server = new Server(stage, () => this.#countRequest())
    this.#witness = new Witness(stage, this.#clicks)
    this.#inspector = new Inspector(stage, this.#witness)
    const people = { witness: this.#witness, clicks: this.#clicks }
    this.#page = new Page({
      parts,
      stage,
      server: this.#server,
      tools: new Tools(stage),
      ...people,
    })
    this.#person = new Person(stage, this.#witness, this.#clicks, this.#page)
    const { gate, concurrency, whenBusy, maxSteps, store } = plan
    this.#watch.tell(
      `gate ${gate}, concurrency ${concurrency}, ${whenBusy}, ${maxSteps} steps, store: ${store}`,
    )
  }

  async act(): Promise<void> {
    await this.#opened()
    for (const step of this.#plan.steps.flatMap(stepsOf)) {
      if ('release' in step) {
        for (let count = 0; count < step.release; count++) await this.#release()
      } else if ('rest' in step) await this.#rest()
      else if ('crash' in step) await this.#arm(step.crash)
      else await this.#meanwhile(step.move, step.after)
    }
  }

  /** Lets everything come to its end: by itself, by decisions, and once more in a new engine. */
  async end(): Promise<void> {
    await this.#endCrash()
    await this.#settle()
    this.#inspector.ends(false)
    await this.#reopen({
      do: this.#plan.store === 'none' ? 'restart' : 'reload',
      as: 'same',
      isTwice: false,
    })
    // Late decisions, on all that is over.
    for (let which = 0; which < 9; which++) {
      this.#person.do({ do: 'decide', decision: decisionOn(which, 'yes'), next: 'nothing' })
    }
    this.#person.do({ do: 'send' })
    await this.#settle()
    this.#inspector.ends(true)
    this.#engine.dispose()
    // What is left is stored before who waits for that is told.
    while (this.#plan.store !== 'none' && this.#scheduler.count() > 0) {
      await this.#scheduler.waitNext(1)
    }
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

  get #engine(): MessageEngine {
    return this.#page.engine
  }

  async #reopen(move: Extract<Move, { do: 'restart' | 'reload' }>): Promise<void> {
    if (move.do === 'restart') this.#page.restart(move.as)
    else this.#page.reload(move.as, move.isTwice)
    this.#person.begins(false)
    await this.#opened()
  }

  /** The process is to end at a point; where it was to end before, it ends now. */
  async #arm(point: CrashPoint): Promise<void> {
    await this.#endCrash()
    this.#watch.tell(`a crash is to come: ${JSON.stringify(point)}`)
    this.#page.arm(point)
  }

  async #endCrash(): Promise<void> {
    if (this.#page.holder.life.point) await this.#crash()
  }

  async #crash(): Promise<void> {
    this.#page.crash()
    this.#person.begins(true)
    await this.#opened()
  }

  /** Waits until the engine has read the store, and holds what it found to what was stored. */
  async #opened(): Promise<void> {
    const { engine, holder } = this.#page
    const opening = { isOver: false }
    void engine.ready.then(() => (opening.isOver = true))
    await this.#flush()
    const { life } = holder
    while (!opening.isOver && !life.isDead && this.#scheduler.count() > 0) {
      await this.#scheduler.waitNext(1)
      await this.#flush()
    }
    if (life.isDead || (life.isHung && !opening.isOver)) return this.#crash()
    this.#watch.hold(REST, opening.isOver, 'it is never ready')
    if (this.#plan.store === 'none') return
    const { found, useCount } = this.#page
    inspectRecovery(
      this.#stage,
      this.#witness,
      this.#clicks.acknowledged,
      useCount,
      found?.state,
      engine.getState(),
    )
    this.#person.looks()
    this.#page.look()
    this.#watch.report()
  }

  /** Lets everything happen that happens by itself; timers too. */
  async #rest(): Promise<void> {
    await this.#settleDown()
    for (let waits = 0; waits < 20; waits++) {
      while (this.#scheduler.count() > 0) await this.#release()
      if (isAtRest(this.#engine.getState())) break
      if (this.#page.holder.life.isHung) {
        await this.#crash()
        continue
      }
      this.#time.advance(31_000)
      this.#watch.tell('31 s pass')
      await this.#settleDown()
    }
    const state = this.#engine.getState()
    this.#watch.hold(REST, isAtRest(this.#engine.getState()), state.requestState)
    this.#watch.tell(`at rest: ${state.requestState}`)
    this.#inspector.rests(state)
    this.#watch.report()
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
    if (move.do === 'restart' || move.do === 'reload') await this.#reopen(move)
    else if (!this.#page.holder.isGone) this.#person.do(move, isRacing)
    await released
    await this.#settleDown()
  }

  async #settleDown(): Promise<void> {
    await this.#flush()
    if (this.#plan.store === 'prompt' || this.#plan.store === 'slow') {
      this.#time.advance(0)
      await this.#flush()
    }
    if (this.#page.holder.life.isDead) await this.#crash()
    this.#page.look()
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

  #makeStage(): Stage {
    return {
      plan: this.#plan,
      model: this.#model,
      watch: this.#watch,
      now: () => this.#time.now(),
      gate: (label) => this.#scheduler.schedule(Promise.resolve(), label),
      look: () => this.#page.look(),
      retries: () => this.#person.retries,
      acts: (holder) => {
        if (holder.number === 0) return
        this.#watch.hold('I12 only who has the conversation acts', !holder.isLeft)
      },
      runs: (uid, tool, args) => {
        this.#page.look()
        this.#witness.ran(uid, tool, args)
      },
      callOf: (toolCallId) => this.#server.callOf(toolCallId),
    }
  }
}
