import { isSettled, isToolCallPart } from '@assent/engine'
import type { UIMessage } from 'ai'
import type { AuditLog } from '../../src/audit/audit-log.ts'
import type { AuditedCall } from '../../src/audit/audited-call.ts'
import { fateOf, plannedSteps, UNASKED, type Fate } from './plans.ts'

/** A turn that is over: what its page shows of each call, by its key, and what the model was told. */
export interface OverTurn {
  readonly message: string
  readonly shown: ReadonlyMap<string, Fate>
  readonly told: string
}

/** What is known of the calls besides. */
export interface Evidence {
  /** How often something was done, by key. */
  readonly effects: ReadonlyMap<string, number>
  /** By the id of the call. */
  readonly audited: ReadonlyMap<string, AuditedCall>
  readonly decide: (toolCallId: string) => 'yes' | 'no'
}

/** Looks at the turn that has just ended. */
export function overTurn(message: string, messages: readonly UIMessage[]): OverTurn {
  const calls = messages.flatMap(({ parts }) => parts.filter(isToolCallPart))
  const shown = plannedSteps(message)
    .flat()
    .map(({ toolCallId, key }): [string, Fate] => {
      const [part, ...others] = calls.filter((call) => call.toolCallId === toolCallId)
      const isOnce = part !== undefined && others.length === 0 && isSettled(part)
      if (!isOnce) return [key, `odd: ${others.length} more of ${JSON.stringify(part)}`]
      if (part.state === 'output-denied') return [key, 'denied']
      return [key, fateOf(part.output ?? part.errorText, key)]
    })
  const told = (messages.at(-1)?.parts ?? [])
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('')
  return { message, shown: new Map(shown), told }
}

/** All calls of the audit, by their ids: each has one of its own here. */
export async function auditedCalls(audit: AuditLog): Promise<Map<string, AuditedCall>> {
  const calls = new Map<string, AuditedCall>()
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const page = await audit.calls({ before, limit: 1_000 })
    for (const call of page) {
      if (calls.has(call.toolCallId)) throw new Error(`${call.toolCallId} is noted as two calls.`)
      calls.set(call.toolCallId, call)
    }
    const last = page.at(-1)
    if (!last) return calls
    before = last.seq
  }
}

/** What is wrong with a turn that is over. */
export function wrongWith(
  { message, shown, told }: OverTurn,
  { effects, audited, decide }: Evidence,
): string[] {
  const wrong: string[] = []
  const expected = `Told: ${JSON.stringify([...shown])}`
  if (told !== expected) wrong.push(`${message}: the page shows ${expected}, the model: ${told}`)
  for (const { toolCallId, toolName, key } of plannedSteps(message).flat()) {
    const fate = shown.get(key)
    const count = effects.get(key) ?? 0
    const call = audited.get(toolCallId)
    const hold = (what: string, isHeld: boolean) => {
      if (!isHeld) wrong.push(`${what}: ${JSON.stringify({ key, fate, count, call })}`)
    }
    const isDenied = !UNASKED.has(toolName) && decide(toolCallId) === 'no'
    hold('it was done twice', count <= 1)
    hold('it is not known what became of it', fate !== undefined && !fate.startsWith('odd'))
    // That it was asked about, and denied, may be noted.
    const isNotedSo = call === undefined || call.outcome === 'denied'
    hold('a denial was not kept', isDenied === (fate === 'denied') && (!isDenied || isNotedSo))
    // Nobody decides that but the person.
    hold('an approval was lost', fate !== 'not run')
    hold('it was not done', fate !== 'done' || (count === 1 && call?.status === 'done'))
    hold('it was done', (fate !== 'denied' && fate !== 'not run') || count === 0)
    hold('its run is not noted', count === 0 || call?.startedAt !== undefined)
    hold('it was started twice', call === undefined || call.attempts <= 1)
    hold('its end is not noted', !call || call.status === 'done' || call.status === 'failed')
  }
  return wrong
}
