import { createRedactor } from '@assent/engine/redaction'
import type { ToolSet } from 'ai'
import { auditToolsLate } from '../audit/audit-tools.ts'
import { createLateNotes } from '../audit/late-notes.ts'
import { ownCopy } from '../own-copy.ts'
import { auditDecisions, auditQuestions } from './audit-decisions.ts'
import { readAnnouncedTools } from './announced-tools.ts'
import { findMisnamed } from './assert-named.ts'
import type { AnswerSetup } from './answer.ts'
import { createApprovalSeal } from './approval-seal.ts'
import { approvalSecretsOf } from './approval-secret.ts'
import type { ChatContext, ChatHandlerOptions } from './chat-options.ts'
import { readChatRequest } from './chat-request.ts'
import { checkApprovals, withStanding, type ApprovalRules } from './check-approvals.ts'
import { checkedClock } from './checked-clock.ts'
import type { CallWords } from './describe-requests.ts'
import { refuseDownloads } from './download-files.ts'
import { plainErrorText } from './error-text.ts'
import { ledgerOf } from './ledger-of.ts'
import { isWrongClock } from './handler-errors.ts'
import { decisionRefusal } from './may-decide.ts'
import { createOutputMask } from './mask-outputs.ts'
import { modelSettings } from './model-settings.ts'
import type { OpenWork } from './open-work.ts'
import {
  closeStaleCalls,
  decidedCalls,
  lastStepCalls,
  requireAnswered,
  sealedCalls,
  type DecidedCall,
} from './open-calls.ts'
import { RequestError } from './request-error.ts'
import { resolveFor } from './resolve-for.ts'
import { takeFiles } from './take-files.ts'
import { failuresByOptions } from './tell-failures.ts'
import { watchRuns } from './watch-runs.ts'

const DAY_MS = 86_400_000

/** Who sent a request. */
export interface Sender<USER> {
  readonly user: USER
  /** What tells users apart; `''` when nothing does. */
  readonly owner: string
}

/**
 * Makes what reads a posted conversation, and all that answering it takes.
 *
 * @throws ChatHandlerError for a secret that is missing or too short, and for a ledger that is missing
 */
