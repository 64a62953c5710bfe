import { EngineError, type EngineState, type TurnState } from '@assent/engine'
import { ask, assistant, AT, decided, elsewhere, text, user, withMetadata } from '../fixtures.ts'
import type { AskScene } from './ask.ts'

const deploy = elsewhere(
  ask('deploy', 'c1', { target: 'production' }, { summary: 'Deploy to production', risk: 'write' }),
  { ledger: true },
)
const request = user('u1', 'Deploy what is on main.')
const approved = assistant('a1', text('I will deploy it.'), decided(deploy, true))

const turn: TurnState = {
  id: 'turn',
  step: 1,
  maxSteps: 25,
  unsent: [],
  underWay: [{ messageId: 'a1', step: 0, toolCallId: 'c1' }],
  customContext: {},
}

/** A decision that is sent again until its server answers. */
export const sending: Partial<EngineState> = {
  requestState: 'processing',
  processingState: 'requesting',
  turn: { ...turn, sending: { failures: 3, errors: 0, nextAt: AT + 4_000 } },
}

/** A decision that a server without a ledger has not answered. */
export const unanswered: Partial<EngineState> = {
  requestState: 'error',
  turn,
  error: new EngineError(
    'decision_unanswered',
    'deploy may have run: the approval was sent, and no answer came. Check that before you retry, which sends it again.',
    { retryable: true },
  ),
}

export const decidedMessages = [request, approved]

/** A call that was approved, and that could not be recorded before it ran. */
export function unrecorded(risk: 'write' | 'destroy') {
  return withMetadata(
    ask(
      'write_note',
      'c1',
      { path: 'notes/rent.md', text: 'Due on Friday' },
      { summary: 'Write the note notes/rent.md', risk },
    ),
    { recordFailed: true, checkFailed: true },
  )
}

/** A call that asks again, as its server did not take the decision before. */
export function notTaken(code: string, message: string) {
  return withMetadata(deploy, { refused: { code, message } })
}

/** Decisions that do not arrive, and calls that cannot be recorded. */
export const deliveryScenes: readonly (readonly [string, AskScene])[] = [
  ['sending-decision', { ...sending, messages: decidedMessages }],
  ['may-have-run', { ...unanswered, messages: decidedMessages }],
  [
    'not-recorded',
    {
      requestState: 'paused',
      messages: [user('u1', 'Note the rent.'), assistant('a1', unrecorded('write'))],
    },
  ],
  [
    'not-taken',
    {
      requestState: 'paused',
      messages: [
        request,
        assistant('a1', notTaken('closed', 'No deploys after six. It still waits.')),
      ],
    },
  ],
]
