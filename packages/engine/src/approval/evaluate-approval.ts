import type { ModelMessage, Tool, ToolSet } from 'ai'
import { isDevelopment } from '../development.ts'
import { describeThrown, EngineError, isEngineError } from '../errors.ts'
import { ownOf } from '../message/own-of.ts'
import { isRecord, type ToolRisk } from '../message/tool-part.ts'
import { answerWithin } from './answer-within.ts'
import { reportOnce } from './report-once.ts'
import { warnOfUnasked } from './warn-of-unasked.ts'

/** What answers for a call about which no rule says anything. */
export type DefaultApproval = 'user-approval' | 'approved' | 'denied'

/** A call that rules are asked about. */
export interface ApprovalCall {
  readonly toolName: string
  readonly toolCallId: string
  /** Each rule that looks at it is given a copy of its own. */
  readonly input: unknown
  /** The model's provider runs the tool itself: nothing here can make it wait. */
  readonly providerExecuted?: boolean | undefined
  /** What a rule for all tools is told beside this, as the AI SDK has it. */
  readonly toolCall?: object
}

/** The rules about calls, and what they are given. */
export interface ApprovalRules {
  /** As in the AI SDK: a function for all tools, or a status or function per tool. */
  readonly toolApproval?: unknown
  /** Asks a person when it answers `true`, and lets the call run when it answers `false`. */
  readonly shouldPause?: ((input: unknown) => unknown) | undefined
  /**
   * What the app says of the tool: `'read'` runs where no rule says anything. Default: the `risk` in
   * the tool's own `metadata`.
   */
  readonly risk?: unknown
  /** Default `'user-approval'`. */
  readonly defaultApproval?: DefaultApproval | undefined
  /** The call is not executed here, so that no default guards it. */
  readonly isElsewhere?: boolean
  readonly tools?: ToolSet | undefined
  /** Rules name tools that there are not: what no rule names asks, as it may be meant. */
  readonly misnamed?: EngineError | undefined
  readonly toolsContext?: Readonly<Record<string, unknown>> | undefined
  readonly runtimeContext?: unknown
  /** A person or policy has said yes: the rules are asked once more, before the call runs. */
  readonly isDecided?: boolean
  /** Asked for when a rule is a function. */
  readonly messages?: () => ModelMessage[] | PromiseLike<ModelMessage[]>
  /** Makes a copy, or a promise of one. Default: `structuredClone`. */
  readonly copyInput?: (input: unknown) => unknown
  /** Milliseconds that a rule may take; after that a person is asked. Default 10,000. */
  readonly timeoutMs?: number | undefined
  /** Asks a rule in the place of that limit, and throws when it takes too long. */
  readonly within?: <VALUE>(ask: () => Promise<VALUE>) => Promise<VALUE>
  /**
   * Told of verdicts that nobody knows, once per tool, and of `misnamed`, once, when there is an
   * `owner`.
   */
  readonly report?: (error: EngineError) => void
  /** Whose rules these are: an object that stays the same. */
  readonly owner?: object
}

/**
 * What a verdict rests on: `toolApproval`, the `needsApproval` of the tool, `shouldPauseToolCall`,
 * the risk that the app declared, `defaultApproval`, or that the call is executed elsewhere.
 */
export type ApprovalSource = 'rule' | 'tool' | 'pause' | 'risk' | 'default' | 'elsewhere'

/** What the rules say about a call. */
export interface ApprovalVerdict {
  readonly type: 'run' | 'ask' | 'deny'
  readonly by: ApprovalSource
  /** For the person who is asked, or the model that is denied. */
  readonly reason?: string
  /**
   * Why only a person can decide, whatever policies say: a rule threw (`rule_failed`), answered what is
   * no verdict (`unknown_verdict`), or names no tool and may be meant for this one (`unknown_tool`).
   */
  readonly failure?: EngineError
}

/**
 * What the rules say about a call: whether it runs, asks a person or is denied. Deny is stronger than
 * ask, ask than run. A rule that throws asks, and so does a verdict that nobody knows. Where nothing is
 * said, `defaultApproval` answers.
 *
 * Rejects with `provider_cannot_wait` when a rule would stop a tool that the provider runs itself.
 */
