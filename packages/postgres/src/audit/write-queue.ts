import { DatabaseError } from '../database-error.ts'

/** Writes one after the other in the order in which they are asked for, as many as wait in one go. */
export interface WriteQueue<ITEM, RESULT> {
  /** With others that may be written together with it. */
  add(item: ITEM): Promise<RESULT>
  /** By itself, once all before it are written. */
  alone<T>(run: () => Promise<T>): Promise<T>
}

interface Waiting<ITEM, RESULT> {
  readonly item: ITEM
  readonly resolve: (result: RESULT) => void
  readonly reject: (error: unknown) => void
}

/** The most that is written in one go. */
const MOST = 100

/** @param write answers for each item in its place; all of them, or it rejects */
export function writeQueue<ITEM, RESULT>(
  write: (items: readonly ITEM[]) => Promise<readonly RESULT[]>,
): WriteQueue<ITEM, RESULT> {
  /** What is written next, and still takes more. */
  let open: Waiting<ITEM, RESULT>[] | undefined
  let last: Promise<unknown> = Promise.resolve()

  function after<T>(run: () => Promise<T>): Promise<T> {
    const running = last.then(run)
    last = running.catch(() => undefined)
    return running
  }

  async function flush(batch: readonly Waiting<ITEM, RESULT>[]): Promise<void> {
    try {
      const results = await write(batch.map(({ item }) => item))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index]
        if (result === undefined) reject(new TypeError('A write was not answered.'))
        else resolve(result)
      }
    } catch (error) {
      const isOfOne = !(error instanceof DatabaseError) || error.code === 'invalid_argument'
      // One of them cannot be written; the others can.
      if (isOfOne && batch.length > 1) for (const one of batch) await flush([one])
      else for (const { reject } of batch) reject(error)
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        if (!open) {
          const batch: Waiting<ITEM, RESULT>[] = []
          open = batch
          void after(async () => {
            if (open === batch) open = undefined
            for (let at = 0; at < batch.length; at += MOST) await flush(batch.slice(at, at + MOST))
          })
        }
        open.push({ item, resolve, reject })
      }),
    alone(run) {
      open = undefined
      return after(run)
    },
  }
}
