import type { Scheduler } from 'fast-check'
import type { createMessageEngine } from '../../src/engine.ts'
import type { MessageEngine } from '../../src/message-engine.ts'
import type { toolPlugin } from '../../src/plugins/tools/tool-plugin.ts'
import { FakeServer } from './fake-server.ts'
import { FakeTools } from './fake-tools.ts'
import { guardPlugin } from './guard-plugin.ts'
import { callsIn, statusOf } from './history.ts'
import { Person } from './person.ts'
import type { Action, Plan } from './plan.ts'
import type { Rules } from './rules.ts'
import type { Stage } from './stage.ts'
import { TurnModel } from './turn-model.ts'
import { Watcher } from './watcher.ts'

/** The engine that is played with: the one of the sources, or one that has a fault. */
export interface EngineParts {
  createMessageEngine: typeof createMessageEngine
  toolPlugin: typeof toolPlugin
}

/** The time of a play: timers that fire only when told to. */
export interface FakeTime {
  advance(ms: number): void
  now(): number
}

/** How much may happen in a play before it is said never to end: far more than ever does. */
const MOST_EVENTS = 3_000

/**
 * Plays a plan with an engine: the scheduler owns the order in which everything outside of the
 * engine happens. Throws a `BrokenRule`; answers with the requests that were made, as JSON.
 */
export async function play(
  plan: Plan,
  scheduler: Scheduler,
  parts: EngineParts,
  rules: Rules,
  time: FakeTime,
): Promise<readonly string[]> {
  const run = new Play(plan, scheduler, parts, rules, time)
  await run.act()
  await run.end()
  return run.requests
}

class Play {
  readonly #plan: Plan
  readonly #scheduler: Scheduler
  readonly #rules: Rules
  readonly #time: FakeTime
  readonly #server: FakeServer
  readonly #engine: MessageEngine
  readonly #watcher: Watcher
  readonly #person: Person
  readonly #requestsOf = new Map<string, number>()
  #inPublication: Action | undefined
  #ids = 0
  #ticks = 0
  #events = 0

