import { answer } from '@assent/engine/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h, nextTick } from 'vue'
import { calls, frames, useApprovalChat, type ApprovalChat } from '../../test/approval-chat.ts'
import AsChat from '../chat/AsChat.vue'
import '../style/index.css'
import { useAttention, type Attention, type AttentionOptions } from './index.ts'

let visibility: DocumentVisibilityState = 'visible'

/** The person goes to another tab, or comes back. */
async function look(away: boolean): Promise<void> {
  visibility = away ? 'hidden' : 'visible'
  document.dispatchEvent(new Event('visibilitychange'))
  await nextTick()
}

beforeEach(() => {
  visibility = 'visible'
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visibility)
  document.title = 'My app'
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  for (const link of document.head.querySelectorAll('link[rel~="icon"]')) link.remove()
})

/** A conversation whose page draws attention to it. */
async function converse(
  options: boolean | AttentionOptions,
  script = [calls('write:a', 'write:b'), answer('Done.')],
): Promise<ApprovalChat & { attention: Attention; unmount: () => void }> {
  const made: (ApprovalChat & { attention: Attention })[] = []
  const Page = defineComponent(() => {
    const scene = useApprovalChat(script)
    made.push({ ...scene, attention: useAttention(() => scene.chat, options) })
    return () => h('p', 'Page')
  })
  const { unmount } = await render(Page)
  const [scene] = made
  if (!scene) throw new Error('The conversation was not made.')
  return { ...scene, unmount }
}

const decide = ({ chat }: ApprovalChat, toolCallId: string) =>
  chat.runPluginCommand('tool', 'resumeToolCall', { toolCallId })

describe('the title', () => {
  test('counts what waits while nobody looks, and is as before when that is decided', async () => {
    const scene = await converse(true)
    await look(true)
    await scene.chat.sendMessage('Go')
    await expect.poll(() => document.title).toBe('(2) My app')
    await decide(scene, 'write:a')
    await expect.poll(() => document.title).toBe('(1) My app')
    await decide(scene, 'write:b')
    await expect.poll(() => document.title).toBe('My app')
  })

  test('is left alone while the page is looked at, and on return', async () => {
    const { chat } = await converse(true)
    await chat.sendMessage('Go')
    await frames(10)
    expect(document.title).toBe('My app')
    await look(true)
    await expect.poll(() => document.title).toBe('(2) My app')
    await look(false)
    await expect.poll(() => document.title).toBe('My app')
  })

  test('keeps one that the app gives the page meanwhile', async () => {
    const { chat } = await converse(true)
    await look(true)
    await chat.sendMessage('Go')
    await expect.poll(() => document.title).toBe('(2) My app')
    document.title = 'Another page'
    await expect.poll(() => document.title).toBe('(2) Another page')
    await look(false)
    await expect.poll(() => document.title).toBe('Another page')
  })

  test('is as before when the conversation goes', async () => {
    const { chat, unmount } = await converse(true)
    await look(true)
    await chat.sendMessage('Go')
    await expect.poll(() => document.title).toBe('(2) My app')
    unmount()
    await expect.poll(() => document.title).toBe('My app')
  })

  test('counts all conversations of the page together', async () => {
    const first = await converse(true)
    const second = await converse(true, [calls('write:x'), answer('Done.')])
    await look(true)
    await first.chat.sendMessage('Go')
    await second.chat.sendMessage('Go')
    await expect.poll(() => document.title).toBe('(3) My app')
    second.unmount()
    await expect.poll(() => document.title).toBe('(2) My app')
    first.unmount()
    await expect.poll(() => document.title).toBe('My app')
  })

  test('tells of the end of a turn only on wish', async () => {
    const quiet = await converse(true, [answer('Done.')])
    const wished = await converse({ turnEnd: true }, [answer('Done.'), answer('Again.')])
    await wished.chat.sendMessage('Go')
    await look(true)
    await quiet.chat.sendMessage('Go')
    await frames(10)
    expect(document.title).toBe('My app')
    await wished.chat.sendMessage('Go on')
    await expect.poll(() => document.title).toBe('✓ My app')
    await look(false)
    await expect.poll(() => document.title).toBe('My app')
  })

  test('is left alone where nothing is wished for', async () => {
    const { chat } = await converse(false)
    await look(true)
    await chat.sendMessage('Go')
    await frames(10)
    expect(document.title).toBe('My app')
  })
})

