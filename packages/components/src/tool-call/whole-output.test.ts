import { EngineError } from '@assent/engine'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { edit } from '../../test/asks.ts'
import { createChatDouble, type ChatDouble } from '../../test/chat-double.ts'
import { assistant, succeeded, withMetadata } from '../../test/fixtures.ts'
import { mountChat, slotElement } from '../../test/mount.ts'

const cut = { shownLines: 1, totalLines: 3, shownBytes: 2, totalBytes: 9 }
const show = () => page.getByRole('button', { name: 'Show the whole output' })

async function openCut(): Promise<ChatDouble> {
  const double = createChatDouble({
    messages: [assistant('a1', withMetadata(succeeded(edit, 'a'), { cut }))],
  })
  await mountChat(double)
  await page.getByRole('button', { name: /Change the title/ }).click()
  return double
}

test('the whole of a cut output is read piece by piece', async () => {
  const double = await openCut()
  const offsets: unknown[] = []
  double.onCommand((payload, command) => {
    const { offset } = payload as { offset?: number }
    offsets.push([command, offset])
    const result = offset === 0 ? { text: 'a\nb', nextOffset: 3 } : { text: '\nc\u200b' }
    return { success: true, result }
  })
  await show().click()
  await expect.poll(() => slotElement('whole-output').innerText).toMatch(/a\nb/)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => slotElement('whole-output').innerText).toBe('a\nb\ncZWSP')
  expect(offsets).toEqual([
    ['readToolOutput', 0],
    ['readToolOutput', 3],
  ])
  await expect.element(page.getByRole('button', { name: 'Show more' })).not.toBeInTheDocument()
})

test('it is said when the whole output is not kept any more', async () => {
  const double = await openCut()
  double.onCommand(() => ({ success: false, error: new EngineError('output_gone', 'Gone.') }))
  await show().click()
  await expect
    .element(page.getByRole('alert'))
    .toHaveTextContent('The whole output is no longer available.')
})