export async function evaluateApproval(
  call: ApprovalCall,
  rules: ApprovalRules,
): Promise<ApprovalVerdict> {
  const said = await askRules(call, rules)
  if (call.providerExecuted) {
    if (!said || said.type === 'run') return { type: 'run', by: 'elsewhere' }
    throw providerCannotWait(call.toolName, ownOf(rules.tools, call.toolName), said.failure)
  }
  const verdict = said ?? verdictUnsaid(call, rules)
  const { misnamed } = rules
  // Without an owner somebody only asks what would be.
  if (isDevelopment && rules.owner && verdict.type === 'run') {
    warnOfUnasked(call.toolName, verdict.by, rules)
  }
  if (!misnamed) return verdict
  tellOnce(misnamed, rules)
  if (verdict.type !== 'run') return verdict
  if (verdict.by === 'rule' || verdict.by === 'elsewhere') return verdict
  return { type: 'ask', by: 'rule', reason: misnamed.message, failure: misnamed }
}

function tellOnce(error: EngineError, { report, owner = {} }: ApprovalRules): void {
  if (report) reportOnce(owner, error, report)
}

/** What answers where no rule says anything. */
function verdictUnsaid(call: ApprovalCall, rules: ApprovalRules): ApprovalVerdict {
  const { defaultApproval = 'user-approval' } = rules
  if (rules.isElsewhere) return { type: 'run', by: 'elsewhere' }
  if (toolRiskOf(call, rules) === ('read' satisfies ToolRisk)) return { type: 'run', by: 'risk' }
  return { type: TYPES.get(defaultApproval) ?? 'ask', by: 'default' }
}

/** What the app says of a tool: what an MCP server says of its own is not among its `metadata`. */
export function toolRiskOf(
  { toolName }: Pick<ApprovalCall, 'toolName'>,
  { risk, tools }: Pick<ApprovalRules, 'risk' | 'tools'>,
): unknown {
  return risk ?? ownOf<unknown>(ownOf(tools, toolName)?.metadata, 'risk')
}

/** What is wrong with a rule about a tool that the provider runs itself. */
export function providerCannotWait(
  toolName: string,
  tool: Tool | undefined,
  cause?: unknown,
): EngineError {
  const id = tool?.type === 'provider' ? ` (${tool.id})` : ''
  const hint = isDevelopment
    ? " Use the provider's own option instead, such as requireApproval of an MCP server, allowedDomains or maxUses of a web search, or leave the tool out."
    : ''
  return new EngineError(
    'provider_cannot_wait',
    `The provider runs "${toolName}"${id} itself: no rule can make it wait, or stop it.${hint}`,
    { cause, details: { toolName } },
  )
}

const TYPES: ReadonlyMap<unknown, ApprovalVerdict['type']> = new Map([
  ['approved', 'run'],
  ['user-approval', 'ask'],
  ['denied', 'deny'],
] satisfies [DefaultApproval, ApprovalVerdict['type']][])

/** What rules say; nothing when none says anything. */
async function askRules(
  call: ApprovalCall,
  rules: ApprovalRules,
): Promise<ApprovalVerdict | undefined> {
  try {
    const { shouldPause, timeoutMs } = rules
    const { within = (ask) => answerWithin(ask(), 'The rule', timeoutMs) } = rules
    const said = await within(async () => {
      const answered = readStatus(await askToolApproval(call, rules), call)
      if (answered) return answered
      const isNeeded = readBoolean('needsApproval', await askNeedsApproval(call, rules), call)
      // Beside a rule without an opinion it can only ask.
      if (isNeeded === undefined || (!isNeeded && hasRule(call, rules))) return undefined
      return { type: isNeeded ? ('ask' as const) : ('run' as const), by: 'tool' as const }
    })
    if (!shouldPause || (said && said.type !== 'run')) return said
    const answer = await within(async () => shouldPause(await copyOf(call, rules)))
    const isPaused = readBoolean('shouldPauseToolCall', answer, call)
    if (isPaused) return { type: 'ask', by: 'pause' }
    return said ?? (isPaused === false ? { type: 'run', by: 'pause' } : undefined)
  } catch (error) {
    const reason = `The check of this call failed: ${describeThrown(error)}`
    if (isEngineError(error) && error.code === 'unknown_verdict') {
      tellOnce(error, rules)
      return { type: 'ask', by: 'rule', reason, failure: error }
    }
    const details = { toolName: call.toolName }
    const failure = new EngineError('rule_failed', reason, { cause: error, details })
    return { type: 'ask', by: 'rule', reason, failure }
  }
}

