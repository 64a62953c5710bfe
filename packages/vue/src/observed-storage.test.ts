import { memoryStorage } from '@assent/engine/storage'
import { expect, test, vi } from 'vitest'
import { observeStorage } from './observed-storage.ts'

test('passes on what a store sees of other processes', () => {
  const stop = vi.fn()
  const watch = vi.fn(() => stop)
  const { storage } = observeStorage({ ...memoryStorage(), watch })
  const onChange = () => {}
  storage.watch?.('everywhere', onChange)()
  expect(watch).toHaveBeenCalledExactlyOnceWith('everywhere', onChange)
  expect(stop).toHaveBeenCalledOnce()
})

test('watches nothing where the store does not', () => {
  expect(observeStorage(memoryStorage()).storage.watch).toBeUndefined()
})

test('says what failed until it works again, and fails as the store does', async () => {
  const disk = memoryStorage()
  let isFull = true
  const { storage, failures } = observeStorage({
    ...disk,
    write: async (...call) => {
      if (isFull) throw new Error('The disk is full.')
      return disk.write(...call)
    },
  })
  const put = new Map([['key', 1]])
  await expect(storage.write('chat', { put })).rejects.toThrow('The disk is full.')
  expect([...failures.value.values()]).toMatchObject([{ code: 'storage_failed', retryable: true }])
  isFull = false
  await storage.write('chat', { put })
  expect(failures.value.size).toBe(0)
})
