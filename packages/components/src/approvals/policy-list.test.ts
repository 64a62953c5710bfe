import { EngineError, type ApprovalScope, type CommandResult } from '@assent/engine'
import { answer } from '@assent/engine/testing'
import type { PolicyOrigin, StandingPolicy } from '@assent/vue'
import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-vue'
import { defineComponent, h, ref } from 'vue'
import { calls, useApprovalChat, type ApprovalChat } from '../../test/approval-chat.ts'
import { AT } from '../../test/fixtures.ts'
import { en } from '../locale/en.ts'
import '../style/index.css'
import { AsPolicyList, type AsPolicyListProps } from './index.ts'
import { boundsInWords, coversInWords } from './policy-words.ts'

function policy(scope: ApprovalScope, facts: Partial<StandingPolicy> = {}): StandingPolicy {
  const { uses = 0, id = 'p1' } = facts
  return {
    id,
    toolName: 'write_note',
    scope,
    where: scope.where ?? 'conversation',
    since: AT,
    until: scope.until,
    uses,
    isSuspended: false,
    usesLeft: scope.uses === undefined ? undefined : scope.uses - uses,
    origin: {
      conversationId: 'c1',
      messageId: 'm1',
      step: 1,
      toolCallId: 'call',
      summary: 'Write the note “Rent”',
    },
    ...facts,
  }
}

const show = (props: AsPolicyListProps) =>
  render(defineComponent(() => () => h(AsPolicyList, props)))
const list = () => page.getByRole('region', { name: 'Standing permissions' })
const revoke = (name: string | RegExp = /^Revoke: /) => list().getByRole('button', { name })

test.each<[ApprovalScope['covers'], string]>([
  [undefined, 'every call'],
  ['tool', 'every call'],
  ['input', 'exactly this call'],
  [{ '/title': { oneOf: ['A', null, 3] } }, 'when title is “A”, null, or 3'],
  [{ '/path': { prefix: 'src/' } }, 'when path begins with “src/”'],
  [{ '/a~1b/c~0d': { glob: '*.ts' } }, 'when a/b c~d fits “*.ts”'],
  [{ '/n': { min: 1 }, '/m': { max: 2 } }, 'when n is at least 1 and m is at most 2'],
  [{ '/n': { min: 1, max: 2 } }, 'when n is from 1 to 2'],
  [{ '': { oneOf: ['x'] } }, 'when input is “x”'],
])('what %j covers is said as "%s"', (covers, words) => {
  expect(coversInWords(policy(covers ? { covers } : {}), en)).toBe(words)
})

test('says where a permission holds, until when, how often more, and how often it was used', () => {
  const inWords = (scope: ApprovalScope, uses = 0) =>
    boundsInWords(policy(scope, { uses }), en, AT).join(', ')
  expect(inWords({})).toBe('In this conversation, not used yet')
  expect(inWords({ where: 'everywhere', uses: 3 }, 1)).toBe('Everywhere, 2 more times, used once')
  expect(inWords({ uses: 3 }, 2)).toBe('In this conversation, once more, used 2 times')
  expect(inWords({ until: AT + 9e5 })).toBe('In this conversation, until 2:17 PM, not used yet')
})

test('says what there is when nothing is allowed', async () => {
  await show({ policies: [] })
  await expect.element(page.getByText('No standing permissions')).toBeVisible()
})

test('says where a permission comes from, and goes to the call', async () => {
  const shown: PolicyOrigin[] = []
  const here = policy({ covers: { '/path': { prefix: 'notes/' } } })
  const there = policy({ where: 'everywhere' }, { id: 'p2' })
  const policies = [
    here,
    { ...there, origin: { ...there.origin, conversationId: 'c2', summary: undefined } },
  ]
  await show({
    policies,
    conversationId: 'c1',
    nameOf: (id: string) => (id === 'c2' ? 'in “Bills”' : undefined),
    onShowCall: (origin: PolicyOrigin) => shown.push(origin),
  })
  const items = list().getByRole('listitem')
  await expect.element(items.first()).toBeVisible()
  expect(items.nth(0).element().textContent).toMatch(
    /You chose Always on May 12.*for “Write the note “Rent””/,
  )
  expect(items.nth(1).element().textContent).toMatch(/You chose Always on May 12.*, in “Bills”/)
  await items.nth(1).getByRole('button', { name: 'Show the call' }).click()
  expect(shown).toEqual([policies[1]?.origin])
})

