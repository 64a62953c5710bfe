import type { UIMessage } from 'ai'
import { article } from './scenes/article.ts'
import {
  ask,
  assistant,
  AT,
  call,
  decided,
  denied,
  elsewhere,
  question,
  succeeded,
  text,
  user,
  withMetadata,
} from './fixtures.ts'

const PIXEL = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg"/>')}`
const note = ask('write_note', 'n1', { title: 'Rent' }, { summary: 'Write a note', risk: 'write' })
const settled = decided(note, true)
const asId = <PART extends { toolCallId: string }>(part: PART, toolCallId: string): PART => ({
  ...part,
  toolCallId,
})

/** Every kind of part that there is, in every state that a tool call can have. */
export const everyPart: UIMessage[] = [
  {
    ...user('u1', 'This is the file.'),
    parts: [
      { type: 'file', mediaType: 'application/pdf', filename: 'a.pdf', url: 'https://a.example/a' },
      { type: 'file', mediaType: 'image/svg+xml', filename: 'dot.svg', url: PIXEL },
      { type: 'text', text: 'This is the file.\n\nAnd <b>no</b> markup.' },
    ],
  },
  assistant(
    'a1',
    { type: 'reasoning', text: 'They want a **table**.', state: 'done' },
    { type: 'reasoning-file', mediaType: 'image/svg+xml', url: PIXEL },
    text(article),
    { type: 'file', mediaType: 'image/svg+xml', url: PIXEL },
    { type: 'data-weather', data: { degrees: 21 } },
    { type: 'data-unheard-of', data: { a: [1, 'two', null] } },
    { type: 'custom', kind: 'provider.thing' },
    { type: 'source-url', sourceId: 's1', url: 'https://example.com/p', title: 'Pricing' },
    { type: 'source-document', sourceId: 's2', mediaType: 'text/plain', title: 'Terms' },
    { type: 'step-start' },
    call('write_file', 't1', { state: 'input-streaming', input: { path: 'a.md', text: '# A' } }),
    call('write_file', 't2', { state: 'input-available', input: { path: 'a.md' } }),
    asId(settled, 't3'),
    asId(succeeded(settled, { length: 4 }), 't4'),
    asId(denied(note, 'Not now'), 't5'),
    call('run', 't6', {
      state: 'output-error',
      input: { command: 'x' },
      errorText: 'No such file',
    }),
    call(
      'deploy',
      't7',
      { state: 'output-error', input: {}, errorText: 'The page was closed.' },
      { ended: 'interrupted', startedAt: AT },
    ),
    withMetadata(asId(succeeded(settled, 'Saved'), 't8'), { decidedBy: 'policy' }),
    {
      type: 'dynamic-tool',
      toolName: 'search',
      toolCallId: 't9',
      state: 'output-available',
      input: { query: 'rent' },
      output: ['a', 'b'],
    },
    { type: 'step-start' },
    text('Half a sen', 'streaming'),
    question('ask_person', 't10', { question: 'Which one?' }),
    asId(elsewhere(note, { expiresAt: AT + 4e12 }), 't11'),
    ask('delete_files', 't12', { paths: ['a.pdf', 'b.pdf'] }, { risk: 'destroy' }, 'Your rule'),
  ),
]
