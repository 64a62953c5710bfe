import type { EngineState } from '@assent/engine'
import type { ConversationListing } from '@assent/engine/storage'
import type { FileUIPart, UIMessage } from 'ai'
import { assistant, AT, text, user } from '../fixtures.ts'
import type { AsChatProps } from '../../src/index.ts'

/** What is around the messages: composer, queue, prompts, actions, the list of conversations. */
export type ShellScene = Partial<EngineState> & {
  messages: readonly UIMessage[]
  /** Further props of the chat. */
  chat?: Partial<AsChatProps> & { files?: readonly FileUIPart[]; draft?: string }
  /** Conversations beside the chat. */
  conversations?: readonly ConversationListing[]
}

const PICTURE = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#9db7e8"/><circle cx="6" cy="2" r="1" fill="#fff3c4"/><path d="M0 8V6l2-2 2 2 1-1 3 3z" fill="#3f6b4f"/></svg>',
)}`

const files: readonly FileUIPart[] = [
  { type: 'file', mediaType: 'image/svg+xml', filename: 'trip-to-lisbon.svg', url: PICTURE },
  {
    type: 'file',
    mediaType: 'application/pdf',
    filename: 'A report with a name that is far too long for its place, 2026.pdf',
    url: 'https://files.example/report.pdf',
  },
]

const said = [
  user('u1', 'Which reports are from last year?'),
  assistant(
    'a1',
    text('Two of them: **2025-Q1.pdf** and **2025-Q2.pdf**. Nothing links to either of them.'),
  ),
  user('u2', 'Can they go?'),
  assistant('a2', text('I would keep them until the audit in June, and delete them after it.')),
]

const queue = [
  'Then archive the folder of 2024, too, with all of its subfolders',
  'Thanks!',
  'And tell Dana',
].map((words, index) => ({ id: `q${index}`, message: user(`q${index}`, words), held: false }))

function listing(
  id: string,
  title: string,
  more: Partial<ConversationListing>,
): ConversationListing {
  return {
    id,
    title,
    isTitleGiven: false,
    createdAt: AT,
    updatedAt: Date.now(),
    messageCount: 4,
    requestState: 'completed',
    waitingCount: 0,
    unreadCount: 0,
    ...more,
  }
}

const DAY = 86_400_000
const conversations: readonly ConversationListing[] = [
  listing('c1', 'Which reports are from last year?', {}),
  listing('c2', 'Clean up the reports folder, fix the title in the README', {
    requestState: 'paused',
    waitingCount: 2,
  }),
  listing('c3', 'Write a long answer', { requestState: 'processing' }),
  listing('c4', 'Trip to Lisbon', { updatedAt: Date.now() - DAY, unreadCount: 3 }),
  listing('c5', 'Back up the notes', { updatedAt: Date.now() - DAY, requestState: 'error' }),
  listing('c6', '', { updatedAt: Date.now() - 4 * DAY }),
  listing('c7', 'مرحبا بالعالم', { updatedAt: Date.now() - 40 * DAY }),
]

export const shellScenes: readonly (readonly [string, ShellScene])[] = [
  [
    'prompts',
    {
      messages: [],
      chat: {
        prompts: [
          'List my notes',
          { label: 'Write a letter', text: 'Write a letter to Dana about the reports', fill: true },
          { label: 'Plan my week', text: 'Plan my week by what is due in my notes' },
          'What may you do without asking?',
        ],
      },
    },
  ],
  [
    'actions',
    {
      requestState: 'completed',
      messages: said,
      chat: { actions: ['copy', 'edit', 'regenerate', 'feedback'], feedbackOf: () => 'good' },
    },
  ],
  [
    'attachments',
    {
      requestState: 'completed',
      messages: said,
      chat: { composer: { attach: true }, files, draft: 'Compare these two, please' },
    },
  ],
  [
    'too-long',
    { messages: said, chat: { composer: { attach: true, maxLength: 10 }, draft: 'Far too long' } },
  ],
  [
    'queue',
    {
      requestState: 'processing',
      processingState: 'requesting',
      messages: said.slice(0, 3),
      queue,
    },
  ],
  [
    'queue-held',
    {
      requestState: 'aborted',
      messages: said.slice(0, 3),
      queue: queue.map((one) => ({ ...one, held: true })),
    },
  ],
  ['unanswered', { requestState: 'idle', messages: said.slice(0, 3) }],
  [
    'draft',
    {
      messages: said,
      drafts: [{ key: 'composer', value: { text: 'Half a thought about the audit' } }],
      chat: { composer: { attach: true } },
    },
  ],
  ['conversations', { requestState: 'completed', messages: said, conversations }],
]
