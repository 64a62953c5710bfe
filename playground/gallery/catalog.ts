import { scenes, type Scene } from '../../packages/components/test/scenes/scenes.ts'

/** One state of the components. */
export interface Entry {
  name: string
  label: string
  scene?: Scene
  /** A panel in the place of a chat. */
  panel?: 'policies' | 'audit'
  isEmpty?: boolean
  /** What is clicked when it is shown. */
  steps?: readonly string[]
}

export interface Chapter {
  title: string
  entries: readonly Entry[]
}

type Line = readonly [name: string, label: string, more?: { of?: string; steps?: string[] }]

const EDIT = '[data-slot="edit"]'
const APPROVE = '[data-slot="approve"]'

function chapter(title: string, lines: readonly Line[]): Chapter {
  return {
    title,
    entries: lines.map(([name, label, { of = name, steps = [] } = {}]) => {
      const scene = scenes.get(of)
      if (!scene) throw new Error(`There is no scene ${of}.`)
      return { name, label, scene, steps }
    }),
  }
}

/** Everything there is to see. */
export const chapters: readonly Chapter[] = [
  chapter('Asking', [
    ['asks', 'Three cards that ask'],
    ['one', 'One card'],
    ['risks', 'Every risk'],
    ['preview-p1', 'A diff'],
    ['preview-p2', 'A command'],
    ['preview-p3', 'A request'],
    ['preview-p4', 'A table'],
    ['preview-p5', 'An e-mail'],
    ['evidence', 'Characters that hide'],
    ['folded', 'A long text, folded'],
    ['elsewhere', 'A call of the server'],
    ['expired', 'Expired'],
    ['not-recorded', 'It could not be recorded'],
    ['not-taken', 'Its server did not take the decision'],
    ['typed', 'Approved by typing', { steps: [APPROVE] }],
    ['undo', 'Time to undo', { steps: [APPROVE] }],
  ]),
  chapter('Deciding', [
    ['deny', 'A reason to deny', { of: 'one', steps: ['[data-slot="deny"]'] }],
    ['form', 'Edit: a form', { steps: [EDIT] }],
    ['json', 'Edit: JSON', { of: 'asks', steps: [EDIT] }],
    ['always', 'A history that counts'],
    ['always-form', 'Always', { of: 'always', steps: ['[data-slot="always"]'] }],
    ['answer', 'A question to answer'],
  ]),
  chapter('Calls', [
    ['states', 'Every state'],
    ['lines', 'Lines and receipts'],
    ['sending-decision', 'A decision is sent again'],
    ['may-have-run', 'A decision without an answer'],
    [
      'opened',
      'An opened receipt',
      { of: 'provenance', steps: ['.as-line-row[aria-expanded="false"]'] },
    ],
    ['provenance', 'Who decided'],
    ['edited', 'Approved with changes'],
    ['groups', 'Folded groups'],
  ]),
  chapter('Approvals', [
    ['tray', 'The tray'],
    ['tray-open', 'The tray, open', { of: 'tray', steps: ['[data-slot="review"]'] }],
    ['tray-two', 'Two that wait'],
    ['tray-many', 'Fifty that wait'],
  ]),
  {
    title: 'Panels',
    entries: [
      { name: 'policies', label: 'Standing permissions', panel: 'policies' },
      { name: 'policies-empty', label: 'No permissions', panel: 'policies', isEmpty: true },
      { name: 'audit', label: 'Audit trail', panel: 'audit' },
      { name: 'audit-empty', label: 'Nothing was decided', panel: 'audit', isEmpty: true },
      ...chapter('', [['conversations', 'Conversations']]).entries,
    ],
  },
  chapter('Conversation', [
    ['text', 'A Markdown article'],
    ['content', 'Code, math, footnotes'],
    ['parts', 'Files and unknown parts'],
    ['actions', 'Actions of a message'],
    ['streaming', 'An answer that streams'],
    ['working', 'At work'],
    ['aborted', 'Stopped'],
    ['error', 'An error, and a queue on hold'],
    ['waiting', 'Waiting for the server'],
    ['max-steps', 'Too many steps'],
    ['cut', 'Cut off at its length'],
    ['filtered', 'Cut off by a filter'],
    ['refused', 'Declined'],
    ['silent', 'An empty reply'],
    ['unanswered', 'Not answered'],
    ['empty', 'Empty'],
    ['prompts', 'Empty, with prompts'],
  ]),
  chapter('Composer', [
    ['attachments', 'Attachments'],
    ['draft', 'A draft'],
    ['too-long', 'Too long'],
    ['queue', 'A queue'],
    ['queue-held', 'A queue on hold'],
  ]),
  chapter('Languages and looks', [
    ['asks-rtl', 'Asking, from right to left'],
    ['lines-rtl', 'Lines, from right to left'],
    ['text-rtl', 'An article, from right to left'],
    ['error-rtl', 'An error, from right to left'],
    ['asks-zh-CN', 'Asking, zh-CN'],
    ['lines-zh-CN', 'Lines, zh-CN'],
    ['error-zh-CN', 'An error, zh-CN'],
    ['asks-zh-TW', 'Asking, zh-TW'],
    ['lines-zh-TW', 'Lines, zh-TW'],
    ['error-zh-TW', 'An error, zh-TW'],
    ['asks-compact', 'Asking, compact'],
    ['lines-compact', 'Lines, compact'],
    ['text-compact', 'An article, compact'],
  ]),
]

/** All entries, by name. */
export const entries: ReadonlyMap<string, Entry> = new Map(
  chapters.flatMap((one) => one.entries).map((entry) => [entry.name, entry]),
)
