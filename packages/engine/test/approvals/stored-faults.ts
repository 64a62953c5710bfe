import type { DecisionFault } from './faults.ts'

const TWICE = 'I1 a call runs at most once'
const ASKED_AGAIN = 'I1 what took effect is not asked about again'
const CUT = 'I1 what was cut off is interrupted, and says so'
const ACKNOWLEDGED = 'I9 a decision that was acknowledged is there'
const STORED = 'I9 a decision that was stored is there'
const WAITING = 'I9 a call that waited still waits'

/** Mistakes that only a reload or a crash brings to light. */
export const STORED_FAULTS: readonly DecisionFault[] = [
  {
    name: 'it is stored only after a tool ran that it had started',
    file: 'plugins/tools/start-call.ts',
    right: 'const claiming = context.save()',
    wrong: 'const claiming = undefined as ReturnType<typeof context.claim>',
    breaks: [TWICE, ASKED_AGAIN],
  },
  {
    name: 'a tool does not wait until it is stored that it starts, and by whose word',
    file: 'plugins/tools/start-call.ts',
    right: "const claim = claiming ? await claiming : 'stored'",
    wrong: "const claim = 'stored' as 'stored' | 'taken' | 'failed'",
    breaks: [TWICE, ASKED_AGAIN],
  },
  {
    name: 'an interrupted call runs again',
    file: 'plugins/tools/settle-calls.ts',
    right: "(onInterrupted === 'retry' && idempotent)",
    wrong: "onInterrupted !== 'verify'",
    breaks: [TWICE, ASKED_AGAIN, CUT],
  },
  {
    name: 'an interrupted call does not say that it may have taken effect',
    file: 'plugins/tools/settle-calls.ts',
    right: 'mayHaveRun: true,',
    wrong: '',
    breaks: [CUT],
  },
  {
    name: 'a request does not wait until it is stored what it carries',
    file: 'step.ts',
    right: 'if (saving) await saving\n  // Who is told',
    wrong: 'void saving\n  // Who is told',
    breaks: [
      TWICE,
      ASKED_AGAIN,
      'I9 a result that was stored is there',
      'I1 an approval is sent again only when a person retries',
    ],
  },
  {
    name: 'an answer that was on its way counts as unsent',
    file: 'turn-host.ts',
    right: "if (isOneOf(underWay, part)) return 'under-way'",
    wrong: "if (isOneOf(underWay, part)) return 'unsent'",
    breaks: [CUT],
  },
  {
    name: 'a decision that was stored and not sent is dropped',
    file: 'restore.ts',
    right: "else if (requestState === 'processing') runner.goOn(turn.id, restored.isStepDue)",
    wrong: '',
    breaks: [
      'I10 the play comes to rest',
      'I2 what was let run does run, and what is to be asked is asked',
    ],
  },
  {
    name: 'a command is acknowledged before it is stored',
    file: 'command-runner.ts',
    right: "saving ? await saving : 'stored'",
    wrong: "'stored' as 'stored' | 'taken' | 'failed'",
    breaks: [ACKNOWLEDGED],
  },
  {
    name: 'confirmations are not stored',
    file: 'storage/kept-confirmations.ts',
    right: 'added.map((record, index) => [KEYS.confirmation(next + index), toJson(record)])',
    wrong: '[]',
    breaks: [STORED, ACKNOWLEDGED],
  },
  {
    name: 'a pause is shown before it is stored',
    file: 'turn.ts',
    right: 'if (saving) await saving',
    wrong: '',
    breaks: ['I9 a pause that is shown is stored'],
  },
  {
    name: 'what waits is closed when a conversation is opened again',
    file: 'storage/restore-conversation.ts',
    right: 'const from = isOpen ? turnStart(stored, turn) : messages.length',
    wrong: 'const from = messages.length',
    breaks: [WAITING],
  },
  {
    name: 'what was queued is not read',
    file: 'storage/restore-conversation.ts',
    right: '    queue,\n    confirmations,',
    wrong: '    queue: [],\n    confirmations,',
    breaks: ['I9 a message that was stored is there'],
  },
  {
    name: 'an engine that was left goes on with its turn',
    file: 'runner.ts',
    right: "run.controller.abort(abortReason('engine was disposed'))",
    wrong: 'run.isAlive = true',
    // The store refuses what it writes by then.
    breaks: ['I12 only who has the conversation acts', 'I9 a pause that is shown is stored'],
  },
  {
    name: 'a conversation is read while who was left still writes it',
    file: 'storage/keep-conversation.ts',
    right: 'await closings.get(store)?.get(namespace)',
    wrong: '',
    breaks: [
      'I9 a message that was stored is there',
      'I2 what was let run does run, and what is to be asked is asked',
      STORED,
      ACKNOWLEDGED,
      TWICE,
    ],
  },
]