  constructor(
    plan: Plan,
    scheduler: Scheduler,
    { createMessageEngine, toolPlugin }: EngineParts,
    rules: Rules,
    time: FakeTime,
  ) {
    this.#plan = plan
    this.#scheduler = scheduler
    this.#rules = rules
    this.#time = time
    const model = new TurnModel(rules)
    const stage = this.#stage(model)
    const tools = new FakeTools(stage)
    this.#server = new FakeServer(stage, () => this.#countRequest())
    this.#engine = createMessageEngine({
      transport: this.#server.transport,
      plugins: [toolPlugin(tools.options(plan)), guardPlugin(stage)],
      maxSteps: plan.maxSteps,
      whenBusy: plan.whenBusy,
      generateId: () => `id-${++this.#ids}`,
      now: () => ++this.#ticks,
      onError: () => undefined,
      scheduleFrame: (publish) => {
        if (plan.publishesAtOnce) publish()
        else void this.#gate('frame').then(publish)
        return () => undefined
      },
    })
    this.#watcher = new Watcher(stage, tools, this.#engine.getState())
    const { advance } = time
    this.#person = new Person({ ...stage, engine: this.#engine, plan, rules, model, advance })
    this.#engine.subscribe(() => this.#published())
  }

  get requests(): readonly string[] {
    return this.#server.requests
  }

  async act(): Promise<void> {
    for (const step of this.#plan.steps) {
      if ('release' in step) {
        for (let count = 0; count < step.release; count++) await this.#release()
      } else if (step.after === 'publication') {
        this.#inPublication = step.action
      } else {
        await this.#meanwhile(step.action, step.after)
      }
    }
  }

  /** Lets everything come to its end: first by itself, then by decisions, then by a dispose. */
  async end(): Promise<void> {
    this.#inPublication = undefined
    await this.#rest()
    for (let round = 0; round < 60 && this.#engine.getState().requestState === 'paused'; round++) {
      if (round > 40) this.#person.do({ do: 'abort' })
      else this.#person.decide(0, [round % 3 === 2 ? 'no' : 'yes'])
      await this.#rest()
    }
    for (const { id } of this.#engine.getState().queue) this.#engine.removeQueued(id)
    await this.#rest()
    this.#engine.dispose()
    await this.#flush()
    const { unsettled } = this.#person
    this.#rules.hold('every promise settles', unsettled.length === 0, unsettled)
    this.#watcher.lookBack()
    this.#rules.report()
  }

  /** Lets everything happen that happens by itself; timers too. */
  async #rest(): Promise<void> {
    for (let waits = 0; waits < 50; waits++) {
      while (this.#scheduler.count() > 0) await this.#release()
      this.#time.advance(30_000)
      await this.#settleDown()
      if (this.#scheduler.count() === 0 && this.#isAtRest()) break
    }
    const { requestState } = this.#engine.getState()
    this.#rules.hold('the engine comes to rest', this.#isAtRest(), requestState)
    this.#rules.report()
  }

  /** Over, with nothing left to send, or waiting for a person. */
  #isAtRest(): boolean {
    const { requestState, queue, messages } = this.#engine.getState()
    if (requestState === 'paused') {
      return callsIn(messages).some((part) => statusOf(part) === 'asked')
    }
    return requestState !== 'processing' && queue.every(({ held }) => held)
  }

  async #release(): Promise<void> {
    if (this.#scheduler.count() === 0) return
    this.#rules.hold('the engine comes to rest', ++this.#events < MOST_EVENTS, 'it never ends')
    await this.#scheduler.waitNext(1)
    await this.#settleDown()
  }

  /** Acts some microtasks after something else has begun to happen. */
  async #meanwhile(action: Action, after: number): Promise<void> {
    const released = after > 0 && this.#scheduler.count() > 0 && this.#scheduler.waitNext(1)
    for (let count = 0; count < after; count++) await undefined
    this.#person.do(action)
    await released
    await this.#settleDown()
  }

  async #settleDown(): Promise<void> {
    await this.#flush()
    this.#watcher.look(this.#engine.getState())
    this.#rules.report()
  }

  /** All microtasks come before the next macrotask. */
  #flush(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(resolve)
    })
  }

  #published(): void {
    this.#watcher.look(this.#engine.getState())
    const action = this.#inPublication
    if (!action) return
    this.#inPublication = undefined
    this.#person.do(action)
  }

  #countRequest(): void {
    const { turn } = this.#engine.getState()
    if (!turn) return
    const count = (this.#requestsOf.get(turn.id) ?? 0) + 1
    this.#requestsOf.set(turn.id, count)
    const most = this.#plan.maxSteps + this.#person.retriesOf(turn.id)
    const isWithin = count <= most && turn.step <= this.#plan.maxSteps
    this.#rules.hold('a turn makes no more requests than it may', isWithin, { count, most, turn })
  }

  #gate(label: string): Promise<void> {
    return this.#scheduler.schedule(Promise.resolve(), label)
  }

  #stage(model: TurnModel): Stage {
    return {
      plan: this.#plan,
      rules: this.#rules,
      model,
      now: () => this.#time.now(),
      gate: (label) => this.#gate(label),
      planOf: (uid) => this.#server.planOf(uid),
      retries: () => this.#person.retries,
      look: () => this.#watcher.look(this.#engine.getState()),
      checkGate: (uid) => {
        if (this.#plan.gate !== 'step') return
        const { messages } = this.#engine.getState()
        const asked = callsIn(messages).filter((part) => statusOf(part) === 'asked')
        const rule = "with gate 'step' nothing runs before all is decided"
        this.#rules.hold(rule, asked.length === 0, { uid, asked })
      },
    }
  }
}