test('asks before it revokes, and can be told to keep it', async () => {
  const onRevoke = vi.fn<(id: string) => void>()
  await show({ policies: [policy({})], onRevoke })
  await revoke('Revoke: Write note, every call').click()
  await expect.element(page.getByRole('button', { name: 'Keep it' })).toHaveFocus()
  await expect
    .element(page.getByRole('group', { name: 'Write note, every call' }))
    .toHaveAccessibleDescription('You’ll be asked again before each of these calls.')
  await userEvent.keyboard('{Escape}')
  await expect.element(revoke()).toHaveFocus()
  expect(onRevoke).not.toHaveBeenCalled()
})

test('shows why a permission could not be revoked', async () => {
  const answered = Promise.withResolvers<CommandResult>()
  await show({ policies: [policy({})], onRevoke: () => answered.promise })
  await revoke().click()
  const confirm = page.getByRole('button', { name: 'Revoke', exact: true })
  await confirm.click()
  await expect.element(confirm).toHaveAttribute('aria-busy', 'true')
  answered.resolve({ success: false, error: new EngineError('unknown_policy', 'It is gone.') })
  await expect
    .element(page.getByRole('alert'))
    .toHaveTextContent('That didn’t work. Something went wrong. Try again.')
})

test('the focus goes on to the next permission', async () => {
  const policies = ref([policy({}), policy({ covers: 'input' }, { id: 'p2' })])
  const Page = defineComponent(
    () => () =>
      h(AsPolicyList, {
        policies: policies.value,
        onRevoke: (id: string) => {
          policies.value = policies.value.filter((one) => one.id !== id)
        },
      }),
  )
  await render(Page)
  for (const left of [1, 0]) {
    await revoke().first().click()
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await expect.poll(() => revoke().elements()).toHaveLength(left)
    await expect.element(left ? revoke() : list()).toHaveFocus()
  }
})

test('lists what was allowed in a conversation; revoked, its calls ask again', async () => {
  const made: ApprovalChat[] = []
  const Page = defineComponent(() => {
    const scene = useApprovalChat([
      calls('write:a'),
      answer('Written.'),
      calls('write:b'),
      answer('Again.'),
      calls('write:c'),
    ])
    made.push(scene)
    return () => h(AsPolicyList, { chat: scene.chat })
  })
  await render(Page)
  const [scene] = made as [ApprovalChat]
  await expect.element(page.getByText('No standing permissions')).toBeVisible()
  await scene.chat.sendMessage('Write')
  await scene.chat.runPluginCommand('tool', 'resumeToolCall', {
    toolCallId: 'write:a',
    outcome: 'yes_always',
    scope: { covers: { '/file': { oneOf: ['a', 'b', 'c'] } } },
  })
  await expect.element(revoke('Revoke: Write, when file is “a”, “b”, or “c”')).toBeVisible()
  await expect.element(page.getByText('not used yet')).toBeVisible()
  await expect.poll(() => scene.chat.requestState.value).toBe('completed')
  await scene.chat.sendMessage('Write more')
  await expect.element(page.getByText('used once')).toBeVisible()
  expect(scene.effects).toEqual(['a', 'b'])
  await revoke().click()
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await expect.element(page.getByText('No standing permissions')).toBeVisible()
  await scene.chat.sendMessage('And more')
  expect(scene.chat.requestState.value).toBe('paused')
  expect(scene.effects).toEqual(['a', 'b'])
})

test('shows what is paused since everything was stopped, and lets it go on', async () => {
  const made: ApprovalChat[] = []
  const Page = defineComponent(() => {
    const scene = useApprovalChat([calls('write:a'), answer('Written.')])
    made.push(scene)
    return () => h(AsPolicyList, { chat: scene.chat })
  })
  await render(Page)
  const [scene] = made as [ApprovalChat]
  await scene.chat.sendMessage('Write')
  const always = {
    toolCallId: 'write:a',
    outcome: 'yes_always',
    scope: { covers: 'tool' },
  } as const
  await scene.chat.runPluginCommand('tool', 'resumeToolCall', always)
  await expect.poll(() => scene.chat.requestState.value).toBe('completed')
  await scene.chat.stopAll()
  await expect.element(page.getByText(/^Paused/).first()).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect.element(page.getByText(/Paused permissions ask you again/)).not.toBeInTheDocument()
  await expect.element(list()).toHaveFocus()
})
