import { finishMetadata, isPausedTurn, toolRiskOf, type Gate } from '@assent/engine'
import type { Redact } from '@assent/engine/redaction'
import {
  convertToModelMessages,
  isStepCount,
  streamText,
  toUIMessageStream,
  type Instructions,
  type LanguageModel,
  type ProviderMetadata,
  type ToolSet,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import { UnnotedCallError } from '../audit/unnoted-call.ts'
import type { ContextOptions } from '../prompt/context-options.ts'
import { ownCopy } from '../own-copy.ts'
import { fitModel } from '../prompt/fit-model.ts'
import { summarize } from '../prompt/summarize.ts'
import { tellSummary } from '../prompt/tell-summary.ts'
import { approvalRules, type RulesSetup } from './approval-rules.ts'
import type { FailureOf } from '../audit/audit-tools.ts'
import type { ApprovalSeal } from './approval-seal.ts'
import type { LedgerScope } from './approval-ledger.ts'
import { inCallOrder } from './call-order.ts'
import type { AnswerSignals, MadeAnswer } from './answer-streams.ts'
import type { AnswerEnd, ToolCallEvent } from './chat-options.ts'
import type { RequestName } from './chat-request.ts'
import { tellDenials } from './denied-meanwhile.ts'
import type { DownloadFunction } from './download-files.ts'
import { describeRequests, type AskedCall } from './describe-requests.ts'
import { endInErrorChunk } from './end-in-error-chunk.ts'
import { explainDenials } from './explain-denials.ts'
import { guardRuns, type RunGuards } from './guard-runs.ts'
import { messageOf, tellLost } from './lost-runs.ts'
import type { OutputMask } from './mask-outputs.ts'
import type { ModelSettings } from './model-settings.ts'
import { handOver, watchHandedOver, withoutProviderDenials } from './provider-approvals.ts'
import type { RunsOnce } from './run-once.ts'
import { lastStepCalls, runsHere } from './open-calls.ts'
import { sealParts } from './seal-parts.ts'
import { StepGate } from './step-gate.ts'
import { tellFailures } from './tell-failures.ts'
import { createDecisionTeller } from './tell-decisions.ts'
import { createErrorTeller } from './tell-errors.ts'
import { takeUpRuns, type UntoldRuns } from './untold-runs.ts'
import { createUnnotedApprovals } from './unnoted-approvals.ts'
import { watchEnd } from './watch-end.ts'
import type { ToolRun } from './wrap-execute.ts'

/** What an answer is made of. */
export interface AnswerSetup<USER> extends RulesSetup<USER> {
  readonly name: RequestName
  readonly settings: ModelSettings
  readonly model: LanguageModel
  readonly instructions: Instructions | undefined
  readonly messages: UIMessage[]
  /** The tools of the page, none of which has the name of one of the server. */
  readonly announced: ToolSet
  readonly download: DownloadFunction
  readonly contextOptions: ContextOptions | undefined
  readonly gate: Gate
  readonly maxSteps: number
  /** The page goes on with turns that the provider has paused, and counts that. */
  readonly isContinuedByPage: boolean
  readonly seal: ApprovalSeal
  readonly scope: LedgerScope
  readonly runLeaseMs: number
  /** What was decided before, by approval, where the request said otherwise. */
  readonly overruled: ReadonlyMap<string, boolean>
  readonly approvalMaxAgeMs: number
  readonly previewCall: ((call: AskedCall) => unknown) | undefined
  readonly onAsked: ((call: AskedCall) => Promise<void>) | undefined
  readonly failureOf: FailureOf
  readonly mask: OutputMask
  readonly redact: Redact | false
  readonly now: () => number
  readonly describeError: (error: unknown) => string
  readonly onToolCall: (event: ToolCallEvent) => void
  readonly onFinish: (end: AnswerEnd) => void
}

/** Answers a conversation. What fails on the way ends the stream with an `error` chunk. */
export function streamAnswer<USER>(setup: AnswerSetup<USER>, signals: AnswerSignals): MadeAnswer {
  const { onError, onFinish } = setup
  const errors = createErrorTeller(setup.describeError)
  let end: AnswerEnd = { outcome: 'aborted', finishReason: undefined, usage: undefined }
  let isLastWord = true
  const answer = async () => {
    const untold = await untoldOf(setup, signals.stopped)
    const begun = {
      ...setup,
      describeError: errors.describeError,
      untold,
      onUnknown: () => void (isLastWord = false),
    }
    return answerChunks(begun, signals, (ended) => (end = ended))
  }
  const chunks = endInErrorChunk(answer, {
    errors,
    onError(error) {
      end = { ...end, outcome: 'failed' }
      onError(error)
    },
    onEnd: () => onFinish(end),
  })
  return { chunks, isLastWord: () => isLastWord }
}

/** What is known of runs that nobody was asked about; nothing where none runs here, or in no conversation. */
async function untoldOf<USER>(
  { tools, scope, context, ...setup }: AnswerSetup<USER>,
  stopped: AbortSignal,
): Promise<UntoldRuns | undefined> {
  const mayRun = Object.keys(tools).some((name) => runsHere(tools, name))
  if (!mayRun || scope.conversationId === '') return undefined
  return takeUpRuns({ ...setup, scope, posted: context.messages, stopped })
}

/** A setup, and what is known of the runs before. */
interface BegunAnswer<USER> extends AnswerSetup<USER> {
  readonly untold: UntoldRuns | undefined
  /** The page is told that nobody knows how a run has ended. */
  readonly onUnknown: () => void
}

async function answerChunks<USER>(
  setup: BegunAnswer<USER>,
  { stopped, asked }: AnswerSignals,
  onEnd: (end: AnswerEnd) => void,
): Promise<ReadableStream<UIMessageChunk>> {
  const { instructions, tools: own, announced, ledger, untold } = setup
  const { messages = setup.messages } = untold ?? {}
  const isDynamic = (name: string) => own[name] === undefined || own[name].type === 'dynamic'
  const lost = untold && messageOf(untold, isDynamic)
  const gate = new StepGate(setup.gate)
  const lapsed = new Map<string, string>()
  const metadata = new Map<string, ProviderMetadata>()
  const judged = new Set<string>()
  const teller = createDecisionTeller()
  for (const [approvalId, approved] of setup.overruled)
    if (!approved) teller.tell({ approvalId, status: 'denied' })
  const unnoted = createUnnotedApprovals()
  const runs: RunsOnce = {
    onUnnoted: unnoted.note,
    ledger,
    leaseMs: setup.runLeaseMs,
    tell({ approvalId }, status) {
      if (status === 'unknown') setup.onUnknown()
      teller.tell({ approvalId, status })
    },
    onWhole: teller.onWhole,
    onError: setup.onError,
    stopped,
    asked,
  }
  const handed = await handOver(messages, setup)
  const guards = { gate, lapsed, judged, runs, untold, metadata }
  const tools = { ...announced, ...guardedTools(setup, guards) }
  const { contextOptions } = setup
  const summed = await summarize(handed.messages, {
    ...setup,
    context: contextOptions,
    tools,
    abortSignal: stopped,
  })
  const told = await convertToModelMessages(summed.messages, { tools })
  // After the results of what this request has decided.
  const toldOfLost = lost ? await convertToModelMessages([lost], { tools }) : []
  const { stream } = streamText({
    ...setup.settings,
    ...fitModel({ ...setup, context: contextOptions, summary: summed.summary }),
    tools,
    messages: withoutProviderDenials(explainDenials(told)),
    ...(instructions !== undefined && { instructions }),
    toolApproval: approvalRules(setup, { gate, lapsed, judged, metadata }),
    // What is held has no result that the model could be told.
    stopWhen: [
      isStepCount(setup.maxSteps),
      () => gate.isHolding,
      (steps) => setup.isContinuedByPage && isPausedTurn(steps),
    ],
    prepareStep: (step) => {
      unnoted.assertNone()
      gate.beginStep()
      const before = step.stepNumber === 0 ? toldOfLost : []
      return { messages: [...inCallOrder(step.messages), ...before] }
    },
    abortSignal: stopped,
    // Its cause was told.
    onError: ({ error }) => void (error instanceof UnnotedCallError || setup.onError(error)),
  })
  const chunks = toUIMessageStream<ToolSet, UIMessage>({
    stream: stream
      .pipeThrough(watchHandedOver(handed, ledger, setup.onError))
      .pipeThrough(watchEnd(onEnd))
      .pipeThrough(sealParts(setup))
      .pipeThrough(tellDenials())
      .pipeThrough(unnoted.stream),
    tools,
    originalMessages: messages,
    generateMessageId: () => crypto.randomUUID(),
    sendReasoning: true,
    sendSources: true,
    onError: setup.describeError,
    // A failed tool's own words, masked: the model speaks of them, so the page must show the same.
    redactToolErrors: false,
    messageMetadata: finishMetadata,
  })
  const { approvalMaxAgeMs: maxAgeMs, previewCall, onAsked, optionsOf, onError } = setup
  const hasLedger = (name: string) => ledger.isDurable && runsHere(setup.tools, name)
  const all = tellSummary(chunks, summed)
  return (untold ? all.pipeThrough(tellLost(untold, isDynamic)) : all)
    .pipeThrough(teller.stream)
    .pipeThrough(
      describeRequests({ maxAgeMs, hasLedger, previewCall, onAsked, optionsOf, onError }),
    )
    .pipeThrough(tellFailures(lastStepCalls(setup.messages), setup.failureOf))
}

/** The server's tools with all that stands before a run. */
function guardedTools<USER>(
  { tools, approvals, onToolCall, optionsOf, mask }: AnswerSetup<USER>,
  guards: Omit<RunGuards, 'approvals' | 'isRead' | 'mask' | 'onStart' | 'onEnd'>,
): ToolSet {
  const startedAt = new Map<string, number>()
  const copyOf = (run: ToolRun) => ({ ...run, input: ownCopy(run.input) })
  return guardRuns(tools, {
    ...guards,
    approvals,
    mask,
    isRead: (toolName) => toolRiskOf({ toolName }, { tools, ...optionsOf(toolName) }) === 'read',
    onStart(run) {
      startedAt.set(run.toolCallId, performance.now())
      onToolCall({ ...copyOf(run), phase: 'start' })
    },
    onEnd(run, end) {
      const endedAt = performance.now()
      const durationMs = Math.round(endedAt - (startedAt.get(run.toolCallId) ?? endedAt))
      onToolCall(
        'error' in end
          ? { ...copyOf(run), phase: 'failed', error: end.error, durationMs }
          : { ...copyOf(run), phase: 'end', output: ownCopy(end.output), durationMs },
      )
    },
  })
}
