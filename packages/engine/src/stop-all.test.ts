import { describe, expect, it } from 'vitest'
import { callOf, guardedTools, pausedIn, waitingIds } from '../test/guarded-tools.ts'
import { createToolEngine } from '../test/tool-engine.ts'
import type { MessageEngineOptions } from './message-engine.ts'
import { deriveApprovalPolicies } from './plugins/tools/policies.ts'
import { defineStorage } from './storage/define-storage.ts'
import { memoryStorage } from './storage/memory-storage.ts'
import { answer, callTools } from './testing/index.ts'

/** An engine in which `write` is always allowed, at rest. */
async function allowed(
  script: NonNullable<Parameters<typeof createToolEngine>[0]>,
  more: Partial<MessageEngineOptions> = {},
  where: 'conversation' | 'everywhere' = 'conversation',
) {
  const { runs, options } = guardedTools()
  const first = [callTools(callOf('1')), answer('done')]
  const made = createToolEngine([...first, ...script], options, more)
  await made.engine.sendMessage('go')
  await made.resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool', where } })
  await made.completed()
  const statuses = () =>
    deriveApprovalPolicies(made.engine.getState().confirmations, { now: Date.now() }).map(
      ({ status }) => status,
    )
  const resumePolicies = (payload: { policyId?: string } = {}) =>
    made.engine.runPluginCommand('tool', 'resumePolicies', payload)
  return { ...made, runs, statuses, resumePolicies }
}

describe('stopAll', () => {
  it('aborts the open turn, holds the queue and suspends permissions, in one publication', async () => {
    const { engine, transport, statuses } = await allowed([])
    transport.hold()
    void engine.sendMessage('again')
    void engine.sendMessage('and again')
    const seen: string[] = []
    engine.subscribe(() => seen.push(`${engine.getState().requestState} ${statuses().join()}`))
    const stopped = engine.stopAll()
    expect(engine.getState()).toMatchObject({ requestState: 'aborted', queue: [{ held: true }] })
    expect(seen).toEqual(['aborted suspended'])
    await stopped
    expect(transport.requests).toHaveLength(2)
  })

  it('holds what is queued behind nothing, too, and can be called again', async () => {
    const { engine, statuses } = await allowed([])
    await engine.stopAll()
    const { confirmations } = engine.getState()
    await engine.stopAll()
    expect(engine.getState().confirmations).toBe(confirmations)
    expect(statuses()).toEqual(['suspended'])
  })

  it('lets a suspended permission approve nothing until a person lets it go on', async () => {
    const { engine, runs, completed, statuses, resumePolicies } = await allowed([
      callTools(callOf('2')),
      answer('ok'),
    ])
    await engine.stopAll()
    await engine.sendMessage('once more')
    expect(waitingIds(engine)).toEqual(['2'])
    expect(runs).toEqual(['write 1.txt'])
    const [record] = engine.getState().confirmations
    expect(await resumePolicies()).toEqual({ success: true, result: { policyIds: [record?.id] } })
    await completed()
    expect(runs).toEqual(['write 1.txt', 'write 2.txt'])
    expect(statuses()).toEqual(['standing'])
    expect(await resumePolicies()).toEqual({ success: true, result: { policyIds: [] } })
  })

  it('lets one permission go on alone', async () => {
    const { engine, statuses, resumePolicies, resume, completed } = await allowed([
      callTools(callOf('r', 'remove')),
      answer('ok'),
    ])
    void engine.sendMessage('again')
    await pausedIn(engine, 1)
    await resume({ toolCallId: 'r', outcome: 'yes_always', scope: { covers: 'input' } })
    await completed()
    await engine.stopAll()
    expect(statuses()).toEqual(['suspended', 'suspended'])
    await resumePolicies({ policyId: engine.getState().confirmations[0]?.id ?? '' })
    expect(statuses()).toEqual(['standing', 'suspended'])
  })

  it('leaves a permission that is given after it in force', async () => {
    const { engine, runs, resume, completed, statuses } = await allowed([
      callTools(callOf('2')),
      callTools(callOf('3')),
      answer('ok'),
    ])
    await engine.stopAll()
    await engine.sendMessage('once more')
    await resume({ toolCallId: '2', outcome: 'yes_always', scope: { covers: 'tool' } })
    await completed()
    expect(runs).toEqual(['write 1.txt', 'write 2.txt', 'write 3.txt'])
    expect(statuses()).toEqual(['suspended', 'standing'])
  })

  it('is stored when it resolves: permissions are suspended after a reload, too', async () => {
    const storage = defineStorage(memoryStorage())
    const { engine } = await allowed([], { id: 'chat', storage })
    await engine.stopAll()
    engine.dispose()
    const { runs, options } = guardedTools()
    const later = createToolEngine([callTools(callOf('2'))], options, { id: 'chat', storage })
    await later.engine.sendMessage('go on')
    expect(waitingIds(later.engine)).toEqual(['2'])
    expect(runs).toEqual([])
  })

  it('reaches other conversations with what is allowed everywhere', async () => {
    const disk = memoryStorage()
    const { engine } = await allowed([], { id: 'one', storage: defineStorage(disk) }, 'everywhere')
    await engine.stopAll()
    const { options } = guardedTools()
    const other = createToolEngine([callTools(callOf('2'))], options, {
      id: 'other',
      storage: defineStorage(disk),
    })
    await other.engine.sendMessage('go')
    expect(waitingIds(other.engine)).toEqual(['2'])
  })

  it('stops what is only being restored before any of it goes on', async () => {
    const disk = memoryStorage()
    const { runs, options } = guardedTools()
    const waiting = { id: 'waiting', storage: defineStorage(disk) }
    const first = createToolEngine([callTools(callOf('2'))], options, waiting)
    await first.engine.sendMessage('go')
    first.engine.dispose()
    await allowed([], { id: 'other', storage: defineStorage(disk) }, 'everywhere')
    const later = createToolEngine([answer('never')], options, waiting)
    await later.engine.stopAll()
    expect(later.engine.getState().requestState).toBe('aborted')
    expect(later.transport.requests).toEqual([])
    expect(runs).toEqual([])
  })

  it('refuses a payload of resumePolicies that names no permission', async () => {
    const { engine } = await allowed([])
    const resumed = engine.runPluginCommand('tool', 'resumePolicies', { policyId: 7 } as never)
    expect(await resumed).toMatchObject({ success: false, error: { code: 'invalid_argument' } })
  })
})
