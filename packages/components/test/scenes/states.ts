import type { ToolRisk } from '@assent/engine'
import {
  ask,
  AT,
  assistant,
  call,
  decided,
  denied,
  elsewhere,
  executing,
  question,
  succeeded,
  text,
  user,
  withMetadata,
} from '../fixtures.ts'
import type { AskScene } from './ask.ts'

const note = (id: string, summary: string) =>
  ask(
    'write_note',
    id,
    { path: 'notes/rent.md', text: 'Due on Friday' },
    { summary, risk: 'write' },
  )
const ended = (id: string, summary: string, how: 'cancelled' | 'interrupted' | 'timeout') =>
  call(
    'deploy',
    id,
    {
      state: 'output-error',
      input: { target: 'staging' },
      errorText: how === 'timeout' ? 'No answer within 30 s.' : 'The turn was stopped.',
    },
    {
      summary,
      ended: how,
      startedAt: AT,
      ...(how === 'interrupted' ? { mayHaveRun: true } : { endedAt: AT + 30_000 }),
    },
  )

/** Every state of a part, and every status that is derived from it, in the order of a call's life. */
const states = [
  call('write_note', 's1', {
    state: 'input-streaming',
    input: { path: 'notes/rent.md', text: 'Due on Fri' },
    rawInput: '{"path":"notes/rent.md","text":"Due on Fri',
  }),
  call(
    'write_note',
    's2',
    { state: 'input-available', input: { path: 'notes/rent.md' } },
    { summary: 'Its input is checked' },
  ),
  note('s3', 'It awaits approval'),
  question('ask_person', 's4', { question: 'It awaits an output: which of the two is it?' }),
  withMetadata(decided(note('s5', 'It is approved, and waits for its turn'), true), {
    scheduledAt: AT,
  }),
  executing(decided(note('s6', 'It runs'), true), Date.now() - 5_000),
  succeeded(decided(note('s7', 'It is done'), true), 'Saved'),
  withMetadata(
    {
      ...decided(note('s8', 'It failed'), true),
      state: 'output-error',
      errorText: 'EACCES: permission denied',
    } as never,
    { startedAt: AT, endedAt: AT + 12 },
  ),
  denied(note('s9', 'It was denied'), 'Wrong target'),
  ended('s10', 'It was cancelled', 'cancelled'),
  ended('s11', 'It was interrupted, and may have run', 'interrupted'),
  ended('s12', 'It took too long', 'timeout'),
]

const RISKS: readonly (readonly [ToolRisk | undefined, tool: string, summary: string])[] = [
  ['read', 'read_file', 'Read reports/2026-Q1.pdf'],
  ['write', 'write_note', 'Write the note notes/rent.md'],
  ['send', 'send_email', 'Send an e-mail to dana@example.com'],
  ['destroy', 'delete_files', 'Delete 2 files from reports'],
  [undefined, 'ping', 'Ping the server'],
]

export const stateScenes: readonly (readonly [string, AskScene])[] = [
  [
    'states',
    {
      requestState: 'paused',
      messages: [
        user('u1', 'Show me every state of a call.'),
        assistant('a1', text('From the first letter of its input to its end:'), ...states),
      ],
    },
  ],
  [
    'risks',
    {
      requestState: 'paused',
      messages: [
        user('u1', 'Show me every risk.'),
        assistant(
          'a1',
          ...RISKS.map(([risk, tool, summary], index) =>
            ask(tool, `r${index}`, { target: 'reports' }, { summary, ...(risk ? { risk } : {}) }),
          ),
          elsewhere(ask('deploy', 'r9', { target: 'production' }, { summary: 'Deploy' }), {
            risk: 'destroy',
          }),
        ),
      ],
    },
  ],
]
