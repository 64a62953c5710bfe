import { getToolName, isToolUIPart, type ProviderMetadata, type UIMessage } from 'ai'
import type { ApprovalLedger, LedgerScope, UnaskedRun } from './approval-ledger.ts'
import { fingerprintOf } from './check-approvals.ts'
import { callPart, type LostRun, type LostSteps } from './lost-runs.ts'
import type { ToolPart } from './open-calls.ts'
import { endOf, type SettledEntry } from './run-once.ts'
import { sentJson } from './sent-json.ts'
import type { ToolRun } from './wrap-execute.ts'

/** What an answer knows of the runs of those before it, and notes of its own. */
export interface UntoldRuns extends LostSteps {
  /** The conversation with what the ledger knows better than the page. */
  readonly messages: UIMessage[]
  /** What came of this very call in an answer that was lost. */
  outcomeOf(run: ToolRun): SettledEntry | undefined
  /** Whether a call of the same input has been made in an answer that was lost, and has not failed. */
  isRepeat(call: Pick<ToolRun, 'toolName' | 'input'>): boolean
  /** A call that is about to run in this step of this answer. */
  note(run: ToolRun, step: number, providerMetadata?: ProviderMetadata): UnaskedRun
  /** The page has this answer to its end. */
  tell(): Promise<void>
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
}: UntoldSetup): Promise<UntoldRuns> {
  const answerId = crypto.randomUUID()
  const untold = [...(await ledger.begin(scope, answerId))]
  const history = new CallsOf(posted)
  const lost: LostRun[] = []
  const missing: LostRun[] = []
  const known = new Map<ToolPart, LostRun>()
  for (const run of untold) {
    const part = history.all(run)[run.before]
    if (part?.state === 'output-available' && part.preliminary !== true) continue
    const found = (await ledger.look(run.key)) ?? { status: 'unknown' }
    const entry = await endOf(run.key, found, { ledger, leaseMs, stopped })
    lost.push({ run, entry })
    if (part) known.set(part, { run, entry })
    else missing.push({ run, entry })
  }
  const noted: UnaskedRun[] = []

  return {
    messages: withOutcomes(messages, posted, known),
    steps: stepsOf(missing),
    outcomeOf(call) {
      const fingerprint = fingerprintOf(call)
      return lost.find(({ run }) => run.key.fingerprint === fingerprint)?.entry
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
      const told = [...missing.map(({ run }) => run), ...noted].filter(isSame).length
      const run = { ...call, before: history.all(call).length + told }
      noted.push(run)
      return run
    },
    async tell() {
      if (untold.length + noted.length > 0) await ledger.told([...untold, ...noted])
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

/** A page that was cut off, or has closed a call itself, does not know how it ended. */
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
