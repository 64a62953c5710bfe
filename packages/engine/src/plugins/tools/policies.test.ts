import {
  array,
  assert,
  constantFrom,
  integer,
  option,
  property,
  record as recordOf,
  shuffledSubarray,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import type {
  ApprovalScope,
  ConfirmationRecord,
  PolicyEvent,
  ToolCallConfirmation,
} from '../../confirmation.ts'
import { deriveApprovalPolicies, findPolicy, type ToolApprovalPolicyStatus } from './policies.ts'

const CALL = {
  conversationId: 'here',
  messageId: 'm',
  step: 1,
  toolCallId: 'c',
  toolName: 'write',
  fingerprint: 'f1',
  at: 0,
}

function always(id: string, given: Partial<ToolCallConfirmation> = {}): ToolCallConfirmation {
  return { ...CALL, id, outcome: 'yes_always', ...given }
}

function revocation(id: string, revokes: string): ToolCallConfirmation {
  return { ...CALL, id, outcome: 'no', revokes }
}

function event(id: string, policyId: string, what: PolicyEvent['event'] = 'used'): PolicyEvent {
  return { ...CALL, id, policyId, event: what }
}

function statuses(records: readonly ConfirmationRecord[], now = 0): ToolApprovalPolicyStatus[] {
  return deriveApprovalPolicies(records, { now }).map(({ status }) => status)
}

describe('deriveApprovalPolicies', () => {
  it('makes a policy of every yes_always, in their order, and of nothing else', () => {
    const first = always('a', { scope: { covers: 'tool', where: 'everywhere' } })
    const records: ConfirmationRecord[] = [
      first,
      { ...always('b'), outcome: 'yes' },
      { ...always('c'), outcome: 'no' },
      always('d'),
      event('e', 'nobody'),
      revocation('f', 'nobody'),
    ]
    expect(deriveApprovalPolicies(records, { now: 0 })).toEqual([
      {
        id: 'a',
        toolName: 'write',
        scope: { covers: 'tool', where: 'everywhere' },
        confirmation: first,
        uses: 0,
        suspensions: [],
        status: 'standing',
      },
      expect.objectContaining({ id: 'd', scope: {} }),
    ])
  })

  it('is suspended until each suspension is ended, in any order of the records', () => {
    const records = [
      always('a'),
      event('s', 'a', 'suspended'),
      event('t', 'a', 'suspended'),
      { ...event('r', 'a', 'resumed'), suspension: 's' },
    ]
    expect(statuses(records)).toEqual(['suspended'])
    const ended = [...records, { ...event('u', 'a', 'resumed'), suspension: 't' }]
    expect(statuses(ended)).toEqual(['standing'])
    expect(statuses(ended.toReversed())).toEqual(['standing'])
    expect(statuses([...ended, ...ended])).toEqual(['standing'])
    expect(statuses([...ended, revocation('x', 'a')])).toEqual(['revoked'])
  })

  it('is revoked by a revocation, wherever in the list it stands', () => {
    expect(statuses([always('a'), revocation('r', 'a')])).toEqual(['revoked'])
    expect(statuses([revocation('r', 'a'), always('a')])).toEqual(['revoked'])
    expect(statuses([always('a'), always('b'), revocation('r', 'a')])).toEqual([
      'revoked',
      'standing',
    ])
  })

  it.for(['call-failed', 'schema-changed'] as const)('is void after %s', (what) => {
    expect(statuses([always('a'), event('e', 'a', what), event('u', 'a')])).toEqual(['void'])
  })

  it('counts a use once, however often its record comes', () => {
    const records = [
      always('a', { scope: { covers: 'tool', uses: 2 } }),
      event('u', 'a'),
      event('u', 'a'),
    ]
    expect(deriveApprovalPolicies(records, { now: 0 })).toMatchObject([
      { uses: 1, status: 'standing' },
    ])
    expect(statuses([...records, event('v', 'a')])).toEqual(['used-up'])
    // Another record of the same id cannot widen what the first one said.
    const wider = always('a', { scope: {} })
    expect(statuses([...records, event('v', 'a'), wider])).toEqual(['used-up'])
  })

  it('is expired from its time on', () => {
    const records = [always('a', { scope: { covers: 'tool', until: 10 } })]
    expect(statuses(records, 9)).toEqual(['standing'])
    expect(statuses(records, 10)).toEqual(['expired'])
  })

  it('stays expired once that was seen, whatever the clock says later', () => {
    const records = [
      always('a', { scope: { covers: 'tool', until: 10 } }),
      event('e', 'a', 'expired'),
    ]
    expect(statuses(records, 9)).toEqual(['expired'])
    expect(statuses(records.toReversed(), 9)).toEqual(['expired'])
    expect(statuses([...records, event('f', 'a', 'call-failed')], 9)).toEqual(['void'])
  })

  it('does not stand for a clock that says no time, where it has an end', () => {
    const records = [always('a', { scope: { covers: 'tool', until: 10 } }), always('b')]
    expect(statuses(records, Number.NaN)).toEqual(['expired', 'standing'])
  })

  it.for([Number.NaN, Infinity, null])('is none with the end %s', (until) => {
    const stored: ToolCallConfirmation = JSON.parse(JSON.stringify(always('a')))
    expect(statuses([{ ...stored, scope: { covers: 'tool', until: until as number } }])).toEqual([])
  })

  it('names the strongest reason', () => {
    const records: ConfirmationRecord[] = [
      always('a', { scope: { covers: 'tool', until: 1, uses: 1 } }),
    ]
    records.push(event('u', 'a'))
    expect(statuses(records, 0)).toEqual(['used-up'])
    expect(statuses(records, 1)).toEqual(['expired'])
    records.push(event('e', 'a', 'call-failed'))
    expect(statuses(records, 1)).toEqual(['void'])
    records.push(revocation('r', 'a'))
    expect(statuses(records, 1)).toEqual(['revoked'])
  })

  it('is void when the tool takes another input now', () => {
    const records = [always('a', { schema: 's1' }), always('b')]
    const withTools = (tools?: ReadonlyMap<string, string | undefined>) =>
      deriveApprovalPolicies(records, { now: 0, tools }).map(({ status }) => status)
    expect(withTools()).toEqual(['standing', 'standing'])
    expect(withTools(new Map([['write', 's1']]))).toEqual(['standing', 'void'])
    expect(withTools(new Map([['write', 's2']]))).toEqual(['void', 'void'])
    expect(withTools(new Map([['write', undefined]]))).toEqual(['void', 'standing'])
    expect(withTools(new Map())).toEqual(['void', 'standing'])
  })

  it('leaves out what other conversations keep for themselves', () => {
    const records = [
      always('a', { conversationId: 'there' }),
      always('b', { conversationId: 'there', scope: { covers: 'tool', where: 'everywhere' } }),
      always('c', { conversationId: 'there', scope: { covers: 'tool', where: 'conversation' } }),
      always('d'),
    ]
    const ids = (conversationId?: string) =>
      deriveApprovalPolicies(records, { now: 0, conversationId }).map(({ id }) => id)
    expect(ids('here')).toEqual(['b', 'd'])
    expect(ids('there')).toEqual(['a', 'b', 'c'])
    expect(ids()).toEqual(['a', 'b', 'c', 'd'])
  })

  it.for([null, 'tool', { covers: 'all' }, { uses: 0 }, { covers: { '/a': {} } }, { more: 1 }])(
    'makes no policy of a yes_always whose stored scope is %j',
    (scope) => {
      const stored: ToolCallConfirmation = JSON.parse(JSON.stringify({ ...always('a'), scope }))
      expect(statuses([stored, always('b')])).toEqual(['standing'])
    },
  )
})

describe('findPolicy', () => {
  const call = { toolName: 'write', input: { path: 'src/a' }, fingerprint: 'f1' }

  it('finds the first standing policy that covers the call', () => {
    const policies = deriveApprovalPolicies(
      [
        always('revoked'),
        revocation('r', 'revoked'),
        always('other tool', { toolName: 'read' }),
        always('other path', { scope: { covers: { '/path': { prefix: 'docs' } } } }),
        always('other input', { fingerprint: 'f2', scope: { covers: 'input' } }),
        always('path', { scope: { covers: { '/path': { prefix: 'src' } } } }),
        always('tool'),
      ],
      { now: 0 },
    )
    expect(findPolicy(policies, call)?.id).toBe('path')
    expect(findPolicy(policies, { ...call, input: { path: 'etc' } })?.id).toBe('tool')
    expect(findPolicy(policies, { ...call, toolName: 'send' })).toBeUndefined()
  })

  it('finds for a call of risk destroy one that covers its exact input', () => {
    const destroy = { ...call, risk: 'destroy' } as const
    const scopes: (ApprovalScope | undefined)[] = [
      undefined,
      { covers: 'tool' },
      { covers: { '/path': { oneOf: ['src/a'] } } },
      { covers: 'input' },
    ]
    const records = scopes.map((scope, index) => always(`${index}`, { scope }))
    const policies = deriveApprovalPolicies(records, { now: 0 })
    expect(findPolicy(policies, destroy)?.id).toBe('3')
    expect(findPolicy(policies, { ...destroy, fingerprint: 'f2' })).toBeUndefined()
    expect(findPolicy(policies, { ...call, risk: 'send' })?.id).toBe('0')
  })
})

/** The same by the words of the rules, going through all records for each of them. */
function statusByTheRules(
  policy: ToolCallConfirmation,
  records: readonly ConfirmationRecord[],
  { now, tools }: { now: number; tools: ReadonlyMap<string, string | undefined> | undefined },
): ToolApprovalPolicyStatus {
  const events = records.filter(
    (record): record is PolicyEvent => 'event' in record && record.policyId === policy.id,
  )
  const uses = new Set(events.filter((one) => one.event === 'used').map((one) => one.id)).size
  const { until = Infinity, uses: bound = Infinity } = policy.scope ?? {}
  if (records.some((one) => 'revokes' in one && one.revokes === policy.id)) return 'revoked'
  if (events.some((one) => one.event !== 'used')) return 'void'
  if (tools !== undefined && tools.get(policy.toolName) !== policy.schema) return 'void'
  if (now >= until) return 'expired'
  return uses >= bound ? 'used-up' : 'standing'
}

describe('policies in random histories', () => {
  const ids = constantFrom('a', 'b', 'c')
  const scopes = recordOf(
    {
      covers: constantFrom<ApprovalScope['covers'][]>('tool', 'input', { '/n': { max: 1 } }),
      where: constantFrom<ApprovalScope['where'][]>('conversation', 'everywhere'),
      until: integer({ min: 5, max: 12 }),
      uses: integer({ min: 1, max: 2 }),
    },
    { requiredKeys: [] },
  )
  const confirmations = ['a', 'b', 'c'].map((id) =>
    recordOf({
      outcome: constantFrom<ToolCallConfirmation['outcome'][]>(
        'yes_always',
        'yes_always',
        'yes_always',
        'yes',
      ),
      conversationId: constantFrom('here', 'here', 'there'),
      toolName: constantFrom('write', 'read'),
      fingerprint: constantFrom('f1', 'f2'),
      schema: option(constantFrom('s1', 's2'), { nil: undefined }),
      scope: option(scopes, { nil: undefined }),
    }).map((given) => always(id, given)),
  )
  const events = array(
    recordOf({
      id: constantFrom('e1', 'e2', 'e3', 'e4'),
      policyId: ids,
      what: constantFrom<(PolicyEvent['event'] | 'revoke')[]>(
        ...(['used', 'used', 'used', 'used', 'used', 'used'] as const),
        ...(['call-failed', 'schema-changed', 'revoke'] as const),
      ),
    }).map(({ id, policyId, what }) => {
      return what === 'revoke' ? revocation(id, policyId) : event(id, policyId, what)
    }),
    { maxLength: 6 },
  )
  const histories = recordOf({
    order: shuffledSubarray([0, 1, 2], { minLength: 1 }),
    all: recordOf({ a: confirmations[0]!, b: confirmations[1]!, c: confirmations[2]! }),
    events,
    more: events,
  }).map(({ order, all, events, more }) => {
    const given = [all.a, all.b, all.c]
    return { made: order.map((index) => given[index]!), events, more }
  })
  const options = recordOf({
    now: integer({ min: 0, max: 9 }),
    tools: option(
      constantFrom(
        new Map([['write', 's1']]),
        new Map<string, string | undefined>([['read', undefined]]),
      ),
      { nil: undefined, freq: 2 },
    ),
    conversationId: option(constantFrom('here', 'there'), { nil: undefined }),
  })
  const calls = recordOf({
    toolName: constantFrom('write', 'read'),
    input: constantFrom({ n: 1 }, { n: 2 }, null),
    fingerprint: constantFrom('f1', 'f2'),
    risk: constantFrom('destroy', 'destroy', 'read', undefined),
  })

  it('are those that the rules say, in any order of events, and never stand again', () => {
    // How often each of these was so: a rule that is never met would prove nothing.
    const seen = new Map<string, number>()
    const count = (name: string) => seen.set(name, (seen.get(name) ?? 0) + 1)
    const run = property(histories, options, calls, ({ made, events, more }, options, call) => {
      const records = [...made, ...events]
      const policies = deriveApprovalPolicies(records, options)
      const { conversationId } = options
      const expected = made.filter(
        (one) =>
          one.outcome === 'yes_always' &&
          (conversationId === undefined ||
            one.conversationId === conversationId ||
            one.scope?.where === 'everywhere'),
      )
      expect(policies.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
      for (const [index, { status, confirmation }] of policies.entries()) {
        expect(status).toBe(statusByTheRules(expected[index]!, records, options))
        expect(confirmation).toBe(expected[index])
        count(status)
      }
      if (expected.length < made.length) count('left out')

      // Events in any order, also before what they are about; and everything twice.
      const turned = [...events.toReversed(), ...made]
      expect(deriveApprovalPolicies(turned, options)).toEqual(policies)
      expect(deriveApprovalPolicies([...records, ...records], options)).toEqual(policies)

      const later = deriveApprovalPolicies([...records, ...more], {
        ...options,
        now: options.now + 1,
      })
      for (const [index, { status, uses }] of policies.entries()) {
        expect(later[index]!.uses).toBeGreaterThanOrEqual(uses)
        expect(status !== 'standing' && later[index]!.status === 'standing').toBe(false)
        expect(status === 'revoked' && later[index]!.status !== 'revoked').toBe(false)
        if (status === 'standing' && later[index]!.status !== 'standing') count('fell later')
      }

      const found = findPolicy(policies, call)
      if (!found) return
      count(call.risk === 'destroy' ? 'found for destroy' : 'found')
      expect(found.status).toBe('standing')
      expect(found.toolName).toBe(call.toolName)
      const isExact =
        found.scope.covers === 'input' && found.confirmation.fingerprint === call.fingerprint
      expect(call.risk !== 'destroy' || isExact).toBe(true)
    })
    assert(run, { numRuns: 10_000, unbiased: true })
    process.stdout.write(`\n10000 histories: ${JSON.stringify(Object.fromEntries(seen))}\n`)
    const names = ['standing', 'revoked', 'void', 'expired', 'used-up', 'left out', 'fell later']
    const rare = [...names, 'found', 'found for destroy'].filter(
      (name) => (seen.get(name) ?? 0) < 50,
    )
    expect(rare).toEqual([])
  })
})
