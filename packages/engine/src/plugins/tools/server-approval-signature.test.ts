import type { UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { connect, serve } from '../../../test/guarded-client.ts'
import { pausedIn, waitingIds } from '../../../test/guarded-tools.ts'

const deploy = (id: string, to = 'eu') => [id, 'deploy', { to }] as const

describe('the signature of a request', () => {
  it('is sent back as it came, and is accepted, also after a reload from plain messages', async () => {
    const server = await serve({ steps: [[deploy('1'), deploy('2', 'us')], 'Deployed.'] })
    const first = connect(server)
    await first.engine.sendMessage('go')
    await first.resume({ toolCallId: '2' })
    const messages: UIMessage[] = JSON.parse(JSON.stringify(first.engine.getState().messages))
    first.engine.dispose()

    const { engine, resume, completed, calls } = connect(server, {}, { messages })
    expect(engine.getState().requestState).toBe('paused')
    await resume({ toolCallId: '1' })
    await completed()
    for (const [index, id] of ['1', '2'].entries()) {
      const signature = server.signatureOf(id)
      expect(signature).toMatch(/^\S{20,}$/)
      expect(server.sentCalls(2)[index]?.approval?.signature).toBe(signature)
      expect(server.bodies[1]).toContain(JSON.stringify(signature))
      expect(calls()[index]).toMatchObject({ state: 'output-available', approval: { signature } })
    }
    expect(server.effects).toEqual(['deploy eu', 'deploy us'])
  })
})

describe('a policy', () => {
  it('answers a later request of the server by itself, natively, with its signature', async () => {
    const server = await serve({ steps: [[deploy('1')], [deploy('2', 'us')], 'Both.'] })
    const { engine, resume, completed, calls } = connect(server)
    await engine.sendMessage('go')
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } })
    await completed()
    const [always, used] = engine.getState().confirmations
    expect(used).toMatchObject({ event: 'used', policyId: always?.id, toolCallId: '2' })
    expect(server.sentCalls(3)[1]).toMatchObject({
      state: 'approval-responded',
      approval: {
        approved: true,
        isAutomatic: true,
        reason: `Always allowed: confirmation ${always?.id}.`,
        signature: server.signatureOf('2'),
      },
    })
    expect(server.effects).toEqual(['deploy eu', 'deploy us'])
    expect(calls()[1]).toMatchObject({
      state: 'output-available',
      toolMetadata: { assent: { decidedBy: 'policy', confirmationId: always?.id } },
    })
    const states = engine.getState().confirmations.map((one) => 'outcome' in one)
    expect(states).toEqual([true, false])
  })

  it('that is revoked before its answer is sent asks again, and then the yes is accepted', async () => {
    const server = await serve({
      steps: [[deploy('1')], [deploy('2'), deploy('3', 'us')], 'All.'],
    })
    const { engine, resume, completed, calls } = connect(server)
    await engine.sendMessage('go')
    const covers = { '/to': { oneOf: ['eu'] } }
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers } })
    await pausedIn(engine, 2)
    expect(calls()[1]).toMatchObject({ state: 'approval-responded' })
    const policyId = engine.getState().confirmations[0]!.id
    expect(await engine.runPluginCommand('tool', 'revokePolicy', { policyId })).toMatchObject({
      result: { policyId, asked: [{ toolCallId: '2' }] },
    })
    await resume({ toolCallId: '3' })
    expect(engine.getState().requestState).toBe('paused')
    expect(server.bodies).toHaveLength(2)
    await resume({ toolCallId: '2', outcome: 'yes' })
    await completed()
    const approval = server.sentCalls(3)[1]?.approval
    expect(approval).toMatchObject({ approved: true, signature: server.signatureOf('2') })
    expect(approval).not.toHaveProperty('isAutomatic')
    expect(server.effects).toEqual(['deploy eu', 'deploy eu', 'deploy us'])
  })

  it('for a call that the server says to destroy covers its exact input alone', async () => {
    const server = await serve({
      steps: [[deploy('1')], [deploy('2'), deploy('3', 'us')], 'Two of three.'],
      descriptor: { risk: 'destroy' },
    })
    const { engine, resume, completed } = connect(server)
    await engine.sendMessage('go')
    expect(
      await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'tool' } }),
    ).toMatchObject({
      error: { code: 'scope_refused' },
    })
    await resume({ toolCallId: '1', outcome: 'yes_always', scope: { covers: 'input' } })
    await pausedIn(engine, 2)
    expect(waitingIds(engine)).toEqual(['3'])
    await resume({ toolCallId: '3', outcome: 'no' })
    await completed()
    expect(server.effects).toEqual(['deploy eu', 'deploy eu'])
  })
})
