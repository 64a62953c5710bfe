import { getToolName, isToolUIPart, type ProviderMetadata, type UIMessage } from 'ai'
import type { ApprovalLedger, LedgerScope, UnaskedRun } from './approval-ledger.ts'
import { fingerprintOf } from './check-approvals.ts'
import { callPart, hasErrorOf, type LostRun, type LostSteps } from './lost-runs.ts'
import type { ToolPart } from './open-calls.ts'
import { endOf, type SettledEntry } from './run-once.ts'
import { sentJson } from './sent-json.ts'
import type { ToolRun } from './wrap-execute.ts'

/**
 * What an answer knows of the runs of those before it, and notes of its own.
 *
 * A server cannot see whether a page has got an answer: bytes that were sent may lie in a buffer that nobody
 * reads, and the same request may arrive at another process. So the page says it itself, by the conversation
 * that it posts. A run that nobody was asked about goes through these states:
 *
 * - `claimed` The ledger has noted the run as untold, and the call runs. Nobody else runs it, ever.
 * - `untold` From then on, however the run ends and whatever became of the answer. Every answer of the
 *   conversation that begins is told of it:
 *   - A call that the posted conversation does not have stands at the beginning of the answer, with its
 *     outcome. So it is after a lost answer, and as well when the page threw the answer away to ask for another
 *     one (regenerate) or to say something else (edit): those do not run it again.
 *   - A call that the conversation has without its outcome, as the page was cut off or has closed it itself,
 *     has the outcome there, for the model.
 *   - The same call, with the same id, is given the outcome of one that the conversation does not have.
 *     The same tool with the same input under another id asks a person, unless the run failed.
 * - `told` Once a request of this user carries the call in this conversation with its result: the output,
 *   or the words in which the run failed. The run stays claimed, and is over: a page that throws the call away
 *   after that and asks again gets a new call, which runs by its rules.
 */
export interface UntoldRuns extends LostSteps {
  /** The conversation with what the ledger knows better than the page. */
  readonly messages: UIMessage[]
  /** What came of this very call, where the page does not have it. */
  outcomeOf(run: ToolRun): SettledEntry | undefined
  /** Whether an untold run was of the same tool and input, and has not failed. */
  isRepeat(call: Pick<ToolRun, 'toolName' | 'input'>): boolean
  /** A call that is about to run in this step of this answer. */
  note(run: ToolRun, step: number, providerMetadata?: ProviderMetadata): UnaskedRun
}

/** What the runs of a conversation are found by. */
export interface UntoldSetup {
  readonly ledger: ApprovalLedger
  readonly scope: LedgerScope
  readonly runLeaseMs: number
  /** As the page has posted it. */
  readonly posted: readonly UIMessage[]
  /** The same, as this answer goes on with it. */
  readonly messages: readonly UIMessage[]
  /** Aborts when the answer is stopped. */
  readonly stopped: AbortSignal
  /** Told that the ledger could not note what the page has. */
  readonly onError: (error: unknown) => void
}

/**
 * Begins an answer: from here on no other one of the conversation runs a call unasked. Waits for the runs
 * that are under way in another process.
 */
export async function takeUpRuns({
  ledger,
  scope,
  runLeaseMs: leaseMs,
  posted,
  messages,
  stopped,
  onError,
}: UntoldSetup): Promise<UntoldRuns> {
  const answerId = crypto.randomUUID()
  const history = new CallsOf(posted)
  const told: UnaskedRun[] = []
  const missing: LostRun[] = []
  const known = new Map<ToolPart, LostRun>()
  for (const run of await ledger.begin(scope, answerId)) {
    const part = history.all(run)[run.before]
    const hasOutput = part?.state === 'output-available' && part.preliminary !== true
    const lost = hasOutput ? undefined : { run, entry: await entryOf(run) }
    if (!lost || (part && hasErrorOf(part, lost))) told.push(run)
    else if (part) known.set(part, lost)
    else missing.push(lost)
  }
  const lost = [...missing, ...known.values()]
  const noted: UnaskedRun[] = []
  // When that fails they stay untold, and the next request carries them again.
  if (told.length > 0) await ledger.told(told).catch(onError)

  async function entryOf({ key }: UnaskedRun): Promise<SettledEntry> {
    const found = (await ledger.look(key)) ?? { status: 'unknown' }
    return endOf(key, found, { ledger, leaseMs, stopped, onError })
  }

  return {
    messages: withOutcomes(messages, posted, known),
    steps: stepsOf(missing),
    outcomeOf(call) {
      const fingerprint = fingerprintOf(call)
      return missing.find(({ run }) => run.key.fingerprint === fingerprint)?.entry
    },
    isRepeat({ toolName, input }) {
      const json = sentJson(input)
      return lost.some(
        ({ run, entry }) =>
          entry.status !== 'failed' && run.toolName === toolName && sentJson(run.input) === json,
      )
    },
    note({ toolCallId, toolName, input }, step, providerMetadata) {
      const fingerprint = fingerprintOf({ toolCallId, toolName, input })
      const key = { ...scope, approvalId: `${answerId}/${step}`, fingerprint }
      const call = { key, answerId, step, toolCallId, toolName, input, providerMetadata }
      const isSame = (run: UnaskedRun) => run.key.fingerprint === fingerprint
      const inAnswer = [...missing.map(({ run }) => run), ...noted].filter(isSame).length
      const run = { ...call, before: history.all(call).length + inAnswer }
      noted.push(run)
      return run
    },
  }
}

/** The calls of a conversation, found by id, tool and input. */
class CallsOf {
  readonly #byId: Map<string, ToolPart[]>

  constructor(messages: readonly UIMessage[]) {
    const parts = messages.flatMap((message) => message.parts.filter(isToolUIPart))
    this.#byId = Map.groupBy(parts, ({ toolCallId }) => toolCallId)
  }

  all({ toolCallId, key }: Pick<UnaskedRun, 'toolCallId' | 'key'>): ToolPart[] {
    const parts = this.#byId.get(toolCallId) ?? []
    return parts.filter((part) => {
      const { input } = part
      return fingerprintOf({ toolCallId, toolName: getToolName(part), input }) === key.fingerprint
    })
  }
}

/** The runs in the order of their steps. */
function stepsOf(runs: readonly LostRun[]): LostRun[][] {
  const nameOf = ({ run }: LostRun) => `${run.answerId}/${run.step}`
  return [...Map.groupBy(runs, nameOf).values()]
}

/** The conversation, with its calls that the page does not know the outcome of. */
function withOutcomes(
  messages: readonly UIMessage[],
  posted: readonly UIMessage[],
  known: ReadonlyMap<ToolPart, LostRun>,
): UIMessage[] {
  if (known.size === 0) return [...messages]
  return messages.map((message, index) => {
    const parts = message.parts.map((part, place) => {
      const before = posted[index]?.parts[place]
      const lost = before && isToolUIPart(before) ? known.get(before) : undefined
      return lost && isToolUIPart(part) ? callPart(lost, part.type === 'dynamic-tool') : part
    })
    return { ...message, parts }
  })
}
