import { describe, expect, it } from 'vitest'
import { callOf, guardedTools, pausedIn, saved, waitingIds } from '../../../test/guarded-tools.ts'
import { createToolEngine } from '../../../test/tool-engine.ts'
import { answer, callTools } from '../../testing/index.ts'

/** An engine with a clock to set, and an always that ends at 2,000. */
async function allowedUntil2000() {
  const clock = { now: 1_000 }
  const { options, runs } = guardedTools()
  const made = createToolEngine([callTools(callOf('1')), answer('ok')], options, {
    now: () => clock.now,
  })
  await made.engine.sendMessage('go')
  await made.resume({
    toolCallId: '1',
    outcome: 'yes_always',
    scope: { covers: 'tool', until: 2_000 },
  })
  await made.completed()
  const asksAbout = async (id: string) => {
    made.transport.add(callTools(callOf(id)))
    await made.engine.sendMessage('again')
    await pausedIn(made.engine, 1)
    expect(waitingIds(made.engine)).toEqual([id])
    await made.engine.abort()
  }
  const events = () =>
    made.engine.getState().confirmations.flatMap((one) => ('event' in one ? [one.event] : []))
  return { ...made, clock, runs, options, asksAbout, events }
}

describe('a permission whose end has come', () => {
  it('does not hold again when the clock goes back, and its end is noted once', async () => {
    const { clock, asksAbout, events, runs } = await allowedUntil2000()
    clock.now = 2_000
    await asksAbout('2')
    clock.now = 1_500
    await asksAbout('3')
    await asksAbout('4')
    expect(events()).toEqual(['expired'])
    expect(runs).toEqual(['write 1.txt'])
  })

  it('is noted by a turn without any call, too', async () => {
    const { clock, asksAbout, events, engine, transport } = await allowedUntil2000()
    clock.now = 2_000
    transport.add(answer('hello'))
    await engine.sendMessage('hi')
    expect(events()).toEqual(['expired'])
    clock.now = 1_500
    await asksAbout('2')
  })

  it('does not hold again after a reload with another clock', async () => {
    const { clock, asksAbout, engine, options } = await allowedUntil2000()
    clock.now = 2_000
    await asksAbout('2')
    const { messages, confirmations } = saved(engine.getState())
    const reloaded = createToolEngine([callTools(callOf('3'))], options, {
      messages,
      confirmations,
      now: () => 1_500,
    })
    await reloaded.engine.sendMessage('again')
    expect(waitingIds(reloaded.engine)).toEqual(['3'])
  })

  it('does not hold while the clock says no time, and holds again when it does', async () => {
    const { clock, asksAbout, events, runs, engine, transport } = await allowedUntil2000()
    clock.now = Number.NaN
    await asksAbout('2')
    expect(events()).toEqual([])
    clock.now = 1_500
    transport.add(callTools(callOf('3')), answer('ok'))
    await engine.sendMessage('again')
    expect(runs).toEqual(['write 1.txt', 'write 3.txt'])
    expect(events()).toEqual(['used'])
  })

  it('is recorded with a time that can be stored, also when the clock says none', async () => {
    const { options } = guardedTools()
    const { engine, resume, completed } = createToolEngine(
      [callTools(callOf('1')), answer('ok')],
      options,
      { now: () => Number.NaN },
    )
    await engine.sendMessage('go')
    await resume({ toolCallId: '1' })
    await completed()
    const [record] = saved(engine.getState().confirmations)
    expect(record?.at).toEqual(expect.any(Number))
  })
})
