import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { scheduleFrame } from './frame.ts'

/** A browser's window with frames that pass by hand. */
function stubBrowser(visibilityState: 'visible' | 'hidden') {
  const frames = new Map<number, () => void>()
  let last = 0
  vi.stubGlobal('document', { visibilityState })
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => {
    frames.set(++last, callback)
    return last
  })
  vi.stubGlobal('cancelAnimationFrame', (frame: number) => void frames.delete(frame))
  return { pass: () => [...frames.values()].forEach((callback) => callback()) }
}

describe('a frame', () => {
  let published = 0
  const publish = () => void published++

  beforeEach(() => {
    published = 0
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it('is 16 ms where there are no frames', async () => {
    scheduleFrame(publish)
    await vi.advanceTimersByTimeAsync(15)
    expect(published).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(published).toBe(1)
  })

  it('is the next animation frame in a tab that is seen', async () => {
    const browser = stubBrowser('visible')
    scheduleFrame(publish)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(published).toBe(0)
    browser.pass()
    expect(published).toBe(1)
  })

  it('is 16 ms in a hidden tab, which has no frames', async () => {
    const browser = stubBrowser('hidden')
    scheduleFrame(publish)
    browser.pass()
    expect(published).toBe(0)
    await vi.advanceTimersByTimeAsync(16)
    expect(published).toBe(1)
  })

  it.each(['visible', 'hidden'] as const)('can be cancelled in a tab that is %s', async (state) => {
    const browser = stubBrowser(state)
    scheduleFrame(publish)()
    browser.pass()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(published).toBe(0)
  })
})