export function createSetupReader<TOOLS extends ToolSet, USER>(
  options: ChatHandlerOptions<TOOLS, USER>,
  work: OpenWork,
): (request: Request, sender: Sender<USER>) => Promise<AnswerSetup<USER>> {
  const {
    model,
    tools: ownTools,
    toolApproval,
    instructions,
    wrapTools,
    audit,
    previewCall,
    mayDecide,
  } = options
  const { gate = 'step', maxSteps = 10 } = options
  const bounds = {
    maxBytes: options.maxBodyBytes ?? 8 * 1024 * 1024,
    timeoutMs: options.bodyTimeoutMs ?? 30_000,
    maxMessages: options.maxMessages ?? 2_000,
    maxParts: options.maxParts ?? 4_000,
  }
  const { approvalMaxAgeMs = DAY_MS, runLeaseMs = 15_000 } = options
  const now = checkedClock(options.now ?? Date.now)
  const secrets = approvalSecretsOf(options.approvalSecret)
  const secretSince = options.approvalSecret === undefined ? Date.now() : undefined
  const late = createLateNotes(work)
  const { redact = createRedactor() } = options
  const ledger = watchRuns(ledgerOf(options, approvalMaxAgeMs, now), work, late)

  const optionsByName = new Map<string, CallWords>(Object.entries(options.toolOptions ?? {}))
  const optionsOf = (toolName: string) => optionsByName.get(toolName) ?? {}

  return async (request, { user, owner }) => {
    const {
      chatId,
      messages: posted,
      name,
      tools: announced,
      body,
    } = await readChatRequest(request, bounds)
    const context: ChatContext<USER> = { request, chatId, user, messages: posted, body }
    const messages = takeFiles(posted, await resolveFor(options.acceptedMedia, context))
    const given: ToolSet = (await resolveFor(ownTools, context)) ?? {}
    const onError = (error: unknown) => quietly(() => options.onError?.(error, context))
    const mask = createOutputMask(redact === false ? undefined : redact, onError)
    const failureOf = failuresByOptions(optionsOf, mask, onError)
    const wrapped = wrapTools?.(given, context) ?? given
    const tools = audit
      ? auditToolsLate(wrapped, audit, {
          context: { conversationId: chatId, owner: owner === '' ? undefined : owner },
          failureOf,
          onError,
          late,
        })
      : wrapped
    const page = readAnnouncedTools(announced, new Set(Object.keys(tools)))
    const misnamed = findMisnamed({ ...options, tools: { ...page, ...given } })
    const calls = lastStepCalls(messages)
    requireAnswered(calls, tools)
    const scope = { owner, conversationId: chatId }
    const seal = createApprovalSeal(
      secrets,
      scope,
      await ledger.identity(),
      mayDecide !== undefined,
    )
    const step = gate === 'step' ? calls.map(({ toolCallId }) => toolCallId) : []
    const sealed = gate === 'step' ? sealedCalls(calls) : []
    const decided = decidedCalls(calls)
    const approvalRules: ApprovalRules = {
      seal,
      step,
      sealed,
      ledger,
      scope,
      maxAgeMs: approvalMaxAgeMs,
      secretSince,
      now,
      onDecided:
        audit && auditDecisions(audit, { messages, conversationId: chatId, who: owner, now }),
      refusalOf:
        mayDecide &&
        (({ call: { toolCallId, toolName, input }, approved, requester }) => {
          const ask = () => {
            const call = { toolCallId, toolName, input: ownCopy(input) }
            return mayDecide({ user, requester, chatId, call, approved })
          }
          return decisionRefusal(ask, { timeoutMs: options.checkTimeoutMs ?? 10_000, onError })
        }),
    }
    const answering = {
      model: await resolveFor(model, context),
      instructions: await resolveFor(instructions, context),
    }
    // The last that can fail, as it notes what was decided.
    const decisions = await withClock(decided, async () => {
      // Also for a request that decides nothing: nothing could be asked by this clock.
      now()
      return checkApprovals(decided, tools, approvalRules)
    })
    return {
      name,
      settings: modelSettings(options),
      ...answering,
      messages: withStanding(closeStaleCalls(messages), decisions.overruled),
      tools,
      announced: page,
      // For the tools that they were given with, and they are asked about no others by name.
      toolApproval: toolApproval as AnswerSetup<USER>['toolApproval'],
      defaultApproval: options.defaultApproval,
      misnamed,
      checkTimeoutMs: options.checkTimeoutMs,
      rulesOwner: options,
      download: options.download ?? refuseDownloads,
      contextOptions: options.context,
      gate,
      maxSteps,
      isContinuedByPage: body['continuesPausedTurns'] === true,
      seal,
      ledger,
      scope,
      runLeaseMs,
      ...decisions,
      approvalMaxAgeMs,
      optionsOf,
      failureOf,
      mask,
      redact,
      onAsked: audit && auditQuestions(audit, { tools, conversationId: chatId, owner }),
      previewCall: previewCall && ((call) => previewCall(call, context)),
      context,
      now,
      describeError: options.describeError ?? plainErrorText,
      onToolCall: (event) => quietly(() => options.onToolCall?.(event, context)),
      onFinish: (end) => quietly(() => options.onFinish?.(end, context)),
      onError,
    }
  }
}

/** Throws what a page is told of a clock that tells no time, by which nothing of a request was taken. */
async function withClock<RESULT>(
  decided: readonly DecidedCall[],
  check: () => Promise<RESULT>,
): Promise<RESULT> {
  try {
    return await check()
  } catch (cause) {
    if (!isWrongClock(cause)) throw cause
    const refused = decided.map(({ call }) => ({ approvalId: call.approvalId, isOpen: false }))
    const message = "The server's clock tells no time; nothing was run."
    throw new RequestError(500, 'wrong-clock', message, {}, { cause, refused })
  }
}

/** Calls an observer; what it throws, now or later, changes nothing. */
export function quietly(observe: () => unknown): void {
  // An async function, so that both ways to fail are one; it runs at once up to its first await.
  void (async () => observe())().catch(() => undefined)
}
