import {
  ask,
  AT,
  call,
  decided,
  executing,
  question,
  succeeded,
  text,
  user,
  withMetadata,
} from '../fixtures.ts'

// A person has a folder cleaned up: the words and calls of most scenes.

export const request = user(
  'u1',
  'Clean up the reports folder, fix the title in the README, and tell Dana it’s done.',
)
export const looked = text(
  'I looked through the folder first. Two reports are from last year and nothing links to them.',
)
export const read = succeeded(
  call('list_files', 'c1', { state: 'input-available', input: { path: 'reports' } }),
  ['2025-Q1.pdf', '2025-Q2.pdf', '2026-Q1.pdf', 'index.md'],
  1_240,
)
export const searching = executing(
  call('search_files', 'c2', { state: 'input-available', input: { query: '2025-Q1' } }),
  Date.now() - 12_000,
)
export const remove = ask(
  'delete_files',
  'c3',
  { paths: ['reports/2025-Q1.pdf', 'reports/2025-Q2.pdf'], permanently: true },
  { summary: 'Delete 2 files from reports', risk: 'destroy' },
  'Asked by your rule “deleting”',
)
export const edit = ask(
  'edit_file',
  'c4',
  { path: 'README.md', find: '# Raports', replace: '# Reports' },
  { summary: 'Change the title in README.md', risk: 'write' },
)
export const mail = ask(
  'send_email',
  'c5',
  {
    to: 'dana@example.com',
    subject: 'Reports cleaned up',
    body: 'Hi Dana,\n\nthe reports folder is tidy again: I removed the two reports of last year that nothing linked to, and fixed the title of the README.\n\nBest,\nYour assistant',
  },
  { summary: 'Send an e-mail to dana@example.com', risk: 'send' },
)

export const failed = withMetadata(
  {
    ...decided(remove, true),
    state: 'output-error',
    errorText: 'EACCES: permission denied',
  } as never,
  { startedAt: AT, endedAt: AT + 12 },
)

export const write = (id: string, path: string) =>
  ask('write_note', id, { path, text: 'Due on Friday' }, { summary: `Write the note ${path}` })
export const always = {
  id: 'k1',
  conversationId: 'c',
  messageId: 'a0',
  step: 1,
  toolCallId: 'c0',
  toolName: 'write_note',
  fingerprint: '',
  outcome: 'yes_always',
  at: AT,
} as const
export const asked = question('ask_person', 'c1', {
  question: 'Which of the two addresses is the right one?',
  options: ['12 High Street', '21 High Street'],
})
