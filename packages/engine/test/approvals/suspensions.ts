import type { CommandResult } from '../../src/commands.ts'
import type { PolicyEvent } from '../../src/confirmation.ts'
import type { MessageEngine } from '../../src/message-engine.ts'
import type { Stage } from './stage.ts'

const STOP = 'I7 to stop everything suspends what stands'

/** How a person gets hold of an engine. */
interface Hold {
  readonly engine: MessageEngine
  follow(what: string, promise: Promise<unknown>): void
  command(name: string, payload: unknown, then: (result: CommandResult) => void): void
}

/** Stops everything and lets it go on, and holds the records of that to what a person did. */
export class Suspensions {
  readonly #stage: Stage
  #isStopping = false
  readonly #resumed = new Set<string>()

  constructor(stage: Stage) {
    this.#stage = stage
  }

  /** Everything stops in this very tick. */
  stop(hands: Hold): void {
    const { model, watch } = this.#stage
    watch.tell('stop everything')
    watch.happened('stopAll')
    const standing = [...model.policies.values()].filter((policy) => model.isAlive(policy))
    this.#isStopping = true
    hands.follow('stopAll', hands.engine.stopAll())
    this.#stage.look()
    this.#isStopping = false
    const { requestState } = hands.engine.getState()
    const isStopped = requestState !== 'processing' && requestState !== 'paused'
    watch.hold(STOP, isStopped && !standing.some((policy) => model.isAlive(policy)), standing)
  }

  /** Lets all that is suspended go on, or one policy. */
  resume(hands: Hold, which: number | null): void {
    const { model, watch } = this.#stage
    const suspended = [...model.policies.values()].filter(({ suspensions }) => suspensions.size > 0)
    const policyId = which === null ? undefined : suspended[which % suspended.length]?.id
    watch.tell(`resume ${policyId ?? 'all'}`)
    for (const { id } of suspended) if (id === (policyId ?? id)) this.#resumed.add(id)
    hands.command('resumePolicies', policyId === undefined ? {} : { policyId }, (result) => {
      watch.happened(result.success ? 'resume' : `refused: ${result.error.code}`)
      watch.hold(STOP, result.success, result)
    })
  }

  /** A record says that a policy is suspended, or goes on. */
  recorded({ id, policyId, event, suspension = '' }: PolicyEvent): void {
    const { model, watch, now } = this.#stage
    const policy = model.policies.get(policyId)
    if (event === 'suspended') {
      // What nobody knows to be void is suspended, too.
      const isHolding = policy && !policy.isRevoked && !policy.isVoid && now() < policy.until
      const isDue = isHolding === true && this.#isStopping
      policy?.suspensions.add(id)
      return watch.hold(STOP, isDue, { id, policyId })
    }
    watch.happened('resume what was suspended')
    const isDue = this.#resumed.has(policyId) && policy?.suspensions.delete(suspension) === true
    watch.hold('I8 policies are those of the history', isDue, { id, policyId, suspension })
  }
}
