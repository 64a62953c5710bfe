import type { CommandResult, ToolCallPart } from '@assent/engine'
import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { h } from 'vue'
import { commands, edit, paused } from '../../test/asks.ts'
import { call, executing, question } from '../../test/fixtures.ts'
import { mountChat } from '../../test/mount.ts'
import AsToolCall from './AsToolCall.vue'
import type { AsToolCallProps, ToolCallSlotProps } from './tool-call-types.ts'
import '../style/index.css'

const running = executing(call('run_tests', 'c1', { state: 'input-available', input: {} }))
const succeed = () =>
  vi.fn<() => Promise<CommandResult>>(async () => ({ success: true, result: undefined }))

async function show(props: AsToolCallProps): Promise<void> {
  await page.viewport(800, 600)
  await render({ render: () => h('div', { style: { inlineSize: '700px' } }, h(AsToolCall, props)) })
}

test('a card without a conversation decides by what it was given', async () => {
  const decide = succeed()
  await show({ part: edit, messageId: 'm1', decide })
  await page.getByRole('button', { name: 'Always…' }).click()
  await page.getByRole('radio', { name: 'All calls of edit_file' }).click()
  await page.getByRole('button', { name: 'Always allow' }).click()
  expect(decide).toHaveBeenCalledWith(
    expect.objectContaining({
      toolCallId: 'c2',
      messageId: 'm1',
      outcome: 'yes_always',
      scope: { covers: 'tool', where: 'conversation', until: expect.any(Number) },
    }),
  )
})

test('a question without a conversation is answered by what it was given', async () => {
  const submit = succeed()
  await show({ part: question('ask_person', 'q1', {}), submit })
  await page.getByRole('textbox', { name: 'Your answer' }).fill('Yes')
  await userEvent.keyboard('{Enter}')
  expect(submit).toHaveBeenCalledWith(expect.objectContaining({ toolCallId: 'q1', output: 'Yes' }))
})

test('a running call without a conversation is stopped by what it was given', async () => {
  const cancel = succeed()
  await show({ part: running, cancel })
  await page.getByRole('button', { name: /^Run tests/ }).hover()
  await page.getByRole('button', { name: /^Cancel/ }).click()
  expect(cancel).toHaveBeenCalledWith(expect.objectContaining({ toolCallId: 'c1' }))
})

test('a running call that nothing could stop has no button for that', async () => {
  await show({ part: running })
  await expect.element(page.getByRole('button', { name: /^Run tests/ })).toBeVisible()
  expect(page.getByRole('button', { name: /^Cancel/ }).elements()).toHaveLength(0)
})

test('a card that nothing can carry out says so', async () => {
  await show({ part: edit })
  await page.getByRole('button', { name: 'Approve' }).click()
  await expect
    .element(page.getByRole('alert'))
    .toMatchTextContent('Something went wrong. Try again.')
})

test('a slot that renders a call itself can do all of it', async () => {
  const double = paused(edit)
  const given: ToolCallSlotProps[] = []
  await mountChat(double, {
    slots: {
      tool: (scope: ToolCallSlotProps<ToolCallPart>) => {
        given.push(scope)
        return 'Own'
      },
    },
  })
  const [slot] = given
  await slot!.approve({ always: { uses: 2 }, input: { path: 'a' } })
  expect(given.at(-1)!.pending).toBe('yes_always')
  expect(commands(double)).toMatchObject([
    [
      'tool',
      'resumeToolCall',
      {
        toolCallId: 'c2',
        messageId: 'a1',
        outcome: 'yes_always',
        scope: { uses: 2 },
        input: { path: 'a' },
      },
    ],
  ])
})

test.each([
  ['submit', 'submitToolOutput', { output: 'Done by hand' }, 'Done by hand'],
  ['cancel', 'cancelToolCall', { reason: 'Not needed' }, 'Not needed'],
] as const)('a slot that renders a call itself can %s it', async (method, command, rest, value) => {
  const double = paused(edit)
  let slot: ToolCallSlotProps | undefined
  await mountChat(double, {
    slots: {
      tool: (scope: ToolCallSlotProps) => {
        slot = scope
        return 'Own'
      },
    },
  })
  await slot![method](value)
  expect(commands(double)).toMatchObject([
    ['tool', command, { toolCallId: 'c2', messageId: 'a1', ...rest }],
  ])
})
