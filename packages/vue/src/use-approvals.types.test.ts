import type {
  CommandResult,
  ResumeToolCallResult,
  ResumeToolCallsResult,
  RevokePolicyResult,
  ToolCallRef,
} from '@assent/engine'
import type { PolicyExplanation } from '@assent/engine/policies'
import { tool, type InferUITools, type UIDataTypes, type UIMessage } from 'ai'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { useApprovals, type UseApprovalsReturn } from './use-approvals.ts'
import type { UseMessageReturn } from './use-message.ts'

const tools = {
  rename: tool({ inputSchema: z.object({ from: z.string(), to: z.string() }) }),
}
type AppMessage = UIMessage<unknown, UIDataTypes, InferUITools<typeof tools>>

test('what waits has the parts and inputs of the app’s own tools', () => {
  const check = (chat: UseMessageReturn<AppMessage>): void => {
    const approvals = useApprovals(chat)
    expectTypeOf(approvals).toEqualTypeOf<UseApprovalsReturn<AppMessage>>()
    expectTypeOf(useApprovals<AppMessage>()).toEqualTypeOf<UseApprovalsReturn<AppMessage>>()
    expectTypeOf(useApprovals()).toEqualTypeOf<UseApprovalsReturn>()
    const [call] = approvals.waiting.value
    if (call?.part.type === 'tool-rename') {
      expectTypeOf(call.part.input).toEqualTypeOf<{ from: string; to: string }>()
      expectTypeOf(call.part.state).toEqualTypeOf<
        'approval-requested' | 'approval-responded' | 'input-available'
      >()
    }
  }
  expectTypeOf(check).toBeFunction()
})

test('decisions have typed payloads and results', () => {
  const check = (approvals: UseApprovalsReturn): void => {
    const [call] = approvals.waiting.value
    if (!call) return
    expectTypeOf(
      approvals.decide(call, {
        outcome: 'yes_always',
        scope: { covers: { '/path': { prefix: 'a' } } },
      }),
    ).toEqualTypeOf<Promise<CommandResult<ResumeToolCallResult>>>()
    expectTypeOf(approvals.decideAll('no', { reason: 'Not now' })).toEqualTypeOf<
      Promise<CommandResult<ResumeToolCallsResult>>
    >()
    expectTypeOf(approvals.submitOutput(call, 1)).toEqualTypeOf<
      Promise<CommandResult<ToolCallRef>>
    >()
    expectTypeOf(approvals.cancel(call)).toEqualTypeOf<Promise<CommandResult<ToolCallRef>>>()
    expectTypeOf(approvals.revoke('id')).toEqualTypeOf<Promise<CommandResult<RevokePolicyResult>>>()
    expectTypeOf(approvals.explain({ toolName: 'a', scope: {} })).toEqualTypeOf<PolicyExplanation>()
    // @ts-expect-error -- no such outcome
    void approvals.decide(call, { outcome: 'maybe' })
    // @ts-expect-error -- an always for all at once is nothing that one can overlook
    void approvals.decideAll('yes_always')
  }
  expectTypeOf(check).toBeFunction()
})
