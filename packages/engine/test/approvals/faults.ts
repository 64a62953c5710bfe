import type { Fault } from '../turns/faults.ts'
import type { Invariant } from './invariants.ts'

/** A mistake about decisions. */
export interface DecisionFault extends Fault {
  /** What it breaks first. */
  readonly breaks: readonly Invariant[]
}

export const FAULTS: readonly DecisionFault[] = [
  {
    name: 'a fingerprint leaves out the input',
    file: 'plugins/tools/fingerprint.ts',
    right: 'canonicalJson([toolName, input ?? null])',
    wrong: 'canonicalJson([toolName, input && null])',
    breaks: ['I2 a decision is bound to its call and input'],
  },
  {
    name: 'what was changed after a yes runs',
    file: 'plugins/tools/apply-policies.ts',
    right: 'if (record?.fingerprint !== fingerprint)',
    wrong: 'if (!record)',
    breaks: ['I2 what was changed after a yes is asked about again'],
  },
  {
    name: 'an edit is approved, and what was read before runs',
    file: 'plugins/tools/read-call.ts',
    right: 'const json = JSON.stringify(source)',
    wrong:
      "const json = JSON.stringify((part.toolMetadata?.['assent'] as { originalInput?: unknown } | undefined)?.originalInput ?? source)",
    breaks: [
      'I2 rules are asked about the input that is to run',
      'I2 what was let run does run, and what is to be asked is asked',
    ],
  },
  {
    name: 'the same decision again is recorded again',
    file: 'plugins/tools/plan-decisions.ts',
    right: 'editedInput: undefined, isRepeated: true }',
    wrong: 'editedInput: undefined, isRepeated: false }',
    breaks: ['I3 the first decision on a call counts'],
  },
  {
    name: 'a second decision of another kind is taken for the first',
    file: 'plugins/tools/plan-decisions.ts',
    right: 'before.outcome === outcome &&',
    wrong: '',
    breaks: [
      'I3 the identical decision again changes nothing',
      'I3 a conflicting decision is refused',
    ],
  },
  {
    name: 'of several decisions those count that can be made',
    file: 'plugins/tools/resume-tool-call.ts',
    right: 'if (errors.length === 0) return results',
    wrong: 'if (results.length > 0) return results',
    breaks: ['I3 of several decisions all count, or none'],
  },
  {
    name: 'a cancelled call is told, and left without a result',
    file: 'plugins/tools/settle-by-hand.ts',
    right: "if (stop) stop(new DOMException(errorText, 'AbortError'), 'cancelled')",
    wrong: 'if (stop) void stop',
    breaks: ['I3 an answer or a cancellation is the result'],
  },
  {
    name: 'a no lets the call run',
    file: 'plugins/tools/decide-calls.ts',
    right: "const approved = outcome !== 'no'",
    wrong: 'const approved = outcome.length > 0',
    breaks: ['I5 a denied call never runs'],
  },
  {
    name: 'a deny of the rules comes too late after a yes',
    file: 'plugins/tools/decide.ts',
    right: "if (isConfirmed && type !== 'deny') {",
    wrong: 'if (isConfirmed) {',
    breaks: ['I6 a deny of a rule beats a yes and a policy'],
  },
  {
    name: 'the rules are not asked again after a yes',
    file: 'plugins/tools/check-call.ts',
    right: 'const decision: CallDecision = isRuleAsked(reading)',
    wrong: 'const decision: CallDecision = isRuleAsked(reading) && part.approval === undefined',
    breaks: [
      'I6 rules are asked again after a person was',
      'I2 what was let run does run, and what is to be asked is asked',
    ],
  },
  {
    name: 'a policy lowers a failed check',
    file: 'plugins/tools/apply-policies.ts',
    right: 'if (checkFailed || refused || isExpired(',
    wrong: 'if (refused || isExpired(',
    breaks: ['I6 no policy beats a failed check'],
  },
  {
    name: 'a policy covers what destroys',
    file: 'plugins/tools/scope.ts',
    right: "if (call.risk === 'destroy' || call.exactOnly) return false",
    wrong: '',
    breaks: ['I6 only the exact input covers what destroys'],
  },
  {
    name: 'a revocation forgets what waits to start',
    file: 'plugins/tools/policy-commands.ts',
    right: 'reopenCalls(scope, (id) => id === policyId)',
    wrong: 'reopenCalls(scope, () => false)',
    breaks: ['I7 a revocation asks again at once'],
  },
  {
    name: 'a revoked policy still stands',
    file: 'plugins/tools/policies.ts',
    right: "return status === 'standing' && coversCall(",
    wrong: "return (status === 'standing' || status === 'revoked') && coversCall(",
    breaks: ['I7 what was revoked covers nothing that has not started'],
  },
  {
    name: 'permissions stand when everything is stopped',
    file: 'plugins/tools/policy-commands.ts',
    right: '=> isHolding(status))',
    wrong: '=> !isHolding(status))',
    breaks: ['I7 to stop everything suspends what stands'],
  },
  {
    name: 'a suspended policy still stands',
    file: 'plugins/tools/policies.ts',
    right: "else if (suspensions.length > 0) status = 'suspended'",
    wrong: '',
    breaks: [
      'I7 what was suspended covers nothing that has not started',
      'I8 policies are those of the history',
    ],
  },
  {
    name: 'a policy is used once too often',
    file: 'plugins/tools/policies.ts',
    right: 'uses >= scope.uses',
    wrong: 'uses > scope.uses',
    breaks: ['I7 what is void, used up or meant elsewhere covers nothing'],
  },
  {
    name: 'an always is not void when its call fails',
    file: 'plugins/tools/apply-policies.ts',
    right: "if (hasFailed(context, confirmation)) event = 'call-failed'",
    wrong: 'if (hasFailed(context, confirmation)) event = undefined',
    breaks: ['I7 what is void, used up or meant elsewhere covers nothing'],
  },
  {
    name: 'a policy of another conversation counts here',
    file: 'plugins/tools/policies.ts',
    right: "isElsewhere && scope.where !== 'everywhere'",
    wrong: "isElsewhere && scope.where === 'conversation'",
    breaks: ['I7 what is void, used up or meant elsewhere covers nothing'],
  },
  {
    name: 'a pattern covers whatever the fields say',
    file: 'plugins/tools/scope.ts',
    right: "covers === 'tool' || matchesFields(covers, call.input)",
    wrong: 'covers !== undefined',
    breaks: ['I8 an automatic yes names its policy and the click behind it'],
  },
  {
    name: 'an automatic yes does not name its policy',
    file: 'plugins/tools/apply-policies.ts',
    right: '`Always allowed: confirmation ${policyId}.`',
    wrong: "'Always allowed.'",
    breaks: ['I8 an automatic yes names its policy and the click behind it'],
  },
  {
    name: 'an always does not say what it settles',
    file: 'plugins/tools/decide-calls.ts',
    right: 'const settled = applyPolicies(scope)',
    wrong: 'const settled = applyPolicies(scope).slice(0, 0)',
    breaks: ['I8 an always says what it settles'],
  },
]