/** What `toolApproval` answers. Throws `unknown_verdict` when it is neither a function nor rules by name. */
async function askToolApproval(call: ApprovalCall, rules: ApprovalRules): Promise<unknown> {
  const { toolName, toolCallId } = call
  const { toolApproval, tools = {}, toolsContext = {}, runtimeContext } = rules
  if (toolApproval === undefined) return undefined
  const tool = ownOf(tools, toolName)
  const messages = async () => (await rules.messages?.()) ?? []
  if (typeof toolApproval === 'function') {
    const input = await copyOf(call, rules)
    const base = { type: 'tool-call', toolCallId, toolName, dynamic: !tool }
    const toolCall = { ...base, ...call.toolCall, input }
    const details = { toolCall, tools, toolsContext, runtimeContext, messages: await messages() }
    return toolApproval({ ...details, ...decidedOf(rules) })
  }
  if (!isPlainRecord(toolApproval)) throw unknownVerdict('toolApproval', toolApproval, call)
  const status = ownOf(toolApproval, toolName)
  if (typeof status !== 'function') return status
  const toolContext = ownOf(toolsContext, toolName)
  const details = { toolCallId, messages: await messages(), toolContext, runtimeContext }
  return status(await copyOf(call, rules), { ...details, ...decidedOf(rules) })
}

/** What the deprecated `needsApproval` of the tool says, where `toolApproval` has nothing for it. */
async function askNeedsApproval(call: ApprovalCall, rules: ApprovalRules): Promise<unknown> {
  const { toolName, toolCallId } = call
  const needsApproval: unknown = ownOf(rules.tools, toolName)?.needsApproval
  if (typeof needsApproval !== 'function') return needsApproval
  const messages = (await rules.messages?.()) ?? []
  const context = ownOf(rules.toolsContext, toolName)
  const details = { toolCallId, messages, context, ...decidedOf(rules) }
  return needsApproval(await copyOf(call, rules), details)
}

/** A rule that keeps what it was asked about can tell the first question from the one before the run. */
function decidedOf({ isDecided }: ApprovalRules): { isDecided?: true } {
  return isDecided ? { isDecided } : {}
}

/** Whether `toolApproval` is asked about the tool. */
function hasRule({ toolName }: ApprovalCall, { toolApproval }: ApprovalRules): boolean {
  if (typeof toolApproval === 'function') return true
  return isRecord(toolApproval) && ownOf(toolApproval, toolName) !== undefined
}

/** A promise, a map or the like has rules that nobody would ever read. */
function isPlainRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function copyOf({ input }: ApprovalCall, { copyInput = structuredClone }: ApprovalRules): unknown {
  return copyInput(input)
}

/** Throws `unknown_verdict` for an answer that is no status: the call must not run by mistake. */
function readStatus(answer: unknown, call: ApprovalCall): ApprovalVerdict | undefined {
  const { type: status, reason } = isRecord(answer) ? answer : { type: answer }
  if (status === 'not-applicable' || answer === undefined) return undefined
  const type = TYPES.get(status)
  if (!type) throw unknownVerdict('toolApproval', answer, call)
  return { type, by: 'rule', ...(typeof reason === 'string' && { reason }) }
}

function readBoolean(rule: string, answer: unknown, call: ApprovalCall): boolean | undefined {
  if (answer === undefined || typeof answer === 'boolean') return answer
  throw unknownVerdict(rule, answer, call)
}

function unknownVerdict(rule: string, answer: unknown, { toolName }: ApprovalCall): EngineError {
  const known =
    rule === 'toolApproval' ? '"approved", "user-approval", "denied" or nothing' : 'true or false'
  const hint = isDevelopment ? ` Answer ${known}.` : ''
  const said = typeof answer === 'string' ? `"${answer}"` : describeThrown(answer)
  return new EngineError(
    'unknown_verdict',
    `${rule} answered ${said} about "${toolName}", which is no verdict.${hint}`,
    { details: { toolName } },
  )
}
