import { beforeAll, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h } from 'vue'
import { provideMessage } from '@assent/vue'
import { answer } from '@assent/engine/testing'
import { calls, readThrough, useApprovalChat, type ApprovalChat } from '../../test/approval-chat.ts'
import { AsChat } from '../chat/index.ts'
import { provideApprovalBoard, useApprovalBatch } from './index.ts'
import { loadMarkdown } from '../markdown/markdown-code.ts'

beforeAll(loadMarkdown)

const Panel = defineComponent(() => {
  const { waiting, covered, left, isArmed, approve, deny } = useApprovalBatch()
  return () =>
    h('aside', [
      h('p', { 'data-testid': 'left' }, left.value.map(({ why }) => why).join()),
      h(
        'button',
        { disabled: !isArmed.value, onClick: approve },
        `Yes ${covered.value.length} of ${waiting.value.length}`,
      ),
      h('button', { onClick: () => deny('not these') }, 'No to all'),
    ])
})

/** A chat and, beside it, a panel of the app's own. */
async function mountWithPanel(isJoined: boolean): Promise<ApprovalChat> {
  const made: ApprovalChat[] = []
  const App = defineComponent(() => {
    const scene = useApprovalChat([
      calls('write:a', 'write:b', 'send:c', 'wipe:d', 'question:e'),
      answer('All done.'),
    ])
    made.push(scene)
    provideMessage(scene.chat)
    if (isJoined) provideApprovalBoard()
    return () => [
      h(Panel),
      h('div', { style: { blockSize: '460px', inlineSize: '640px' } }, [
        h(AsChat, { tray: false }),
      ]),
    ]
  })
  await page.viewport(640, 600)
  await render(App)
  await page.getByRole('textbox', { name: 'Message' }).click()
  await userEvent.keyboard('Go{Enter}')
  const [scene] = made
  await expect.poll(() => scene?.chat.requestState.value).toBe('paused')
  return scene!
}

const left = () => page.getByTestId('left').element().textContent.split(',')
const yes = (count: number) => page.getByRole('button', { name: `Yes ${count} of 5` })

test('approves only what was shown in full, and says why it leaves the rest out', async () => {
  const { chat, effects } = await mountWithPanel(true)
  await expect.poll(left).toContain('unseen')
  await readThrough()
  await expect.poll(left).toEqual(['destroy', 'answer'])
  await yes(3).click()
  const decided = () =>
    chat.confirmations.value.map((one) => [one.toolCallId, 'outcome' in one && one.outcome])
  await expect.poll(decided).toEqual([
    ['write:a', 'yes'],
    ['write:b', 'yes'],
    ['send:c', 'yes'],
  ])
  expect(effects).toEqual([])
})

test('leaves out a call whose input is being changed, until its form is closed', async () => {
  const { chat } = await mountWithPanel(true)
  await readThrough()
  await expect.element(yes(3)).toBeVisible()
  const edit = page.getByRole('group', { name: 'Write a' }).getByRole('button', { name: 'Edit' })
  await edit.click()
  await expect.element(yes(2)).toBeVisible()
  expect(left()).toEqual(['editing', 'destroy', 'answer'])
  await page.getByRole('button', { name: 'Back' }).click()
  await expect.element(yes(3)).toBeVisible()
  expect(chat.confirmations.value).toEqual([])
})

test('counts nothing as shown without a board above both', async () => {
  const { chat } = await mountWithPanel(false)
  await readThrough()
  await expect.element(yes(0)).toBeVisible()
  expect(left()).toEqual(['unseen', 'unseen', 'unseen', 'destroy', 'answer'])
  await page.getByRole('button', { name: 'No to all' }).click()
  await expect.poll(() => chat.confirmations.value.length).toBeGreaterThan(3)
})
