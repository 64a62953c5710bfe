import type { FieldPattern } from '@assent/engine'
import type { ApprovalWords } from './approval-words.ts'
import { formatList } from './format.ts'

const ENGLISH = { code: 'en' }

/** English. */
export const enApproval: ApprovalWords = {
  tray: {
    label: 'Waiting for you',
    waiting: (count) => (count === 1 ? '1 action waits for you' : `${count} actions wait for you`),
    show: 'Show',
    review: 'Review',
    hide: 'Hide',
    approveSeen: (count, all) => {
      if (all) return `Approve all ${count}…`
      return count === 1 ? 'Approve the one you have seen…' : `Approve the ${count} you have seen…`
    },
    approveTitle: (count) => (count === 1 ? 'Approve this one?' : `Approve these ${count}?`),
    approve: (count) => `Approve ${count}`,
    leftOut: 'Left out',
    why: {
      answer: 'waits for your answer',
      destroy: 'cannot be undone, so it is decided by itself',
      checkFailed: 'its rules failed, so it is decided by itself',
      notRecorded: 'couldn’t be recorded, so it is decided by itself',
      expired: 'may have expired',
      typed: 'takes a word to be typed, so it is decided by itself',
      unseen: 'not shown to you in full yet',
    },
    denyAll: (count) => (count === 1 ? 'Deny it…' : `Deny all ${count}…`),
    deny: (count) => `Deny ${count}`,
    elsewhere: 'on the server',
    notify: 'Notify me when I am away',
  },
  policies: {
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
    given: (time) => `You chose Always on ${time}`,
    givenOn: (time) => `You chose Always on ${time} for`,
    otherConversation: 'in another conversation',
    showCall: 'Show the call',
    revoke: 'Revoke',
    revokeWhat: (tool, covered) => `Revoke: ${tool}, ${covered}`,
    asksAgain: 'You will be asked again before each of these calls.',
    asksNow: (count) =>
      count === 1
        ? '1 call that it approved has not started: it will wait for you.'
        : `${count} calls that it approved have not started: they will wait for you.`,
    keep: 'Keep it',
    paused: 'Paused',
    pausedHint: 'Everything was stopped. Paused permissions ask you again.',
    resume: 'Resume',
  },
  audit: {
    label: 'Decisions',
    none: 'No decisions yet',
    noneFound: 'No decision fits',
    today: 'Today',
    yesterday: 'Yesterday',
    undated: 'Without a date',
    search: 'Search decisions',
    tool: 'Tool',
    outcome: 'Decision',
    by: 'By',
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
    byPerson: 'you',
    byRule: 'rule',
    byPolicy: 'your always',
    count: (count, total) => {
      const all = `${total} ${total === 1 ? 'decision' : 'decisions'}`
      return count === total ? all : `${count} of ${all}`
    },
    more: (count) => `Show ${count} more`,
    exportAs: (format) => `Export as ${format}`,
    reason: 'Reason',
    allowed: 'Allowed',
    allowedBy: (time) => `By your always of ${time}`,
    revokedAt: (time) => `revoked ${time}`,
    revocation: 'It had allowed',
    input: 'Input',
    changes: 'Changed by you',
    added: 'added',
    removed: 'removed',
    result: 'Result',
    took: 'Took',
    showCall: 'Show the call',
  },
  attention: {
    title: (count, title) => `(${count}) ${title}`,
    ended: (title) => `✓ ${title}`,
    waits: (count) => (count === 1 ? '1 action waits for you' : `${count} actions wait for you`),
    turnEnded: 'The answer is complete',
  },
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
