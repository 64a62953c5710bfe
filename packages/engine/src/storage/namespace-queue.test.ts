import { describe, expect, it } from 'vitest'
import { createNamespaceQueue, queueOf } from './namespace-queue.ts'

describe('createNamespaceQueue', () => {
  it('runs tasks of a namespace one by one, and others meanwhile', async () => {
    const queue = createNamespaceQueue()
    const log: string[] = []
    const gate = Promise.withResolvers<void>()
    const first = queue.run('a', async () => {
      log.push('a1 begins')
      await gate.promise
      log.push('a1 ends')
      return 1
    })
    const second = queue.run('a', async () => log.push('a2'))
    await queue.run('b', async () => log.push('b1'))
    expect(log).toEqual(['a1 begins', 'b1'])
    gate.resolve()
    expect(await first).toBe(1)
    await second
    expect(log).toEqual(['a1 begins', 'b1', 'a1 ends', 'a2'])
  })

  it('goes on after a task that failed, and settles', async () => {
    const queue = createNamespaceQueue()
    const failed = queue.run('a', () => Promise.reject(new Error('no')))
    const next = queue.run('a', async () => 'yes')
    await queue.settled()
    await expect(failed).rejects.toThrow('no')
    await expect(next).resolves.toBe('yes')
  })

  it('starts at once when nothing runs', async () => {
    const queue = createNamespaceQueue()
    await queue.run('a', async () => {})
    await queue.settled()
    let began = false
    const run = queue.run('a', async () => {
      began = true
    })
    expect(began).toBe(true)
    await run
  })

  it('is one for everybody who uses the same backend', () => {
    const backend = {}
    expect(queueOf(backend)).toBe(queueOf(backend))
    expect(queueOf({})).not.toBe(queueOf(backend))
  })
})
