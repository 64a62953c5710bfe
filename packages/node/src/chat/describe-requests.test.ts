import type { UIMessageChunk } from 'ai'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { describeRequests, type CallWords } from './describe-requests.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const chunks: UIMessageChunk[] = [
  { type: 'tool-input-available', toolCallId: '1', toolName: 'send', input: { to: 'ada' } },
  { type: 'tool-approval-request', toolCallId: '1', approvalId: 'a' },
]

/** The descriptor of the one request of a stream. */
async function descriptorWith(
  previewCall: () => unknown,
  errors: unknown[],
  words: CallWords = {},
): Promise<unknown> {
  const described = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  }).pipeThrough(
    describeRequests({
      maxAgeMs: 1,
      hasLedger: () => false,
      previewCall,
      optionsOf: () => words,
      onError: (error) => errors.push(error),
    }),
  )
  let descriptor: unknown
  for await (const chunk of described) {
    if (chunk.type === 'tool-approval-request') descriptor = chunk.approvalDescriptor
  }
  return descriptor
}

test('a preview that takes too long does not stand between a call and its question', async () => {
  const errors: unknown[] = []
  const descriptor = descriptorWith(() => new Promise(() => {}), errors)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await descriptor).toEqual({})
  expect(errors).toMatchObject([{ message: 'The preview of send took more than 5000 ms.' }])
})

test('a preview that is there leaves no timer behind', async () => {
  const errors: unknown[] = []
  expect(await descriptorWith(() => ({ text: 'so' }), errors)).toEqual({ preview: { text: 'so' } })
  expect(vi.getTimerCount()).toBe(0)
  expect(errors).toEqual([])
})

test('a call that was tried meanwhile is asked about with the risk that was seen', async () => {
  let seen: 'write' | 'destroy' = 'write'
  const tried = async () => {
    await Promise.resolve()
    seen = 'destroy'
  }
  expect(await descriptorWith(tried, [], { risk: () => seen })).toEqual({ risk: 'destroy' })
})
