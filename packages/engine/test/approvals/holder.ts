import type { Life } from '../crash/life.ts'

/** One engine of a play, as long as it has the conversation. */
export class Holder {
  /** In the order of the play, from 0. */
  readonly number: number
  /** The process that it runs in. */
  readonly life: Life
  /** It was disposed. */
  isLeft = false

  constructor(number: number, life: Life) {
    this.number = number
    this.life = life
  }

  /** Whether another one has the conversation, or is about to. */
  get isGone(): boolean {
    return this.isLeft || this.life.isDead
  }
}
