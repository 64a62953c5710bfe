import { createHash } from 'node:crypto'
import type { ToolCallConfirmation } from '../../src/confirmation.ts'
import type { Answer, Call } from '../../src/testing/decision-model.ts'
import { INPUTS } from './scopes.ts'

/** In place of the number of an input: one that no tool takes. */
export const INVALID = -1

/** What a person did to decide a call. */
export interface Click extends Omit<Answer, 'id' | 'input'> {
  /** `undefined` for whatever waits. */
  readonly uid: string | undefined
  /** The input that was sent, if one was. */
  readonly edit: number | undefined
  /** The input that the call had then. */
  readonly shown: number
  readonly reason: string | undefined
  /** As it was sent. */
  readonly sentScope: unknown
}

/** What a person did and the history of confirmations has not said yet. */
export class Clicks {
  readonly #open: Click[] = []
  readonly #last = new Map<string, Click>()
  readonly #ids = new Map<Click, string>()
  /** What was recorded of a call while another click on it was on its way. */
  readonly #meanwhile = new WeakMap<Click, Click[]>()
  /** Confirmations that the engine said to be kept. */
  readonly acknowledged = new Set<string>()

  add(click: Click): Click {
    this.#open.push(click)
    return click
  }

  /** It came to nothing, or to nothing more. */
  remove(click: Click): void {
    const index = this.#open.indexOf(click)
    if (index >= 0) this.#open.splice(index, 1)
  }

  isOpen(click: Click): boolean {
    return this.#open.includes(click)
  }

  /** Finds what a record is about; nothing is recorded twice. */
  take(uid: string, record: ToolCallConfirmation): Click | undefined {
    const click = this.#open.find(
      (open) =>
        (open.uid ?? uid) === uid &&
        open.outcome === record.outcome &&
        open.edit !== INVALID &&
        open.reason === record.reason &&
        sameJson(INPUTS[editOf(open, open) ?? INVALID], record.editedInput) &&
        sameJson(grantOf(open, record.at), record.scope),
    )
    if (!click) return undefined
    // What denies all that waits may be recorded for many.
    if (click.uid !== undefined) this.remove(click)
    for (const other of this.#open) {
      if (other.uid === uid) this.#meanwhile.set(other, [...this.#whileOpen(other), click])
    }
    this.#last.set(uid, click)
    this.#ids.set(click, record.id)
    return click
  }

  /** The engine says that it is done. */
  acknowledge(click: Click): void {
    const id = this.#ids.get(click)
    if (id !== undefined) this.acknowledged.add(id)
  }

  /** The last decisions on the calls, as they are known now. */
  remember(): ReadonlyMap<string, Click> {
    return new Map(this.#last)
  }

  /**
   * Goes back to what was known before; whoever clicked since then is not answered any more.
   *
   * @param records the ids of the confirmations that are there all the same
   */
  recall(last: ReadonlyMap<string, Click>, records: readonly string[]): void {
    const isThere = (click: Click) => records.includes(this.#ids.get(click) ?? '')
    const kept = [...this.#last].filter(([, click]) => isThere(click))
    this.#open.splice(0)
    this.#last.clear()
    for (const [uid, click] of [...kept, ...last]) this.#last.set(uid, click)
  }

  /** Of another conversation only what the calls say themselves is known. */
  forget(): void {
    this.#last.clear()
  }

  /** Whether the last decision on a call was this very one; reasons may differ. `undefined` for none. */
  isRepeated({ uid, input }: Call, click: Click): boolean | undefined {
    const last = this.#last.get(uid)
    // What was said about another input than the call has now was not said about this one.
    if (!last || (last.edit ?? last.shown) !== input) return undefined
    return isSame(last, click)
  }

  /** Whether this very decision was recorded while it was on its way: what came after is of no account. */
  isOvertaken(click: Click): boolean {
    return this.#whileOpen(click).some((other) => isSame(other, click))
  }

  #whileOpen(click: Click): readonly Click[] {
    return this.#meanwhile.get(click) ?? []
  }
}

/** Whether a decision is the one that was recorded: reasons may differ, and words for one grant. */
function isSame(recorded: Click, click: Click): boolean {
  return (
    recorded.outcome === click.outcome &&
    editOf(recorded, recorded) === editOf(click, recorded) &&
    sameJson(grantOf(recorded, 0), grantOf(click, 0))
  )
}

/** The other input that was approved: what the call had when it was decided is none. */
export function editOf({ edit }: Click, { shown }: Click): number | undefined {
  return edit === shown ? undefined : edit
}

/** SHA-256 of the canonical JSON of tool and input; texts and whole numbers are canonical as they are. */
export function fingerprintOf(tool: string, input: unknown): string {
  return createHash('sha256')
    .update(`[${canonical(tool)},${canonical(input)}]`)
    .digest('hex')
}

export function sameJson(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other)
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${fields.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`
}

/** What a `yes_always` grants at a time, found out by hand. */
function grantOf({ outcome, sentScope }: Click, at: number): object | undefined {
  if (outcome !== 'yes_always') return undefined
  const said = { ...(sentScope as object | undefined) }
  const isUnsaid = Object.keys(said).length === 0
  return { covers: 'input', ...(isUnsaid && { until: at + 8 * 3_600_000 }), ...said }
}
