import type { ApprovalWords } from './approval-words.ts'

/** English. */
export const enApproval: ApprovalWords = {
  tray: {
    label: 'Needs you',
    waiting: (count) => (count === 1 ? '1 action needs you' : `${count} actions need you`),
    show: 'Show',
    review: 'Review',
    hide: 'Hide',
    approveSeen: (count, all) => {
      return all ? `Approve all ${count}…` : `Approve ${count} reviewed…`
    },
    approveTitle: (count) => (count === 1 ? 'Approve this one?' : `Approve these ${count}?`),
    approve: (count) => `Approve ${count}`,
    leftOut: 'Not included',
    why: {
      answer: 'Needs your answer',
      editing: 'Being edited',
      destroy: 'Can’t be undone. Review it separately.',
      checkFailed: 'Its rules failed. Review it separately.',
      notRecorded: 'Couldn’t be recorded. Review it separately.',
      expired: 'May have expired',
      typed: 'Needs typed confirmation',
      unseen: 'Not reviewed yet',
    },
    denyAll: (count) => (count === 1 ? 'Deny…' : `Deny all ${count}…`),
    deny: (count) => `Deny ${count}`,
    elsewhere: 'Runs on the server',
    notify: 'Notify me when I’m away',
  },
  attention: {
    title: (count, title) => `(${count}) ${title}`,
    ended: (title) => `✓ ${title}`,
    turnEnded: 'The reply is complete',
  },
}
