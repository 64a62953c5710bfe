import type { Gate } from '@assent/engine'

/** Thrown in the place of a run that waits for the rest of its step; nobody but the handler sees it. */
export class HeldCall extends Error {
  override readonly name = 'HeldCall'

  constructor() {
    super('The call waits until every call of its step is decided.')
  }
}

/**
 * Keeps the calls of a step from running while another one of it waits: for a person, or for the
 * page, which may ask one, too.
 *
 * The AI SDK asks the rules about every call of a step before it runs the first. A call that is held
 * is given to the page as one that the rules have approved; the request that brings the answers to
 * the others has it run, together with them.
 */
export class StepGate {
  readonly #isByStep: boolean
  #step = 0
  #isWaiting = false

  constructor(gate: Gate) {
    this.#isByStep = gate === 'step'
  }

  /**
   * Whether the model answers. Before that the calls of the step run that the request has brought the
   * answers to.
   */
  get isInStep(): boolean {
    return this.#step > 0
  }

  /** How often the model has begun to answer. */
  get step(): number {
    return this.#step
  }

  /** The model answers anew. */
  beginStep(): void {
    this.#step += 1
    this.#isWaiting = false
  }

  /** A call of this step is not for this server to settle. */
  wait(): void {
    this.#isWaiting = true
  }

  /** Whether what could run here is held. */
  get isHolding(): boolean {
    return this.#isByStep && this.isInStep && this.#isWaiting
  }
}
