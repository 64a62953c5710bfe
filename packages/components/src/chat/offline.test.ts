import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { createChatDouble } from '../../test/chat-double.ts'
import { user } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'
import { zhCN } from '../locale/zh-cn.ts'

const announced = (): string[] =>
  [...slotElement('announcements').children].map((element) => element.textContent ?? '')

function setOnline(isOnline: boolean): void {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isOnline)
  window.dispatchEvent(new Event(isOnline ? 'online' : 'offline'))
}

afterEach(() => vi.restoreAllMocks())

test('says calmly that the device is offline, once, and that it is back', async () => {
  await mountChat(createChatDouble({ messages: [user('u', 'Hi')] }))
  await vi.waitFor(() => {
    setOnline(false)
    expect(page.getByText('You’re offline').elements()).not.toHaveLength(0)
  })
  await expect.element(page.elementLocator(slotElement('offline'))).toBeVisible()
  setOnline(false)
  setOnline(true)
  await expect.poll(() => document.querySelector('[data-slot="offline"]')).toBeNull()
  expect(announced()).toEqual(['You’re offline', 'You’re back online'])
})

test('a page that begins offline says so in its language', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  await mountChat(createChatDouble({ messages: [user('u', 'Hi')] }), { config: { locale: zhCN } })
  await expect.element(page.getByText('你已离线').first()).toBeInTheDocument()
})
