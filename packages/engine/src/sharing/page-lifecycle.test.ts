import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeBrowser, soon, type FakeBrowser } from '../../test/sharing/fake-browser.ts'
import { openTab } from '../../test/sharing/open-tab.ts'
import { textOf } from '../message/message-input.ts'
import { memoryStorage } from '../storage/memory-storage.ts'
import { answer, untilState } from '../testing/index.ts'

afterEach(() => vi.unstubAllGlobals())

describe('a page that may stop to run', () => {
  /** A page of the browser: its document and window, and how to tell it what becomes of it. */
  function page(browser: FakeBrowser) {
    const document = new EventTarget()
    const window = new EventTarget()
    vi.stubGlobal('document', document)
    vi.stubGlobal('addEventListener', window.addEventListener.bind(window))
    const made = openTab({ browser, disk, effects: [] }, [answer('yes')])
    vi.unstubAllGlobals()
    const tell = (target: EventTarget, type: string, persisted = false) =>
      target.dispatchEvent(Object.assign(new Event(type), { persisted }))
    return {
      ...made,
      freeze: () => tell(document, 'freeze'),
      resume: () => tell(document, 'resume'),
      hide: (persisted: boolean) => tell(window, 'pagehide', persisted),
      show: () => tell(window, 'pageshow', true),
    }
  }
  const disk = memoryStorage()
  const isHolder = ({ engine }: { engine: { role(): string } }) => engine.role() === 'holder'

  it('gives the conversation up when it is frozen and others are there, and mirrors them later', async () => {
    const browser = fakeBrowser(soon)
    const one = page(browser)
    await one.engine.ready
    one.freeze()
    expect(isHolder(one)).toBe(true)
    const two = page(browser)
    await two.engine.ready
    expect(isHolder(two)).toBe(false)
    one.freeze()
    expect(isHolder(one)).toBe(false)
    await two.until(() => isHolder(two))
    await two.engine.sendMessage('hello')
    expect(one.engine.getState().messages).toEqual([])
    one.resume()
    await untilState(one.engine, ({ messages }) => messages.length === 2)
    expect([isHolder(one), isHolder(two)]).toEqual([false, true])
    expect(one.engine.getState()).toEqual(two.engine.getState())
    one.engine.dispose()
    two.engine.dispose()
  })

  it('as a mirror does not wait for the lock while it is frozen', async () => {
    const browser = fakeBrowser(soon)
    const one = page(browser)
    await one.engine.ready
    const two = page(browser)
    await two.engine.ready
    const three = page(browser)
    await three.engine.ready
    two.freeze()
    one.tab.kill()
    await three.until(() => isHolder(three))
    two.resume()
    await two.until(() => two.engine.role() === 'mirror')
    three.engine.dispose()
    await two.until(() => isHolder(two))
    expect(isHolder(three)).toBe(false)
    two.engine.dispose()
  })

  it('gives it up when it goes into the back/forward cache, also when it is alone', async () => {
    const browser = fakeBrowser(soon)
    const one = page(browser)
    await one.engine.ready
    one.hide(true)
    expect(isHolder(one)).toBe(false)
    const two = page(browser)
    await two.until(() => isHolder(two))
    one.show()
    two.engine.dispose()
    await one.until(() => isHolder(one))
    one.engine.dispose()
  })

  it('says goodbye when it is closed, so that nobody is shown anything any more', async () => {
    const browser = fakeBrowser(soon)
    const one = page(browser)
    await one.engine.ready
    const two = page(browser)
    await two.engine.ready
    two.hide(false)
    do await soon('')
    while (browser.underWay > 0)
    const before = one.tab.posted.length
    await one.engine.sendMessage('hello')
    expect(one.tab.posted).toHaveLength(before)
    one.engine.dispose()
  })
})

describe('a holder whose page is hidden', () => {
  const frames: (() => void)[] = []

  /** A page that can be hidden, without timers or frames that come by themselves. */
  function hideablePage() {
    const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
    vi.stubGlobal('document', document)
    vi.stubGlobal('addEventListener', () => undefined)
    vi.stubGlobal('requestAnimationFrame', (publish: () => void) => frames.push(publish))
    vi.stubGlobal('cancelAnimationFrame', () => undefined)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    return (visibilityState: 'visible' | 'hidden') => {
      document.visibilityState = visibilityState
      document.dispatchEvent(new Event('visibilitychange'))
    }
  }

  afterEach(() => {
    vi.useRealTimers()
    frames.length = 0
  })

  it('shows its mirrors a stream as it comes, also one that began when it was seen', async () => {
    const see = hideablePage()
    const browser = fakeBrowser(soon)
    const world = { browser, disk: memoryStorage(), effects: [] }
    const holder = openTab(world)
    await holder.engine.ready
    const mirror = openTab(world)
    await mirror.engine.ready
    const shown = () => mirror.engine.getState().messages.map(textOf).at(-1)
    const stream = holder.transport.hold()
    void holder.engine.sendMessage('hello')
    await stream.push(
      { type: 'start' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'a' },
    )
    expect(frames).not.toHaveLength(0)
    see('hidden')
    while (shown() !== 'a') await soon('')
    await stream.push({ type: 'text-delta', id: 't', delta: 'b' })
    while (shown() !== 'ab') await soon('')
    expect(shown()).toBe('ab')
    holder.engine.dispose()
    mirror.engine.dispose()
  })
})
