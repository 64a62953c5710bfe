import type { MessageEngine } from '../../src/message-engine.ts'
import { everywhereOf, namespaceOf } from '../../src/storage/conversation-records.ts'
import type { StorageContent } from '../../src/storage/memory-storage.ts'
import type { ConfirmationRecord } from '../../src/confirmation.ts'
import type { EngineState } from '../../src/state.ts'
import type { AppParts } from '../crash/crash-play.ts'
import { Life, type CrashPoint } from '../crash/life.ts'
import type { Clicks } from './clicks.ts'
import { Holder } from './holder.ts'
import { Keeper } from './keeper.ts'
import { meddler } from './meddler.ts'
import { goBack, NOTHING, type Moment } from './moment.ts'
import type { Reopening } from './plan.ts'
import type { Server } from './server.ts'
import type { Stage } from './stage.ts'
import type { Tools } from './tools.ts'
import type { Witness } from './witness.ts'

export interface PageOptions {
  readonly parts: AppParts
  readonly stage: Stage
  readonly server: Server
  readonly tools: Tools
  readonly witness: Witness
  readonly clicks: Clicks
}

type History = Pick<EngineState, 'messages' | 'confirmations'>

/** Where the conversation is open: holds its engine, and another one after it was left or crashed. */
export class Page {
  readonly #options: PageOptions
  readonly #keeper: Keeper<Moment> | undefined
  #holder: Holder
  #engine: MessageEngine
  #ids = 0
  #useCount = 0

  constructor(options: PageOptions) {
    this.#options = options
    const { plan, gate } = options.stage
    if (plan.store !== 'none') {
      this.#keeper = new Keeper({
        take: () => this.#take(),
        gate: async () => (plan.store === 'slow' ? gate('write') : undefined),
      })
    }
    this.#holder = new Holder(0, this.#keeper?.life ?? new Life(0))
    this.#engine = this.#begin()
  }

  get engine(): MessageEngine {
    return this.#engine
  }

  get holder(): Holder {
    return this.#holder
  }

  /** How often policies had been used when the engine began. */
  get useCount(): number {
    return this.#useCount
  }

  /** Looks at the state now, unless nobody is there any more. */
  look(): void {
    if (!this.#holder.isGone) this.#options.witness.look(this.#engine.getState())
  }

  /** The page is left in this moment, and opened again with what its messages and history say. */
  restart(as: Reopening): void {
    const { clicks, stage } = this.#options
    const { messages, confirmations } = this.#engine.getState()
    this.#leave(as)
    if (as === 'another conversation') {
      stage.model.conversation = `conversation ${++this.#ids}`
      clicks.forget()
    }
    this.#next(JSON.parse(JSON.stringify({ messages, confirmations })))
  }

  /** The page is left in this moment, and opened again from the store, maybe twice. */
  reload(as: Reopening, isTwice: boolean): void {
    this.#leave(as)
    this.#keeper?.left(this.#take())
    this.#next()
    if (!isTwice) return
    this.#engine.dispose()
    this.#holder.isLeft = true
    this.#next()
  }

  /** From now on the process ends at a point. */
  arm(point: CrashPoint): void {
    this.#holder.life.arm(point)
  }

  /** The process is dead, now at the latest: another one begins with what the store holds. */
  crash(): void {
    const { clicks, stage, witness } = this.#options
    const { model, watch } = stage
    if (!this.#keeper) return
    const { point, isDead, isHung } = this.#holder.life
    const where = point && (isDead || isHung) ? `${point.at} ${point.when}` : 'by hand'
    watch.tell(`crash ${where}`)
    watch.happened(`crash, ${where}`)
    const { content, moment = NOTHING } = this.#keeper.crash()
    const records = recordsIn(content, model.conversation)
    clicks.recall(
      moment.clicks,
      records.map(({ id }) => id),
    )
    goBack(model, moment, records)
    witness.recall(moment.fingerprints, records.length)
    this.#reopened()
    this.#next()
  }

  /** What was known of what the engine has read. */
  get found(): Moment | undefined {
    return this.#keeper?.found
  }

  #leave(as: Reopening): void {
    const { model, watch } = this.#options.stage
    this.look()
    this.#engine.dispose()
    this.#holder.isLeft = true
    this.#reopened()
    watch.tell(`${this.#keeper ? 'reload' : 'restart'} with ${as}`)
    watch.happened(`${this.#keeper ? 'reload' : 'restart'}, ${as}`)
    if (as === 'another schema') model.schemas.set('write', model.schemaOf('write') + 1)
  }

  #reopened(): void {
    const { stage, witness } = this.#options
    this.#useCount = stage.model.uses.length
    stage.model.restarted((call) => witness.ranTimes(call) > 0)
  }

  #next(history?: Partial<History>): void {
    if (this.#keeper) this.#options.witness.reads()
    const life = this.#keeper?.life ?? this.#holder.life
    this.#holder = new Holder(this.#holder.number + 1, life)
    this.#engine = this.#begin(history)
  }

  /** What is known now. */
  #take(): Moment {
    const { clicks, stage, witness } = this.#options
    this.look()
    return {
      state: this.#engine.getState(),
      model: stage.model.remember(),
      fingerprints: witness.remember(),
      clicks: clicks.remember(),
    }
  }

  #begin(history: Partial<History> = {}): MessageEngine {
    const { parts, server, stage, tools, witness } = this.#options
    const { model, now, plan } = stage
    const { maxSteps, whenBusy } = plan
    const holder = this.#holder
    const keeper = this.#keeper
    const engine = parts.createMessageEngine({
      ...history,
      id: model.conversation,
      transport: server.transportFor(holder),
      plugins: [parts.toolPlugin(tools.options(holder, model.schemaOf('write'))), meddler],
      maxSteps,
      whenBusy,
      generateId: () => `id-${++this.#ids}`,
      now,
      onError({ code }) {
        if (keeper && code === 'storage_failed') keeper.isFailing = true
      },
      scheduleFrame: (publish) => {
        publish()
        return () => undefined
      },
      ...(keeper && { storage: parts.defineStorage(keeper.storage) }),
    })
    engine.subscribe(() => {
      if (holder.isGone) return
      const state = engine.getState()
      witness.glance(state)
      if (keeper && state.requestState === 'paused' && !holder.life.isHung) {
        const isStored = keeper.moment?.state.turn?.pauseReason !== undefined
        if (isStored) keeper.isFailing = false
        stage.watch.hold('I9 a pause that is shown is stored', isStored || keeper.isFailing)
      }
      // What is done in one go is looked at as a whole.
      queueMicrotask(() => {
        if (!holder.isGone) witness.look(engine.getState())
      })
    })
    witness.begins(engine.getState())
    return engine
  }
}

/** All confirmations that an engine will find, in its order: read by hand. */
function recordsIn(content: StorageContent, conversation: string): ConfirmationRecord[] {
  const own = [...(content.get(namespaceOf(conversation)) ?? [])]
    .filter(([key]) => key.startsWith('confirmation/'))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    // What was written were such records.
    .map(([, record]) => record as unknown as ConfirmationRecord)
  const everywhere = [...(content.get(everywhereOf())?.values() ?? [])]
    .map((record) => record as unknown as ConfirmationRecord)
    .toSorted((one, other) => one.at - other.at)
  const ids = new Set(own.map(({ id }) => id))
  return [...own, ...everywhere.filter(({ id }) => !ids.has(id))]
}