describe('the icon', () => {
  const icon = () => document.head.querySelector<HTMLLinkElement>('link[rel~="icon"]')
  const square =
    'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="green"/></svg>'

  /** The colours of an icon in the middle and where the dot is. */
  async function colours(): Promise<number[][]> {
    const image = new Image()
    image.src = icon()?.href ?? ''
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.naturalWidth
    canvas.height = image.naturalHeight
    const context = canvas.getContext('2d')!
    context.drawImage(image, 0, 0)
    const at = (share: number) =>
      Array.from(
        context.getImageData(canvas.width * share, canvas.height * share, 1, 1).data.slice(0, 3),
      )
    return [at(0.25), at(0.72)]
  }

  test('has a dot on it while something waits, and is the same again afterwards', async () => {
    const link = document.head.appendChild(document.createElement('link'))
    link.rel = 'icon'
    link.setAttribute('href', square)
    const touch = document.head.appendChild(document.createElement('link'))
    touch.rel = 'apple-touch-icon'
    touch.setAttribute('href', square)
    const scene = await converse({ favicon: true })
    await look(true)
    await scene.chat.sendMessage('Go')
    await expect.poll(() => icon()?.href).toMatch(/^data:image\/png/)
    expect(await colours()).toEqual([
      [0, 128, 0],
      [0x2c, 0x55, 0xd8],
    ])
    expect(touch.getAttribute('href')).toBe(square)
    await look(false)
    await expect.poll(() => icon()?.getAttribute('href')).toBe(square)
    touch.remove()
  })

  test('is made where there is none, and taken away again', async () => {
    const scene = await converse({ favicon: true })
    await look(true)
    await scene.chat.sendMessage('Go')
    await expect.poll(() => icon()?.href).toMatch(/^data:image\/png/)
    await decide(scene, 'write:a')
    await decide(scene, 'write:b')
    await expect.poll(() => icon()).toBeNull()
  })
})

describe('a notification', () => {
  const sent: FakeNotification[] = []

  class FakeNotification extends EventTarget {
    static permission: NotificationPermission = 'default'
    static requestPermission = vi.fn<() => Promise<NotificationPermission>>(async () => {
      FakeNotification.permission = 'granted'
      return 'granted'
    })
    isClosed = false
    onclick: (() => void) | null = null
    readonly title: string
    readonly body: string
    constructor(title: string, { body = '' }: NotificationOptions = {}) {
      super()
      this.title = title
      this.body = body
      sent.push(this)
    }
    close(): void {
      this.isClosed = true
    }
  }

  beforeEach(() => {
    sent.length = 0
    FakeNotification.permission = 'default'
    FakeNotification.requestPermission.mockClear()
    vi.stubGlobal('Notification', FakeNotification)
  })

  test('is never asked for by itself, and not sent without permission', async () => {
    const { chat, attention } = await converse({ notification: true })
    expect(attention.canAsk.value).toBe(true)
    await look(true)
    await chat.sendMessage('Go')
    await expect.poll(() => document.title).toBe('(2) My app')
    expect(FakeNotification.requestPermission).not.toHaveBeenCalled()
    expect(sent).toEqual([])
  })

  test('says what waits, once it is allowed, and goes when that is decided', async () => {
    const scene = await converse({ notification: true })
    expect(await scene.attention.askPermission()).toBe(true)
    expect(scene.attention.canAsk.value).toBe(false)
    await look(true)
    await scene.chat.sendMessage('Go')
    await expect.poll(() => sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({
      title: '2 actions need you',
      body: 'Write a\nWrite b',
      isClosed: false,
    })
    const focus = vi.spyOn(window, 'focus').mockImplementation(() => {})
    sent[0]?.onclick?.()
    expect(focus).toHaveBeenCalledOnce()
    await decide(scene, 'write:a')
    await decide(scene, 'write:b')
    await expect.poll(() => sent[0]?.isClosed).toBe(true)
    expect(sent).toHaveLength(1)
  })

  test('is taken back when the person returns', async () => {
    const scene = await converse({ notification: true })
    await scene.attention.askPermission()
    await look(true)
    await scene.chat.sendMessage('Go')
    await expect.poll(() => sent).toHaveLength(1)
    await look(false)
    await expect.poll(() => sent[0]?.isClosed).toBe(true)
  })

  test('is offered in the tray of a chat that wishes for it, and asked for by a click', async () => {
    const made: ApprovalChat[] = []
    const Page = defineComponent(() => {
      const scene = useApprovalChat([calls('write:a', 'write:b'), answer('Done.')])
      made.push(scene)
      return () =>
        h('div', { style: { blockSize: '700px' } }, [
          h(AsChat, { chat: scene.chat, attention: { notification: true } }),
        ])
    })
    await render(Page)
    await made[0]?.chat.sendMessage('Go')
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Notify me when I’m away' }).click()
    expect(FakeNotification.requestPermission).toHaveBeenCalledOnce()
    await expect
      .poll(() => page.getByRole('button', { name: 'Notify me when I’m away' }).elements())
      .toEqual([])
  })
})

test('a chat counts in the title without being told to', async () => {
  const made: ApprovalChat[] = []
  const Page = defineComponent(() => {
    const scene = useApprovalChat([calls('write:a'), answer('Done.')])
    made.push(scene)
    return () => h(AsChat, { chat: scene.chat })
  })
  await render(Page)
  await look(true)
  await made[0]?.chat.sendMessage('Go')
  await expect.poll(() => document.title).toBe('(1) My app')
})
