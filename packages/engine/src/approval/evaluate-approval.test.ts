import { jsonSchema, tool, type Tool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { describeThrown, type EngineError } from '../errors.ts'
import { evaluateApproval, type ApprovalCall, type ApprovalRules } from './evaluate-approval.ts'

const inputSchema = jsonSchema<{ to: string[] }>({ type: 'object' })
const send = tool({ inputSchema, execute: () => 'sent' })

/** What rules say about one call of `send`. */
const verdictOf = (rules: ApprovalRules, call: Partial<ApprovalCall> = {}) =>
  evaluateApproval(
    { toolName: 'send', toolCallId: '1', input: { to: ['ada', 'bob'] }, ...call },
    { tools: { send }, ...rules },
  )

const needing = (needsApproval: unknown): ApprovalRules => ({
  tools: { send: { ...send, needsApproval } as Tool },
})

describe('where nothing is said', () => {
  const silent: [string, ApprovalRules][] = [
    ['no rule', {}],
    ['a rule for another tool', { toolApproval: { read: 'approved' } }],
    ['not-applicable', { toolApproval: { send: 'not-applicable' } }],
    ['not-applicable in an object', { toolApproval: () => ({ type: 'not-applicable' }) }],
    ['undefined', { toolApproval: { send: () => undefined } }],
    ['a promise of undefined', { toolApproval: async () => undefined }],
    ['a needsApproval that answers undefined', needing(() => undefined)],
    ['a shouldPauseToolCall that answers undefined', { shouldPause: () => undefined }],
  ]

  it.each(silent)('a person is asked: %s', async (_name, rules) => {
    expect(await verdictOf(rules)).toEqual({ type: 'ask', by: 'default' })
  })

  it.each(silent)('defaultApproval answers: %s', async (_name, rules) => {
    for (const [defaultApproval, type] of [
      ['approved', 'run'],
      ['user-approval', 'ask'],
      ['denied', 'deny'],
    ] as const) {
      expect(await verdictOf({ ...rules, defaultApproval })).toEqual({ type, by: 'default' })
    }
  })

  it('a typo in defaultApproval asks', async () => {
    const defaultApproval = 'aproved' as 'approved'
    expect(await verdictOf({ defaultApproval })).toEqual({ type: 'ask', by: 'default' })
  })

  it('what only reads runs, by the word of the app', async () => {
    for (const defaultApproval of ['user-approval', 'denied'] as const) {
      const verdict = await verdictOf({ risk: 'read', defaultApproval })
      expect(verdict).toEqual({ type: 'run', by: 'risk' })
    }
    expect(await verdictOf({ risk: 'raed' })).toMatchObject({ type: 'ask' })
    const asking = { risk: 'read', toolApproval: { send: 'user-approval' } }
    expect(await verdictOf(asking)).toMatchObject({ type: 'ask', by: 'rule' })
  })

  it('no default answers for what is executed elsewhere', async () => {
    const elsewhere = { type: 'run', by: 'elsewhere' }
    expect(await verdictOf({ isElsewhere: true })).toEqual(elsewhere)
    expect(await verdictOf({ defaultApproval: 'denied' }, { providerExecuted: true })).toEqual(
      elsewhere,
    )
  })
})

describe('what says that a call runs', () => {
  it.each<[string, ApprovalRules, string]>([
    ['a status', { toolApproval: { send: 'approved' } }, 'rule'],
    ['a status in an object', { toolApproval: { send: { type: 'approved' } } }, 'rule'],
    ['a rule', { toolApproval: { send: async () => 'approved' } }, 'rule'],
    ['a rule for all', { toolApproval: () => 'approved' }, 'rule'],
    ['needsApproval: false', needing(false), 'tool'],
    ['a needsApproval that answers false', needing(async () => false), 'tool'],
    ['a shouldPauseToolCall that answers false', { shouldPause: async () => false }, 'pause'],
  ])('is %s', async (_name, rules, by) => {
    expect(await verdictOf(rules)).toEqual({ type: 'run', by })
  })

  it('is none of them above one that asks or denies', async () => {
    const shouldPause = () => true
    expect(await verdictOf({ ...needing(false), shouldPause })).toEqual({
      type: 'ask',
      by: 'pause',
    })
    const approved = { toolApproval: { send: 'approved' } }
    expect(await verdictOf({ ...approved, shouldPause })).toEqual({ type: 'ask', by: 'pause' })
    const denied = { toolApproval: { send: { type: 'denied', reason: 'no' } } }
    expect(await verdictOf({ ...denied, shouldPause: () => false })).toEqual({
      type: 'deny',
      by: 'rule',
      reason: 'no',
    })
  })
})

describe('a verdict that nobody knows', () => {
  const unknown: unknown[] = [
    'user_approval',
    'ask',
    'Approved',
    'denied ',
    '',
    true,
    false,
    null,
    0,
    1n,
    [],
    {},
    ['approved'],
    { type: 'ask' },
    { type: undefined },
    { type: ['approved'] },
    { status: 'approved' },
    new Map([['type', 'approved']]),
    Symbol('approved'),
  ]

  it.each(unknown.map((one) => [describeThrown(one), one]))(
    'asks, wherever it comes from: %s',
    async (_name, verdict) => {
      const rules: ApprovalRules[] = [
        { toolApproval: { send: verdict } },
        { toolApproval: { send: Promise.resolve(verdict) } },
        { toolApproval: { send: () => verdict } },
        { toolApproval: { send: async () => verdict } },
        { toolApproval: () => verdict },
      ]
      for (const one of rules) {
        expect(
          await verdictOf({ ...one, defaultApproval: 'approved', risk: 'read' }),
        ).toMatchObject({
          type: 'ask',
          by: 'rule',
          failure: { code: 'unknown_verdict', details: { toolName: 'send' } },
        })
      }
    },
  )

  it.each([['yes'], ['approved'], [null], [0], [1], [{}], [[]]])(
    'asks where true or false are known: %j',
    async (answer) => {
      for (const rules of [
        needing(answer),
        needing(() => answer),
        { shouldPause: () => answer },
        { shouldPause: async () => answer, toolApproval: { send: 'approved' } },
      ]) {
        expect(await verdictOf({ ...rules, defaultApproval: 'approved' })).toMatchObject({
          type: 'ask',
          failure: { code: 'unknown_verdict' },
        })
      }
    },
  )

  it('is told once per tool, with what it would have to be', async () => {
    const errors: EngineError[] = []
    const rules = { toolApproval: () => 'ask', report: (error: EngineError) => errors.push(error) }
    const owner = {}
    for (const toolName of ['send', 'send', 'drop'])
      await verdictOf({ ...rules, owner }, { toolName })
    expect(errors.map(({ message }) => message)).toEqual([
      'toolApproval answered "ask" about "send", which is no verdict. Answer "approved", "user-approval", "denied" or nothing.',
      'toolApproval answered "ask" about "drop", which is no verdict. Answer "approved", "user-approval", "denied" or nothing.',
    ])
  })
})

describe('a rule that throws', () => {
  const fail = () => {
    throw new Error('policy down')
  }

  it.each<[string, ApprovalRules]>([
    ['a rule', { toolApproval: { send: fail } }],
    ['a rule that rejects', { toolApproval: { send: async () => fail() } }],
    [
      'a rejected promise',
      { toolApproval: { send: () => Promise.reject(new Error('policy down')) } },
    ],
    ['a rule for all', { toolApproval: fail }],
    ['needsApproval', needing(fail)],
    ['shouldPauseToolCall', { shouldPause: fail, toolApproval: { send: 'approved' } }],
    ['the messages for it', { messages: fail, toolApproval: () => 'approved' }],
    ['the copy for it', { copyInput: fail, toolApproval: () => 'approved' }],
    [
      'what it answers with',
      {
        toolApproval: () => ({
          get type() {
            return fail()
          },
        }),
      },
    ],
  ])('asks, and says why: %s', async (_name, rules) => {
    expect(await verdictOf({ ...rules, defaultApproval: 'approved' })).toMatchObject({
      type: 'ask',
      reason: 'The check of this call failed: policy down',
      failure: { code: 'rule_failed', cause: { message: 'policy down' } },
    })
  })
})

describe('a rule that does not answer', () => {
  it('asks after its time, and says so', async () => {
    vi.useFakeTimers()
    try {
      const never = () => new Promise(() => {})
      for (const [rules, ms] of [
        [{ toolApproval: never }, 10_000],
        [{ ...needing(never), timeoutMs: 500 }, 500],
        [{ shouldPause: never, toolApproval: { send: 'approved' }, timeoutMs: 500 }, 500],
      ] satisfies [ApprovalRules, number][]) {
        const verdict = verdictOf({ ...rules, defaultApproval: 'approved' })
        await vi.advanceTimersByTimeAsync(ms)
        expect(await verdict).toMatchObject({
          type: 'ask',
          reason: `The check of this call failed: The rule did not answer within ${ms / 1_000} s.`,
          failure: { code: 'rule_failed', cause: { name: 'TimeoutError' } },
        })
        expect(vi.getTimerCount()).toBe(0)
      }
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('the input', () => {
  it('is a copy for each rule: what one changes neither the next one nor the caller sees', async () => {
    const input = { to: ['bob', 'ada'] }
    const seen: unknown[] = []
    const sort = (own: unknown): undefined => {
      const { to } = own as typeof input
      seen.push([...to])
      to.sort()
    }
    await verdictOf({ toolApproval: { send: sort }, shouldPause: sort }, { input })
    await verdictOf({ ...needing(sort) }, { input })
    await verdictOf(
      { toolApproval: ({ toolCall }: { toolCall: ApprovalCall }) => sort(toolCall.input) },
      { input },
    )
    expect(seen).toEqual(Array.from({ length: 4 }, () => ['bob', 'ada']))
    expect(input).toEqual({ to: ['bob', 'ada'] })
  })
})

describe("a tool that the model's provider runs", () => {
  const web = { type: 'provider', id: 'anthropic.web_search', isProviderExecuted: true, args: {} }
  const tools = { web: { ...web, inputSchema } as Tool }
  const call = { toolName: 'web', providerExecuted: true }

  it.each([['user-approval'], ['denied'], ['ask'], [{ type: 'user-approval' }]])(
    'cannot wait for %j, and the error names its own options',
    async (verdict) => {
      await expect(verdictOf({ tools, toolApproval: () => verdict }, call)).rejects.toMatchObject({
        code: 'provider_cannot_wait',
        message: expect.stringMatching(/"web" \(anthropic\.web_search\) itself.*maxUses/),
      })
    },
  )

  it('runs as it does', async () => {
    for (const verdict of ['approved', undefined, 'not-applicable']) {
      const said = await verdictOf({ tools, toolApproval: () => verdict }, call)
      expect(said).toEqual({ type: 'run', by: 'elsewhere' })
    }
  })
})

describe('names of every object', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'are no rules and no tools: %s',
    async (toolName) => {
      const toolApproval = { send: 'approved' }
      expect(await verdictOf({ toolApproval }, { toolName })).toEqual({
        type: 'ask',
        by: 'default',
      })
    },
  )
})
