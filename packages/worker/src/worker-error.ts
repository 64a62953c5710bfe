/** Why a worker or an inbox refuses something. */
export type WorkerErrorCode =
  /** What was given cannot work; nothing happened. */
  | 'invalid_argument'
  /** A variable of the environment has a value that cannot be used. */
  | 'invalid_setting'
  /** What came as an answer to a task is none. */
  | 'invalid_answer'
  /** An open turn is not that of the task which is worked on. */
  | 'turn_of_another'
  /** Another worker has the task by now. */
  | 'claim_lost'
  /** What is stored of a task cannot be read. */
  | 'task_unreadable'
  /** A turn ended without an answer, and without a reason for that. */
  | 'not_answered'
  /** The last attempt at a task ended with its worker. */
  | 'worker_lost'

/** Something that a worker or an inbox cannot do. Its message says what to do. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError'
  readonly code: WorkerErrorCode

  constructor(code: WorkerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
