import { beforeAll, expect, test, vi } from 'vitest'
import { frames, mountApprovalChat, tray } from '../../test/approval-chat.ts'
import { ask, assistant, text, user } from '../../test/fixtures.ts'
import { loadMarkdown } from '../markdown/markdown-code.ts'

const arrival = vi.hoisted(() => Promise.withResolvers<void>())
vi.mock('./AsApprovalTray.vue', async (importOriginal) => {
  await arrival.promise
  return importOriginal()
})

beforeAll(loadMarkdown)

const all = (name: string) => [...document.querySelectorAll(`[data-slot="${name}"]`)]

test('moves nothing when its code comes late, neither at the end nor where a reader went', async () => {
  const long = Array.from({ length: 40 }, (_, index) => `Paragraph ${index}.`).join('\n\n')
  const messages = [
    user('u', 'Tell me a lot, and write it'),
    assistant(
      'a',
      text(long),
      ask('write', 'c1', { file: 'a' }),
      ask('write', 'c2', { file: 'b' }),
    ),
  ]
  for (let view = 0; view < 2; view += 1) await mountApprovalChat([], { messages, say: false })
  await expect.poll(() => all('ask')).toHaveLength(4)
  await frames(4)
  const [atEnd, reader] = all('scroller')
  reader!.dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
  reader!.scrollTop -= 600
  await frames(4)
  await expect.poll(() => document.getAnimations()).toHaveLength(0)
  const places = () => [
    atEnd!.scrollTop,
    reader!.scrollTop,
    ...[...all('ask'), ...all('text')].map((shown) => shown.getBoundingClientRect().top),
  ]
  const before = places()
  expect(tray().elements()).toHaveLength(0)

  arrival.resolve()
  await expect.poll(() => tray().elements()).toHaveLength(2)
  await frames(4)
  expect(places()).toEqual(before)
})
