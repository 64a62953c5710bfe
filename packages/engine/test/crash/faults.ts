import { loadFrom, type Fault } from '../turns/faults.ts'
import type { AppParts } from './crash-play.ts'
import type { Invariant } from './invariants.ts'

/** A mistake that a crash brings to light. */
export interface CrashFault extends Fault {
  /** The turn in which it is looked for. */
  readonly turn: string
  readonly breaks: readonly Invariant[]
}

const TWICE = 'I1 no call takes effect twice'
const ASKED_AGAIN = 'I1 what took effect is not asked about again'
const FORGOTTEN = 'I9 a decision that was acknowledged is not asked for again'
const REFUSED = 'I3 another decision on what was decided is refused'
const UNTRUE = 'the model is told the truth about every call'
const UNSTORED = 'I9 a pause that is shown is stored'
const UNLIKE = 'I9 the disk says what the engine says'
const UNEXPECTED = 'what is reported was to be expected'
const REPEATED = 'an approval is sent again only when a person retries'
const UNDONE = 'it ends at rest with an answer to everything'

export const FAULTS: readonly CrashFault[] = [
  {
    name: 'it is not stored that a tool starts',
    turn: 'a call approved',
    file: 'plugins/tools/start-call.ts',
    right: 'const claiming = context.save()',
    wrong: 'const claiming = undefined as ReturnType<typeof context.claim>',
    breaks: [ASKED_AGAIN],
  },
  {
    name: 'a tool does not wait until it is stored that it starts',
    turn: 'a call approved',
    file: 'plugins/tools/start-call.ts',
    right: "const claim = claiming ? await claiming : 'stored'",
    wrong: "const claim = 'stored' as 'stored' | 'taken' | 'failed'",
    breaks: [ASKED_AGAIN],
  },
  {
    name: 'a tool runs that must not when its start could not be stored',
    turn: 'a call that runs only when that is stored',
    file: 'plugins/tools/start-call.ts',
    right: 'return askToStartAgain(scope, claimed)',
    wrong: 'void askToStartAgain',
    breaks: [TWICE, ASKED_AGAIN, UNTRUE],
  },
  {
    name: 'a request does not wait until it is stored what it carries',
    turn: 'a call of the server approved',
    file: 'step.ts',
    right: 'const saving = host.save()\n  if (saving) await saving',
    wrong: 'void host.save()',
    breaks: [ASKED_AGAIN],
  },
  {
    name: 'a pause is shown before it is stored',
    turn: 'a call approved',
    file: 'turn.ts',
    right: 'if (saving) await saving',
    wrong: '',
    breaks: [UNSTORED],
  },
  {
    name: 'calls that had started run again',
    turn: 'a call approved',
    file: 'plugins/tools/settle-calls.ts',
    right: "(onInterrupted === 'retry' && idempotent)",
    wrong: "onInterrupted !== 'verify'",
    breaks: [TWICE],
  },
  {
    name: 'what a tool can tell about an interrupted call is not asked',
    turn: 'a call that may run again, and one that can tell',
    file: 'plugins/tools/settle-calls.ts',
    right: 'await verify(input as never)',
    wrong: '({ happened: false } as const)',
    breaks: [TWICE],
  },
  {
    name: 'an answer that was cut off is asked for again by itself',
    turn: 'a call of the server approved',
    file: 'storage/restore-conversation.ts',
    right: 'if (isCut(stored, turn)) {',
    wrong: "if (isCut(stored, turn)) return { requestState: 'processing' }\n  if (error) {",
    breaks: [UNDONE, UNTRUE, REPEATED],
  },
  {
    name: 'confirmations are not stored',
    turn: 'a call approved',
    file: 'storage/kept-confirmations.ts',
    right: 'added.map((record, index) => [KEYS.confirmation(next + index), toJson(record)])',
    wrong: '[]',
    breaks: [FORGOTTEN, UNLIKE],
  },
  {
    name: 'a command is acknowledged before it is stored',
    turn: 'a call approved',
    file: 'command-runner.ts',
    right: "saving ? await saving : 'stored'",
    wrong: "'stored' as 'stored' | 'taken' | 'failed'",
    breaks: [FORGOTTEN, REFUSED],
  },
  {
    name: 'the number of parts is stored only once',
    turn: 'two steps',
    file: 'storage/kept-messages.ts',
    right: 'stored.parts.length === message.parts.length',
    wrong: 'stored !== undefined',
    breaks: [UNLIKE, UNDONE],
  },
  {
    name: 'a message gets another place when its write has failed',
    turn: 'a free call',
    file: 'storage/kept-messages.ts',
    right: 'kept.set(id, { place, parent, message: undefined, partCount: parts, pieces: all })',
    wrong: 'void [place, parent, parts, all]',
    breaks: [UNLIKE, UNEXPECTED],
  },
  {
    name: 'what is queued is not sent when the app is opened again',
    turn: 'a message queued during a pause',
    file: 'engine.ts',
    right: 'void readiness.ready.then(drain)',
    wrong: 'void readiness.ready',
    breaks: [UNDONE],
  },
]

/** The app of a copy of the sources that has the fault. */
export function loadFaultyApp(fault: Fault): Promise<AppParts> {
  return loadFrom<AppParts>(fault, [
    'engine.ts',
    'plugins/tools/tool-plugin.ts',
    'storage/define-storage.ts',
  ])
}
