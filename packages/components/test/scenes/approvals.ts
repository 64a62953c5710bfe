import type { EngineState } from '@assent/engine'
import type { UIMessage } from 'ai'
import {
  ask,
  AT,
  assistant,
  call,
  elsewhere,
  question,
  succeeded,
  text,
  user,
} from '../fixtures.ts'

type Scene = Partial<EngineState> & { messages: readonly UIMessage[] }

const turn = {
  id: 't1',
  userMessageId: 'u1',
  step: 1,
  maxSteps: 25,
  unsent: [],
  customContext: {},
} satisfies EngineState['turn']

const list = succeeded(
  call('list_files', 'r1', { state: 'input-available', input: { path: 'reports' } }),
  ['2025-Q1.pdf', '2025-Q2.pdf'],
)
const remove = ask(
  'delete_files',
  'c1',
  { paths: ['reports/2025-Q1.pdf', 'reports/2025-Q2.pdf'], permanently: true },
  { summary: 'Delete 2 files from reports', risk: 'destroy' },
  'Asked by your rule “deleting”',
)
const edit = ask(
  'edit_file',
  'c2',
  { path: 'README.md', find: '# Raports', replace: '# Reports' },
  { summary: 'Change the title in README.md', risk: 'write' },
)
const mail = ask(
  'send_email',
  'c3',
  {
    to: 'dana@example.com',
    subject: 'Reports cleaned up',
    body: 'Hi Dana,\n\nthe reports folder is tidy again: I removed the two reports of last year.\n\nBest,\nYour assistant',
  },
  { summary: 'Send an e-mail to dana@example.com', risk: 'send' },
)
const backup = elsewhere(
  ask('run_backup', 'c4', { target: 'nightly' }, { summary: 'Back up the notes', risk: 'write' }),
  { expiresAt: AT + 4e12 },
)
const which = question('ask_person', 'c5', {
  question: 'Which of the two addresses is the right one?',
})
const note = (index: number) =>
  ask(
    'write_note',
    `n${index}`,
    { path: `notes/bills/${index}.md`, text: 'Due on Friday' },
    { summary: `Write the note notes/bills/${index}.md`, risk: 'write' },
  )

/** What the tray has to show. */
export const approvalScenes = new Map<string, Scene>([
  [
    'tray',
    {
      requestState: 'paused',
      turn,
      messages: [
        user('u1', 'Clean up the reports folder, fix the README, and tell Dana it’s done.'),
        assistant('a1', text('I looked first.'), list, remove, edit, mail, backup, which),
      ],
    },
  ],
  [
    'tray-two',
    {
      requestState: 'paused',
      turn,
      messages: [
        user('u1', 'Fix the README and back up my notes.'),
        assistant('a1', text('Two things to do.'), edit, backup),
      ],
    },
  ],
  [
    'tray-many',
    {
      requestState: 'paused',
      turn,
      messages: [
        user('u1', 'Write a note for every bill.'),
        assistant('a1', ...Array.from({ length: 50 }, (_, index) => note(index + 1))),
      ],
    },
  ],
])
