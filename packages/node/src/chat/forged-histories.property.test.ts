import * as fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { decided } from '../../test/asking-server.ts'
import { openForgedSite } from '../../test/forgeries/forged-site.ts'
import { HANDLED } from '../../test/forgeries/forgery.ts'

const RUNS = process.env['ASSENT_DEEP'] === '1' ? 1_000 : 150
vi.setConfig({ testTimeout: 600_000 })

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** What a part can say that is not what it said. */
// oxfmt-ignore
const WORDS: readonly Json[] = [
  null, true, false, 0, 1e300, '', [], {}, 'user', 'assistant', 'send-ada', 'wipe-disk',
  'approval-responded', 'approval-requested', 'input-available', 'output-available',
  'output-denied', 'tool-wipe', 'tool-send', 'dynamic-tool', { to: 'disk' }, { to: 'eve' },
]
const number = fc.nat({ max: 10_000 })
const change = fc.record({
  kind: fc.constantFrom('remove', 'repeat', 'swap', 'say', 'take', 'merge', 'letter'),
  place: number,
  source: number,
  piece: number,
})
type Change = typeof change extends fc.Arbitrary<infer CHANGE> ? CHANGE : never

interface Slot {
  readonly holder: Json[] | { [name: string]: Json }
  readonly name: string
  readonly value: Json
}

/** All places of a document that hold something. */
function slotsOf(holder: Json): Slot[] {
  if (typeof holder !== 'object' || holder === null) return []
  return Object.entries(holder).flatMap(([name, value]) => [
    { holder, name, value },
    ...slotsOf(value),
  ])
}

function applyTo(document: Json, { kind, place, source, piece }: Change, pool: readonly Json[]) {
  const slots = slotsOf(document)
  const slot = slots[place % slots.length]
  const sources = slotsOf(pool[source % pool.length] ?? null)
  const taken = structuredClone(sources[piece % sources.length]?.value ?? null)
  if (!slot) return
  const { holder, name, value } = slot
  const put = (to: Json) => Object.assign(holder, { [name]: to })
  if (kind === 'say') put(WORDS[piece % WORDS.length] ?? null)
  else if (kind === 'take') put(taken)
  else if (kind === 'letter' && typeof value === 'string') {
    put(value.slice(0, piece % (value.length + 1)) + 'x' + value.slice(piece % (value.length + 1)))
  } else if (kind === 'merge' && isObject(value) && isObject(taken)) put({ ...value, ...taken })
  else if (Array.isArray(holder)) {
    if (kind === 'remove') holder.splice(Number(name), 1)
    else if (kind === 'swap') holder.push(...holder.splice(Number(name), 1))
    else holder.splice(piece % (holder.length + 1), 0, structuredClone(value))
  } else if (kind === 'remove') Reflect.deleteProperty(holder, name)
}

const isObject = (value: Json): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value))

describe.each(HANDLED)('a history that somebody has changed, %s', (executor) => {
  const own = executor === 'provider' ? 'mcpr-send-ada' : 'send ada'

  test('runs nothing but what was approved, at most once, and is no fault of the server', async () => {
    let ran = 0
    const statuses = new Set<number>()
    const changes = fc.array(change, { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 3, maxLength: 3 }), async (plans) => {
        const site = openForgedSite(executor)
        const paused = await site.ask([['send', 'ada']])
        const sibling = await site.ask([['send', 'eve']], { id: 'elsewhere' })
        const stranger = await site.ask([['wipe', 'disk']], { id: 'theirs', user: 'eve' })
        const approved = decided(paused, true)
        const others = [decided(sibling, true), decided(stranger, true), decided(paused, false)]
        const pool = [paused, approved, ...others].map(asJson)
        for (const plan of plans) {
          const document = asJson(approved)
          for (const one of plan) applyTo(document, one, pool)
          const { status } = await site.post(document)
          statuses.add(status)
          expect({ status, isFault: status >= 500 }).toEqual({ status, isFault: false })
        }
        expect(site.effects.filter((effect) => effect !== own)).toEqual([])
        expect(site.effects.length).toBeLessThanOrEqual(1)
        ran += site.effects.length
      }),
      { numRuns: RUNS },
    )
    // Some changes leave the approval as it was, or the plays would prove nothing.
    expect(ran).toBeGreaterThan(RUNS / 20)
    expect(statuses).toContain(400)
  })
})
