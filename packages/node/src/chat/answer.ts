import {
  evaluateApproval,
  finishMetadata,
  isPausedTurn,
  toApprovalStatus,
  toolRiskOf,
  type ApprovalVerdict,
  type DefaultApproval,
  type EngineError,
} from '@assent/engine'
import {
  convertToModelMessages,
  isStepCount,
  streamText,
  toUIMessageStream,
  type Instructions,
  type LanguageModel,
  type ProviderMetadata,
  type ToolApprovalConfiguration,
  type ToolSet,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import type { ApprovalSeal } from './approval-seal.ts'
import type { ApprovalLedger, LedgerScope } from './approval-ledger.ts'
import { inCallOrder } from './call-order.ts'
import type { AnswerSignals, MadeAnswer } from './answer-streams.ts'
import type { AnswerEnd, ChatContext, ToolCallEvent } from './chat-options.ts'
import type { RequestName } from './chat-request.ts'
import type { CheckedApproval } from './check-approvals.ts'
import { tellDenials } from './denied-meanwhile.ts'
import type { DownloadFunction } from './download-files.ts'
import { describeRequests, type AskedCall, type CallWords } from './describe-requests.ts'
import { endInErrorChunk } from './end-in-error-chunk.ts'
import { explainDenials } from './explain-denials.ts'
import { guardRuns, isFor, type RunGuards } from './guard-runs.ts'
import { messageOf, tellLost } from './lost-runs.ts'
import type { ModelSettings } from './model-settings.ts'
import { handOver, watchHandedOver, withoutProviderDenials } from './provider-approvals.ts'
import { WAITED_TOO_LONG, type RunsOnce } from './run-once.ts'
import { runsHere } from './open-calls.ts'
import { sealParts } from './seal-parts.ts'
import { StepGate, type Gate } from './step-gate.ts'
import { createDecisionTeller } from './tell-decisions.ts'
import { takeUpRuns, type UntoldRuns } from './untold-runs.ts'
import { watchEnd } from './watch-end.ts'

/** What an answer is made of. */
export interface AnswerSetup<USER> {
  readonly name: RequestName
  readonly settings: ModelSettings
  readonly model: LanguageModel
  readonly instructions: Instructions | undefined
  readonly messages: UIMessage[]
  /** The tools of the server. */
  readonly tools: ToolSet
  /** The tools of the page, none of which has the name of one of the server. */
  readonly announced: ToolSet
  readonly toolApproval: ToolApprovalConfiguration<ToolSet, ChatContext<USER>> | undefined
  readonly defaultApproval: DefaultApproval | undefined
  /** The rules name tools that are not there. */
  readonly misnamed: EngineError | undefined
  readonly checkTimeoutMs: number | undefined
  /** Mistakes in the rules are reported once for it. */
  readonly rulesOwner: object
  readonly download: DownloadFunction
  readonly gate: Gate
  readonly maxSteps: number
  /** The page goes on with turns that the provider has paused, and counts that. */
  readonly isContinuedByPage: boolean
  readonly seal: ApprovalSeal
  readonly ledger: ApprovalLedger
  readonly scope: LedgerScope
  readonly runLeaseMs: number
  /** The calls that the request approves, by their ids. */
  readonly approvals: ReadonlyMap<string, CheckedApproval>
  /** What was decided before, by approval, where the request said otherwise. */
  readonly overruled: ReadonlyMap<string, boolean>
  readonly approvalMaxAgeMs: number
  readonly previewCall: ((call: AskedCall) => unknown) | undefined
  /** What the app says of a tool, by an untrusted name. */
  readonly optionsOf: (toolName: string) => CallWords
  readonly context: ChatContext<USER>
  readonly now: () => number
  readonly describeError: (error: unknown) => string
  readonly onToolCall: (event: ToolCallEvent) => void
  readonly onFinish: (end: AnswerEnd) => void
  readonly onError: (error: unknown) => void
}

/** Answers a conversation. What fails on the way ends the stream with an `error` chunk. */
export function streamAnswer<USER>(setup: AnswerSetup<USER>, signals: AnswerSignals): MadeAnswer {
  const { describeError, onError, onFinish } = setup
  let end: AnswerEnd = { outcome: 'aborted', finishReason: undefined, usage: undefined }
  let untold: UntoldRuns | undefined
  let isLastWord = true
  const answer = async () => {
    untold = await untoldOf(setup, signals.stopped)
    const begun = { ...setup, untold, onUnknown: () => void (isLastWord = false) }
    return answerChunks(begun, signals, (ended) => (end = ended))
  }
  const chunks = endInErrorChunk(answer, {
    describeError,
    onError(error) {
      end = { ...end, outcome: 'failed' }
      onError(error)
    },
    onEnd: () => onFinish(end),
  })
  const onDelivered = () => void untold?.tell().catch(onError)
  return { chunks, onDelivered, isLastWord: () => isLastWord }
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
  const teller = createDecisionTeller()
  for (const [approvalId, approved] of setup.overruled)
    if (!approved) teller.tell({ approvalId, status: 'denied' })
  const runs: RunsOnce = {
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
  const guards = { gate, lapsed, runs, untold, metadata }
  const tools = { ...announced, ...guardedTools(setup, guards) }
  const told = await convertToModelMessages(handed.messages, { tools })
  // After the results of what this request has decided.
  const toldOfLost = lost ? await convertToModelMessages([lost], { tools }) : []
  const { stream } = streamText({
    ...setup.settings,
    model: setup.model,
    tools,
    messages: withoutProviderDenials(explainDenials(told)),
    ...(instructions !== undefined && { instructions }),
    toolApproval: approvalRules(setup, gate, lapsed, metadata),
    // What is held has no result that the model could be told.
    experimental_download: setup.download,
    stopWhen: [
      isStepCount(setup.maxSteps),
      () => gate.isHolding,
      (steps) => setup.isContinuedByPage && isPausedTurn(steps),
    ],
    prepareStep: (step) => {
      gate.beginStep()
      const before = step.stepNumber === 0 ? toldOfLost : []
      return { messages: [...inCallOrder(step.messages), ...before] }
    },
    abortSignal: stopped,
    onError: ({ error }) => setup.onError(error),
  })
  const chunks = toUIMessageStream<ToolSet, UIMessage>({
    stream: stream
      .pipeThrough(watchHandedOver(handed, ledger, setup.onError))
      .pipeThrough(watchEnd(onEnd))
      .pipeThrough(sealParts(setup))
      .pipeThrough(tellDenials()),
    tools,
    originalMessages: messages,
    generateMessageId: () => crypto.randomUUID(),
    sendReasoning: true,
    sendSources: true,
    onError: setup.describeError,
    // A failed tool's own words: the model speaks of them, so the page must show the same.
    redactToolErrors: false,
    messageMetadata: finishMetadata,
  })
  const { approvalMaxAgeMs: maxAgeMs, previewCall, optionsOf, onError } = setup
  const hasLedger = (name: string) => ledger.isDurable && runsHere(setup.tools, name)
  return (untold ? chunks.pipeThrough(tellLost(untold, isDynamic)) : chunks)
    .pipeThrough(teller.stream)
    .pipeThrough(describeRequests({ maxAgeMs, hasLedger, previewCall, optionsOf, onError }))
}

/** The server's tools with all that stands before a run. */
function guardedTools<USER>(
  { tools, approvals, onToolCall, optionsOf }: AnswerSetup<USER>,
  guards: Omit<RunGuards, 'approvals' | 'isRead' | 'onStart' | 'onEnd'>,
): ToolSet {
  const startedAt = new Map<string, number>()
  return guardRuns(tools, {
    ...guards,
    approvals,
    isRead: (toolName) => toolRiskOf({ toolName }, { tools, ...optionsOf(toolName) }) === 'read',
    onStart(run) {
      startedAt.set(run.toolCallId, performance.now())
      onToolCall({ ...run, phase: 'start' })
    },
    onEnd(run, end) {
      const endedAt = performance.now()
      const durationMs = Math.round(endedAt - (startedAt.get(run.toolCallId) ?? endedAt))
      onToolCall(
        'error' in end
          ? { ...run, phase: 'failed', error: end.error, durationMs }
          : { ...run, phase: 'end', output: end.output, durationMs },
      )
    },
  })
}

/** One function that is asked about every call. */
type AskRules = Extract<ToolApprovalConfiguration<ToolSet, unknown>, (...options: never) => unknown>

/** The app's rules, and what they mean for the gate. */
function approvalRules<USER>(
  setup: BegunAnswer<USER>,
  gate: StepGate,
  lapsed: Map<string, string>,
  metadata: Map<string, ProviderMetadata>,
): AskRules {
  const { tools, toolApproval, approvals, ledger, untold, context, onError } = setup
  return async ({ toolCall, messages, ...given }) => {
    const { toolCallId, toolName, input, providerExecuted, providerMetadata } = toolCall
    if (providerMetadata) metadata.set(toolCallId, providerMetadata)
    else metadata.delete(toolCallId)
    const approval = gate.isInStep ? undefined : approvals.get(toolCallId)
    // Rules are about calls that have not run: this one is only told again.
    if (approval && isFor(approval, toolCall) && (await ledger.look(approval.key))) {
      return 'user-approval'
    }
    // Names come from the model: one that objects inherit is no tool.
    const tool = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined
    const isHere = providerExecuted === true || tool?.execute !== undefined
    const verdict = await evaluateApproval(
      { toolName, toolCallId, input, providerExecuted, toolCall },
      {
        ...given,
        toolApproval,
        isDecided: approval !== undefined,
        messages: () => messages,
        runtimeContext: context,
        // Where it runs, it is asked about.
        isElsewhere: !isHere,
        defaultApproval: setup.defaultApproval,
        risk: setup.optionsOf(toolName).risk,
        misnamed: setup.misnamed,
        timeoutMs: setup.checkTimeoutMs,
        report: onError,
        owner: setup.rulesOwner,
      },
    )
    const { type, failure } = verdict
    if (failure?.code === 'rule_failed') onError(failure.cause ?? failure)
    if (!gate.isInStep) {
      const why = type === 'ask' && whyLapsed(verdict, approval)
      if (why) lapsed.set(toolCallId, why)
      return toApprovalStatus(verdict)
    }
    if (type === 'deny') return toApprovalStatus(verdict)
    // It was run in an answer that was lost: whether it is to be run once more is for a person to say.
    const isAgain = isHere && !untold?.outcomeOf(toolCall) && untold?.isRepeat(toolCall)
    if (type === 'ask' || !isHere || isAgain) gate.wait()
    if (isAgain) return 'user-approval'
    return isHere ? toApprovalStatus(verdict) : 'not-applicable'
  }
}

/** Why a call that was approved does not run after all, when its rules would ask by now. */
function whyLapsed(
  { failure }: ApprovalVerdict,
  approval: CheckedApproval | undefined,
): string | undefined {
  if (failure?.code === 'rule_failed') return 'The check of the call failed; it did not run.'
  return approval?.origin === 'rule' ? WAITED_TOO_LONG : undefined
}
