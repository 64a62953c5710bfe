import { createMessageEngine } from '@assent/engine'
import { scriptedTransport } from '@assent/engine/testing'
import { expect, test } from 'vitest'
import { effectScope, watchSyncEffect } from 'vue'
import { bindEngine } from './engine-binding.ts'
import { manualFrames } from './testing/manual-frames.ts'

test('a token runs the readers of its message and of the whole again, no others', async () => {
  const frames = manualFrames()
  const transport = scriptedTransport()
  const held = transport.hold()
  const engine = createMessageEngine({
    messages: [{ id: 'a', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
    transport,
    scheduleFrame: frames.scheduleFrame,
  })
  const binding = bindEngine(engine, true)
  const runs = { slices: 0, state: 0, a: 0, answer: 0, nobody: 0 }
  const scope = effectScope()
  scope.run(() => {
    watchSyncEffect(() => void (binding.readSlices(), (runs.slices += 1)))
    watchSyncEffect(() => void (binding.readState(), (runs.state += 1)))
    watchSyncEffect(() => void (binding.readMessage('a'), (runs.a += 1)))
    watchSyncEffect(() => void (binding.readMessage('answer'), (runs.answer += 1)))
    watchSyncEffect(() => void (binding.readMessage('nobody'), (runs.nobody += 1)))
  })
  void engine.sendMessage('More')
  await held.push(
    { type: 'start', messageId: 'answer' },
    { type: 'start-step' },
    { type: 'text-start', id: 't' },
  )
  await frames.next()
  expect(engine.getMessage('answer')?.parts).toHaveLength(2)

  for (const key of ['slices', 'state', 'a', 'answer', 'nobody'] as const) runs[key] = 0
  await held.push({ type: 'text-delta', id: 't', delta: 'word' })
  await frames.next()
  expect(runs).toEqual({ slices: 0, state: 1, a: 0, answer: 1, nobody: 0 })

  await engine.abort()
  expect(runs.slices).toBeGreaterThan(0)
  expect(runs.a).toBe(0)

  binding.stop()
  scope.stop()
  engine.dispose()
})
