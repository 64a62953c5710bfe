import { describe, expect, it, vi } from 'vitest'
import { fakeBrowser, soon } from '../../test/sharing/fake-browser.ts'
import type { EngineError } from '../errors.ts'
import { defineStorage } from '../storage/define-storage.ts'
import { memoryStorage } from '../storage/memory-storage.ts'
import { answer, scriptedTransport } from '../testing/index.ts'
import { createSharedEngine } from './create-shared-engine.ts'
import type { LockManagerLike } from './environment.ts'

const storage = () => defineStorage(memoryStorage())
const { locks, channel } = fakeBrowser(soon).open()

describe('where nothing is there to share by', () => {
  it.each([
    ['locks and channels', {}],
    ['channels', { locks }],
    ['locks', { channel }],
  ])('without %s it is a plain engine, and says so once', async (_what, environment) => {
    const errors: EngineError[] = []
    const transport = scriptedTransport([answer('yes')])
    const engine = createSharedEngine({
      id: 'chat',
      transport,
      storage: storage(),
      onError: (error) => errors.push(error),
      ...environment,
    })
    expect(await engine.sendMessage('hello')).toMatchObject({ requestState: 'completed' })
    expect(engine.role()).toBe('holder')
    expect(errors.map(({ code }) => code)).toEqual(['sharing_unavailable'])
    engine.dispose()
  })

  it('does not take the locks of a server, which are those of all its users', () => {
    const report = vi.fn<(error: EngineError) => void>()
    expect(typeof navigator.locks.request).toBe('function')
    createSharedEngine({
      id: 'chat',
      transport: scriptedTransport(),
      storage: storage(),
      onError: report,
    }).dispose()
    expect(report).toHaveBeenCalledOnce()
  })

  it('goes on without a lock that cannot be asked for, and says so', async () => {
    const errors: EngineError[] = []
    const refusing: LockManagerLike = {
      request: () => Promise.reject(new DOMException('Not here.', 'SecurityError')),
    }
    const engine = createSharedEngine({
      id: 'chat',
      transport: scriptedTransport([answer('yes')]),
      storage: storage(),
      locks: refusing,
      channel,
      onError: (error) => errors.push(error),
    })
    expect(await engine.sendMessage('hello')).toMatchObject({ requestState: 'completed' })
    expect(engine.role()).toBe('holder')
    expect(errors.map(({ code }) => code)).toEqual(['sharing_unavailable'])
    engine.dispose()
  })

  it.each([
    ['an id', { id: '', storage: storage() }],
    ['a transport', { id: 'chat', storage: storage(), transport: {} as never }],
    ['steps', { id: 'chat', storage: storage(), maxSteps: 0 }],
    ['a storage', { id: 'chat', storage: undefined as never }],
  ])('throws at once without %s', (_what, options) => {
    const transport = scriptedTransport()
    expect(() => createSharedEngine({ transport, locks, channel, ...options })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  })
})
