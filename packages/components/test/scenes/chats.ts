import { EngineError, type TurnNotice } from '@assent/engine'
import type { UIMessage } from 'ai'
import { assistant, text, user } from '../fixtures.ts'
import { article } from './article.ts'
import { looked, read, request } from './cleaning.ts'
import type { ShellScene } from './shell.ts'

const turn = { id: 't', step: 25, maxSteps: 25, unsent: [], customContext: {} }

/** A turn that ended with a notice after its answer. */
function ended(notice: TurnNotice, ...parts: UIMessage['parts']): ShellScene {
  return {
    requestState: 'completed',
    turn: { ...turn, notice },
    messages: [request, assistant('a1', ...parts)],
  }
}

/** A conversation as a whole: what it says while it works, and how it ends. */
export const chatScenes: readonly (readonly [string, ShellScene])[] = [
  [
    'text',
    {
      requestState: 'completed',
      messages: [
        user('u1', 'Compare the three options, and show me how to call the API.\n\nKeep it short.'),
        {
          id: 'u2',
          role: 'user',
          parts: [
            {
              type: 'file',
              mediaType: 'application/pdf',
              filename: 'options-2026.pdf',
              url: 'https://example.com/o.pdf',
            },
            { type: 'text', text: 'This is the file.' },
          ],
        },
        assistant(
          'a1',
          { type: 'reasoning', text: 'They want a **table**.', state: 'done' },
          text(article),
          {
            type: 'source-url',
            sourceId: 's1',
            url: 'https://example.com/pricing',
            title: 'Pricing',
          },
          { type: 'source-url', sourceId: 's2', url: 'https://docs.example.org/limits' },
        ),
      ],
    },
  ],
  [
    'streaming',
    {
      requestState: 'processing',
      processingState: 'completing',
      messages: [
        user('u1', 'Compare the three options.'),
        assistant(
          'a1',
          { type: 'reasoning', text: 'Hm', state: 'streaming' },
          text('The **first** option costs less, but the se', 'streaming'),
        ),
      ],
    },
  ],
  ['empty', { messages: [] }],
  [
    'error',
    {
      requestState: 'error',
      error: new EngineError(
        'http_status',
        'The server answered 503 Service Unavailable. Try again in a moment.',
        { retryable: true, details: { status: 503 } },
      ),
      messages: [request, assistant('a1', looked)],
      queue: [
        {
          id: 'q1',
          message: user(
            'q1',
            'And then archive the folder of 2024, too, please, with all of its subfolders',
          ),
          held: true,
        },
        { id: 'q2', message: user('q2', 'Thanks!'), held: true },
      ],
    },
  ],
  ['aborted', { requestState: 'aborted', messages: [request, assistant('a1', looked)] }],
  [
    'working',
    {
      requestState: 'processing',
      processingState: 'requesting',
      messages: [request],
      queue: [{ id: 'q1', message: user('q1', 'And archive the folder of 2024'), held: false }],
    },
  ],
  [
    'waiting',
    {
      requestState: 'processing',
      processingState: 'completing',
      turn: { ...turn, waitingFor: { type: 'stream', since: Date.now() - 12_000 } },
      messages: [
        request,
        assistant('a1', text('I have looked through the folder. Its oldest file is', 'streaming')),
      ],
    },
  ],
  ['max-steps', ended('max-steps', looked, read)],
  ['cut', ended('length', text(article.slice(0, article.indexOf('.', 200) - 7)))],
  ['filtered', ended('content-filter', text('The first step is to'))],
  ['refused', ended('refusal', { type: 'step-start' })],
  ['silent', ended('empty', { type: 'step-start' })],
]
