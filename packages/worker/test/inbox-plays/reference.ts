import type { JSONValue } from 'ai'
import type { ClaimedState, TaskError, TaskState } from '../../src/inbox.ts'

/** A task as the reference has it. */
export interface ReferenceTask {
  readonly id: string
  readonly conversationId: string
  readonly maxAttempts: number
  state: TaskState
  attempts: number
  dueAt: number
  holder: { worker: string; epoch: number; expiresAt: number } | undefined
  error: TaskError | undefined
  waitingFor: JSONValue | undefined
  answers: JSONValue[]
  /** How many of its answers its claim has shown. */
  seen: number
  epoch: number
  /** Whether the attempt that runs, or was given back, is one that runs alone. */
  isSuspect: boolean
}

const OVER: readonly TaskState[] = ['done', 'dead', 'failed']

/** An inbox that is easy to believe: a list, looked through from its beginning. */
export class ReferenceInbox {
  /** In the order in which they are to be worked off. */
  readonly tasks: ReferenceTask[] = []
  now = 1_000_000

  get(id: string): ReferenceTask | undefined {
    return this.tasks.find((task) => task.id === id)
  }

  isOver(task: ReferenceTask): boolean {
    return OVER.includes(task.state)
  }

  add(id: string, conversationId: string, maxAttempts: number, dueAt: number): void {
    if (this.get(id)) return
    this.tasks.push({
      id,
      conversationId,
      maxAttempts,
      dueAt,
      state: 'queued',
      attempts: 0,
      holder: undefined,
      error: undefined,
      waitingFor: undefined,
      answers: [],
      seen: 0,
      epoch: 0,
      isSuspect: false,
    })
  }

  /** Of each conversation the first that is not over. */
  heads(): ReferenceTask[] {
    const open = this.tasks.filter((task) => !this.isOver(task))
    return open.filter(
      (task) => open.find((one) => one.conversationId === task.conversationId) === task,
    )
  }

  /** When a task can be given out; `undefined` while it waits for a person. */
  availableAt(task: ReferenceTask): number | undefined {
    if (task.state === 'parked') return undefined
    return task.holder ? task.holder.expiresAt : task.dueAt
  }

  /** What can be given out: nothing as long as the first one is to run alone, and the worker has others. */
  claimable(isIdle: boolean): ReferenceTask[] {
    const at = (task: ReferenceTask) => this.availableAt(task) ?? Infinity
    const due = this.heads().filter((task) => at(task) <= this.now)
    const runsAlone = (task: ReferenceTask) => this.isSuspect(task) && !this.isSpent(task)
    const [first] = due.toSorted((one, other) => at(one) - at(other))
    if (isIdle) return due
    return first && runsAlone(first) ? [] : due.filter((task) => !runsAlone(task))
  }

  /** Whether its worker ended: another task of that one may be why. */
  isSuspect(task: ReferenceTask): boolean {
    return task.holder !== undefined || task.isSuspect
  }

  /** Whether its worker ended while it ran alone, in its last attempt. */
  isSpent({ holder, isSuspect, attempts, maxAttempts }: ReferenceTask): boolean {
    return holder !== undefined && isSuspect && attempts >= maxAttempts
  }

  claim(task: ReferenceTask, worker: string, leaseMs: number): number {
    const isCounted = task.holder === undefined || task.isSuspect
    if (isCounted && !this.isSpent(task)) task.attempts += 1
    task.isSuspect = this.isSuspect(task)
    task.epoch += 1
    task.state = 'in_progress'
    task.seen = task.answers.length
    task.holder = { worker, epoch: task.epoch, expiresAt: this.now + leaseMs }
    return task.epoch
  }

  /** The task of a claim that still stands. */
  held(id: string, worker: string, epoch: number): ReferenceTask | undefined {
    const task = this.get(id)
    return task?.holder?.worker === worker && task.holder.epoch === epoch ? task : undefined
  }

  heartbeat(task: ReferenceTask, leaseMs: number): void {
    if (task.holder) task.holder = { ...task.holder, expiresAt: this.now + leaseMs }
  }

  progress(task: ReferenceTask, state: ClaimedState): void {
    task.state = state
  }

  park(task: ReferenceTask, waitingFor: JSONValue): void {
    task.attempts -= 1
    task.answers = task.answers.slice(task.seen)
    if (task.answers.length > 0) return this.#queue(task, this.now)
    task.state = 'parked'
    task.holder = undefined
    task.waitingFor = waitingFor
  }

  complete(task: ReferenceTask): void {
    task.answers = []
    this.#end(task, 'done', undefined)
  }

  fail(task: ReferenceTask, error: TaskError, dueAt: number | undefined): void {
    if (dueAt === undefined || task.attempts >= task.maxAttempts) this.#end(task, 'dead', error)
    else {
      task.error = error
      task.isSuspect = false
      this.#queue(task, dueAt)
    }
  }

  release(task: ReferenceTask, dueAt: number): void {
    task.attempts -= 1
    this.#queue(task, dueAt)
  }

  answer(id: string, answer: JSONValue): boolean {
    const task = this.get(id)
    if (!task || this.isOver(task)) return false
    task.answers = [...task.answers, answer]
    if (task.state === 'parked') this.#queue(task, this.now)
    return true
  }

  replay(id: string): boolean {
    const task = this.get(id)
    if (task?.state !== 'dead') return false
    this.tasks.splice(this.tasks.indexOf(task), 1)
    this.tasks.push(task)
    task.attempts = 0
    task.isSuspect = false
    this.#queue(task, this.now)
    return true
  }

  discard(id: string): boolean {
    const task = this.get(id)
    if (task?.state !== 'dead') return false
    task.state = 'failed'
    return true
  }

  msUntilDue(): number | undefined {
    const times = this.heads().flatMap((task) => this.availableAt(task) ?? [])
    return times.length > 0 ? Math.min(...times) - this.now : undefined
  }

  #queue(task: ReferenceTask, dueAt: number): void {
    task.state = 'queued'
    task.holder = undefined
    task.dueAt = dueAt
  }

  #end(task: ReferenceTask, state: 'done' | 'dead', error: TaskError | undefined): void {
    task.state = state
    task.holder = undefined
    task.waitingFor = undefined
    task.error = error ?? task.error
  }
}
