import { createMessageEngine } from '@assent/engine'
import { defineStorage, memoryStorage, type ConversationStorage } from '@assent/engine/storage'
import { scriptedTransport } from '@assent/engine/testing'
import { useMessage, type UseMessageReturn } from '@assent/vue'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h } from 'vue'
import { axeFindings } from '../../test/axe-findings.ts'
import { assistant, text, user } from '../../test/fixtures.ts'
import { slotElement } from '../../test/mount.ts'
import AsConfigProvider from '../config/AsConfigProvider.vue'
import { en } from '../locale/index.ts'
import { zhCN } from '../locale/zh-cn.ts'
import { zhTW } from '../locale/zh-tw.ts'
import '../style/index.css'
import AsChat from './AsChat.vue'

const lines = (about: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${about}, paragraph ${index}.`).join('\n\n')

/** A disk with a conversation of so many messages, of different heights. */
async function diskOf(count: number): Promise<ConversationStorage> {
  const disk = memoryStorage()
  const engine = createMessageEngine({
    id: 'long',
    storage: defineStorage(disk),
    transport: scriptedTransport([]),
  })
  await engine.ready
  engine.setMessages(
    Array.from({ length: count }, (_, index) =>
      index % 2 === 0
        ? user(`m${index}`, `Question ${index}.`)
        : assistant(`m${index}`, text(lines(`Answer ${index}`, 1 + (index % 5)))),
    ),
  )
  await engine.dispose()
  return disk
}

/** The end of a conversation, as an app shows it. */
async function open(storage: ConversationStorage, props: object = {}): Promise<UseMessageReturn> {
  let chat: UseMessageReturn | undefined
  const App = defineComponent(() => {
    const opened = useMessage({
      id: 'long',
      storage: defineStorage(storage, { pageSize: 50 }),
      transport: scriptedTransport([]),
    })
    chat = opened
    return () =>
      h('div', { style: 'block-size: 700px; inline-size: 760px' }, [
        h(AsConfigProvider, null, { default: () => h(AsChat, { chat: opened, ...props }) }),
      ])
  })
  await page.viewport(800, 900)
  await render(App)
  if (!chat) throw new Error('The app has made no chat.')
  await chat.engine.value.ready
  await expect.element(showEarlier(250)).toBeInTheDocument()
  return chat
}

/** Reads of the storage come to nothing, or wait, as long as they are told to. */
function troubled(disk: ConversationStorage) {
  let isBroken = false
  let gate: Promise<void> | undefined
  const storage: ConversationStorage = {
    ...disk,
    read: async (namespace, range) => {
      await gate
      if (isBroken) throw new Error('The disk is gone.')
      return disk.read(namespace, range)
    },
  }
  return {
    storage,
    fail: (does: boolean) => void (isBroken = does),
    /** Returns what lets the reads go on. */
    stop(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
  }
}

const showEarlier = (count: number) =>
  page.getByRole('button', { name: `Show ${count} earlier messages` })
/** The bubble of a question: all of even numbers are one. */
function bubbleOf(index: number): HTMLElement {
  const found = [...document.querySelectorAll<HTMLElement>('[data-slot="bubble"]')].find(
    ({ textContent }) => textContent.includes(`Question ${index}.`),
  )
  if (!found) throw new Error(`Question ${index} is not in the page.`)
  return found
}
const topOf = (element: Element): number => element.getBoundingClientRect().top
const said = (): string => slotElement('announcements').textContent ?? ''

async function frames(count: number): Promise<void> {
  for (let frame = 0; frame < count; frame += 1) await new Promise(requestAnimationFrame)
}

/** The reader goes to the beginning of what is there. */
async function goToTop(): Promise<void> {
  slotElement('scroller').dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
  slotElement('scroller').scrollTop = 0
  await frames(8)
}

test.each([
  ['a plain list', {}],
  ['a list that follows nothing', { scroll: 'off' }],
  ['a list that leaves out messages', { virtual: true }],
])('%s shows earlier messages by its button only, and moves nothing', async (_, props) => {
  const chat = await open(await diskOf(300), props)
  await goToTop()
  expect(chat.messageIds.value).toHaveLength(50)
  // The last page takes what is little more than one.
  for (const [count, left] of [
    [250, 200],
    [200, 150],
    [150, 100],
    [100, 0],
  ] as const) {
    await goToTop()
    const reading = bubbleOf(count)
    const before = topOf(reading)
    await showEarlier(count).click()
    await expect.poll(() => chat.messageIds.value.length).toBe(300 - left)
    await frames(8)
    expect(Math.abs(topOf(bubbleOf(count)) - before)).toBeLessThan(2)
    expect(said()).toContain(`${count - left} earlier messages shown`)
  }
  expect(document.querySelector('[data-slot="earlier"]')).toBeNull()
})

test('by key the focus stays on the button, and goes to the first message with the last page', async () => {
  const chat = await open(await diskOf(300))
  const button = showEarlier(250).element() as HTMLElement
  button.focus()
  for (const left of [200, 150, 100]) {
    await userEvent.keyboard('{Enter}')
    await expect.element(showEarlier(left)).toHaveFocus()
    expect(showEarlier(left).element()).toBe(button)
  }
  await userEvent.keyboard(' ')
  await expect.poll(() => chat.earlier.value).toBeUndefined()
  await expect.poll(() => document.activeElement).toBe(bubbleOf(0))
})

test('the focus is not lost where the first message is left out of the page', async () => {
  const chat = await open(await diskOf(300), { virtual: true })
  for (const count of [250, 200, 150]) await showEarlier(count).click()
  await expect.element(showEarlier(100)).toBeInTheDocument()
  ;(showEarlier(100).element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => chat.earlier.value).toBeUndefined()
  await expect.poll(() => document.activeElement).toBe(slotElement('scroller'))
})

test('it says that it loads, is not pressed twice meanwhile, and tries again what failed', async () => {
  const disk = troubled(await diskOf(300))
  const chat = await open(disk.storage)
  const button = showEarlier(250).element() as HTMLElement
  const goOn = disk.stop()
  button.focus()
  await userEvent.keyboard('{Enter}')
  await expect.element(button).toHaveAttribute('aria-disabled', 'true')
  expect(button.querySelector('svg[data-moving]')).not.toBeNull()
  expect(await axeFindings()).toEqual([])
  await userEvent.keyboard('{Enter}')
  goOn()
  await expect.element(showEarlier(200)).toHaveFocus()
  expect(button.hasAttribute('aria-disabled')).toBe(false)
  expect(chat.messageIds.value).toHaveLength(100)
  await goToTop()
  expect(await axeFindings()).toEqual([])

  disk.fail(true)
  await userEvent.keyboard('{Enter}')
  const failed = 'Couldn’t load earlier messages'
  await expect.element(slotElement('earlier')).toMatchTextContent(`${failed} Try again`)
  expect(said()).toContain(failed)
  await expect.element(page.getByRole('button', { name: 'Try again' })).toHaveFocus()
  expect(await axeFindings()).toEqual([])
  expect(chat.messageIds.value).toHaveLength(100)
  disk.fail(false)
  await userEvent.keyboard('{Enter}')
  await expect.element(showEarlier(150)).toHaveFocus()
  expect(slotElement('earlier').textContent).not.toContain(failed)
  expect(chat.messageIds.value).toHaveLength(150)
})

test('large numbers are said as the language writes them, and one message is one', () => {
  expect(en.content.showEarlier(19_900)).toBe('Show 19,900 earlier messages')
  expect(en.content.showEarlier(1)).toBe('Show 1 earlier message')
  expect(en.content.shownEarlier(1)).toBe('1 earlier message shown')
  expect(zhCN.content.showEarlier(19_900)).toBe('显示更早的 19,900 条消息')
  expect(zhTW.content.showEarlier(19_900)).toBe('顯示更早的 19,900 則訊息')
})
