import type { CommandResult } from '../../src/commands.ts'
import type { MessageEngine } from '../../src/message-engine.ts'
import { refOf, toolCallsOf, type ToolCallEntry } from '../../src/message/tool-calls.ts'
import {
  isAwaitingApproval,
  toolCallStatus,
  type ToolCallStatus,
} from '../../src/message/tool-part.ts'
import type { ToolCallTarget } from '../../src/plugins/tools/commands.ts'
import { fingerprintOfCall } from '../../src/plugins/tools/turn-calls.ts'
import type { Call } from '../../src/testing/decision-model.ts'
import type { Page } from './page.ts'
import type { Stage } from './stage.ts'
import type { Witness } from './witness.ts'

/** A call that a person means, and how it is named. */
export interface Target {
  readonly entry: ToolCallEntry | undefined
  readonly call: Call | undefined
  readonly named: ToolCallTarget
}

/** How a person gets hold of an engine: finds calls, runs commands, follows what was begun. */
export class Hands {
  readonly #stage: Stage
  readonly #witness: Witness
  readonly #unsettled = new Map<Promise<unknown>, string>()
  #page: Pick<Page, 'engine' | 'holder'>
  /** The calls, by their uids, that somebody has changed. */
  readonly changed = new Set<string>()
  /** How many moves were made: a command that others follow cannot be foreseen exactly. */
  moveCount = 0
  /** How many commands were run. */
  commandCount = 0
  /** Whether something else happens at the same time, so that nothing can be foreseen exactly. */
  isRacing = false

  constructor(stage: Stage, witness: Witness, page: Pick<Page, 'engine' | 'holder'>) {
    this.#stage = stage
    this.#witness = witness
    this.#page = page
  }

  get engine(): MessageEngine {
    return this.#page.engine
  }

  /** Nobody answers any more what was begun. */
  forget(): void {
    this.#unsettled.clear()
  }

  /** What was begun and has not come to an end yet. */
  get unsettled(): string[] {
    return [...this.#unsettled.values()]
  }

  /** Whether the engine accepts no commands but a revocation. */
  get isBusy(): boolean {
    const { processingState } = this.engine.getState()
    return processingState === 'requesting' || processingState === 'completing'
  }

  /** Runs a command; what can be foreseen of it depends on whether anything else happens meanwhile. */
  command(
    name: string,
    payload: unknown,
    then: (result: CommandResult, isForeseeable: boolean) => void,
    plugin = 'tool',
  ): void {
    this.commandCount++
    const { moveCount } = this
    const { life } = this.#page.holder
    const isAlone = !this.isRacing && !this.isBusy
    const done = this.engine.runPluginCommand(plugin, name, payload).then((result) => {
      if (life.isDead) return
      this.#stage.look()
      then(result, isAlone && moveCount === this.moveCount && !this.isRacing)
    })
    this.follow(name, done)
  }

  /** A call: below 7 one that stands as wanted if there is any, at 9 nobody's. */
  pick(which: number, wanted: readonly ToolCallStatus[]): Target | undefined {
    const entries = this.entries()
    const standing = entries.filter(({ part }) => wanted.includes(toolCallStatus(part)))
    const picked = which < 7 && standing.length > 0 ? standing : entries
    const chosen = which === 9 ? undefined : picked[which % picked.length]
    if (!chosen) return undefined
    const { toolCallId } = chosen
    const same = entries.filter((other) => other.toolCallId === toolCallId)
    // Mostly the last call of the id: those before it are over.
    const entry =
      which % 2 === 0 ? same.findLast((other) => other.messageId === chosen.messageId) : same.at(-1)
    if (!entry) return undefined
    return { entry, call: this.callOf(entry), named: this.nameOf(entry, which % 2 === 0) }
  }

  /** How a call is named: as shortly as can be, unless more is wanted. */
  nameOf(entry: ToolCallEntry, isNamed = false): ToolCallTarget {
    const { part, ...ref } = entry
    const isShared = this.entries().filter(({ toolCallId }) => toolCallId === ref.toolCallId)[1]
    const isChanged = this.changed.has(this.callOf(entry)?.uid ?? '')
    return {
      ...(isNamed || isShared ? refOf(ref) : { toolCallId: ref.toolCallId }),
      // Whoever was shown another one looks again.
      ...(isChanged && isAwaitingApproval(part) ? { fingerprint: fingerprintOfCall(part) } : {}),
    }
  }

  entries(): ToolCallEntry[] {
    return this.engine.getState().messages.flatMap((message) => toolCallsOf(message))
  }

  entryOf(uid: string): ToolCallEntry | undefined {
    return this.entries().find(({ part }) => this.#witness.callOf(part)?.uid === uid)
  }

  /** The model's call of an entry. */
  callOf({ part }: ToolCallEntry): Call | undefined {
    return this.#witness.callOf(part)
  }

  isOpen(uid: string): boolean {
    const { requestState } = this.engine.getState()
    return (requestState === 'processing' || requestState === 'paused') && !!this.entryOf(uid)
  }

  follow(what: string, promise: Promise<unknown>): void {
    this.#unsettled.set(promise, what)
    const settled = () => void this.#unsettled.delete(promise)
    promise.then(settled, (error: unknown) => {
      settled()
      const facts = `${what} rejected with ${String(error)}`
      this.#stage.watch.hold('I10 the play comes to rest', false, facts)
    })
  }
}
