import type { FieldPattern } from '@assent/engine'
import type { AuditWords, PolicyWords } from './approval-words.ts'
import { formatList } from './format.ts'
import type { AssentLocale } from './locale.ts'
import { layWords } from './words.ts'

const ENGLISH = { code: 'en' }

/** English. */
export const enPolicies: PolicyWords = {
  label: 'Standing permissions',
  none: 'No standing permissions',
  noneHint: 'Permissions you give with “Always…” appear here. Revoke them anytime.',
  everyCall: 'every call',
  thisCall: 'exactly this call',
  when: (fields) => `when ${formatList(ENGLISH, fields, 'and')}`,
  field: (name, pattern) => `${name} ${patternWords(pattern)}`,
  wholeInput: 'input',
  here: 'In this conversation',
  everywhere: 'Everywhere',
  until: (time) => `until ${time}`,
  usesLeft: (count) => (count === 1 ? 'once more' : `${count} more times`),
  uses: (count) => {
    if (count === 0) return 'not used yet'
    return count === 1 ? 'used once' : `used ${count} times`
  },
  what: (tool, covered) => `${tool}, ${covered}`,
  given: (time, sentence, place) => {
    const call = sentence === undefined ? '' : ` for “${sentence}”`
    return `You chose Always on ${time}${call}${place === undefined ? '' : `, ${place}`}`
  },
  otherConversation: 'in another conversation',
  showCall: 'Show the call',
  revoke: 'Revoke',
  revokeWhat: (tool, covered) => `Revoke: ${tool}, ${covered}`,
  asksAgain: (notStarted) => {
    const again = 'You’ll be asked again before each of these calls.'
    if (notStarted === 0) return again
    return notStarted === 1
      ? `${again} 1 approved call hasn’t started and will need your approval.`
      : `${again} ${notStarted} approved calls haven’t started and will need your approval.`
  },
  keep: 'Keep it',
  paused: 'Paused',
  pausedHint:
    'Paused permissions ask you again. Resuming also approves waiting calls that they cover.',
  resume: 'Resume',
}

/** English. */
export const enAudit: AuditWords = {
  label: 'Decisions',
  none: 'No decisions yet',
  noneFound: 'No matching decisions',
  undated: 'No date',
  search: 'Search decisions',
  tool: 'Tool',
  outcome: 'Decision',
  by: 'Decided by',
  all: 'All',
  outcomes: {
    approved: 'Approved',
    always: 'Always allowed',
    denied: 'Denied',
    answered: 'Answered',
    revoked: 'Permission revoked',
    suspended: 'Permission paused',
    resumed: 'Permission resumed',
    voided: 'Permission ended',
  },
  count: (count, total) => {
    const all = `${total} ${total === 1 ? 'decision' : 'decisions'}`
    return count === total ? all : `${count} of ${all}`
  },
  more: (count) => `Show ${count} more`,
  exportAs: (format) => `Export as ${format}`,
  reason: 'Reason',
  allowed: 'Allowed',
  allowedBy: (time) => `Allowed by the permission you gave on ${time}`,
  revokedAt: (covered, time) => `${covered}, revoked ${time}`,
  revocation: 'It had allowed',
  input: 'Input',
  changes: 'Changed by you',
  result: 'Result',
  took: 'Took',
  showCall: 'Show the call',
}

/** The words of the list of standing permissions. */
export function policyWords({ approvals }: AssentLocale): PolicyWords {
  return layWords(enPolicies, approvals.policies ?? {})
}

/** The words of the record of decisions. */
export function auditWords({ approvals }: AssentLocale): AuditWords {
  return layWords(enAudit, approvals.audit ?? {})
}

function patternWords(pattern: FieldPattern): string {
  if ('prefix' in pattern) return `begins with “${pattern.prefix}”`
  if ('glob' in pattern) return `fits “${pattern.glob}”`
  if ('oneOf' in pattern) return `is ${formatList(ENGLISH, pattern.oneOf.map(valueWords), 'or')}`
  const { min, max } = pattern
  if (min === undefined) return `is at most ${max}`
  return max === undefined ? `is at least ${min}` : `is from ${min} to ${max}`
}

function valueWords(value: string | number | boolean | null): string {
  return typeof value === 'string' ? `“${value}”` : String(value)
}
