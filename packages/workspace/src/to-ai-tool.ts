import type { ToolOptions } from '@assent/engine'
import { asSchema, tool, type ModelMessage, type Tool, type ToolApprovalStatus } from 'ai'
import { toRefusal, WorkspaceRefusal, type Refusal } from './refusal.ts'
import type { LeftWrites } from './unfinished-writes.ts'
import type { CallDetails, Clearance, ClearedCall, WorkspaceTool } from './tool-kit.ts'

/** Says whether a call needs a person; for `toolApproval`. */
export type ApproveCall<INPUT> = (input: INPUT, call: AskedCall) => Promise<ToolApprovalStatus>

/** A call that a rule is asked about, as the AI SDK and the engine say it. */
export interface AskedCall {
  readonly toolCallId: string
  /** A yes is there; said by the engine and by the chat handler. */
  readonly isDecided?: boolean
  readonly messages?: readonly ModelMessage[]
}

/** A tool of the AI SDK, and what belongs to it. */
export interface MadeTool<INPUT> {
  readonly tool: Tool<INPUT, string>
  readonly approve: ApproveCall<INPUT>
  readonly options: ToolOptions<INPUT>
}

/** What a tool is made in. */
export interface ToolSurroundings {
  readonly onRefused: ((refusal: Refusal) => unknown) | undefined
  /** Finds what killed processes were writing. */
  readonly findLeft: () => Promise<LeftWrites | undefined>
}

/** UTF-16 code units that are told of an input which is not as it must be. */
const LONGEST_SUBJECT = 1_000
/** Calls whose clearance is remembered until they run. */
const MOST_CALLS = 10_000

/**
 * Makes a tool of the AI SDK. It asks by itself where nobody says what needs approval. A call that
 * needed no question does not run when it would need one by now: what it names has changed.
 */
export function toAiTool<INPUT>(
  toolName: string,
  spec: WorkspaceTool<INPUT>,
  { onRefused, findLeft }: ToolSurroundings,
): MadeTool<INPUT> {
  const clearances = new Map<string, Clearance['verdict']>()
  const keyOf = (input: INPUT, { toolCallId }: { toolCallId: string }) =>
    `${toolCallId} ${JSON.stringify(input)}`

  /** What is wrong with an input, if anything: only the AI SDK checks them before they come here. */
  async function refusalOf(input: INPUT): Promise<WorkspaceRefusal | undefined> {
    const checked = await asSchema(spec.inputSchema).validate?.(input)
    if (checked?.success !== false) return undefined
    const message = `the input of ${toolName} is not as it must be: ${whatIsWrong(checked.error)}`
    return new WorkspaceRefusal('invalid', subjectOf(input).slice(0, LONGEST_SUBJECT), message)
  }

  async function clear(input: INPUT, call: AskedCall): Promise<Clearance> {
    const { toolCallId, isDecided = isAnswered(call) } = call
    const clearance = await spec.clear(input, { toolCallId, isDecided })
    const key = keyOf(input, call)
    if (!clearances.has(key)) clearances.set(key, clearance.verdict)
    for (const oldest of clearances.keys()) {
      if (clearances.size <= MOST_CALLS) break
      clearances.delete(oldest)
    }
    return clearance
  }

  async function approve(input: INPUT, call: AskedCall): Promise<ToolApprovalStatus> {
    const refusal = await refusalOf(input)
    if (refusal) {
      await report(refusal, call)
      return { type: 'denied', reason: refusal.message }
    }
    const clearance = await clear(input, call)
    // What only reads runs by its risk, without a word about each call.
    if (clearance.verdict === 'allow') return spec.options.risk === 'read' ? undefined : 'approved'
    const { verdict, reason } = clearance
    if (verdict === 'deny') {
      await report(new WorkspaceRefusal('forbidden', subjectOf(input), reason), call)
      return { type: 'denied', reason }
    }
    return { type: 'user-approval', reason }
  }

  async function checkAgain(input: INPUT, call: CallDetails): Promise<ClearedCall> {
    const refusal = await refusalOf(input)
    if (refusal) throw refusal
    const key = keyOf(input, call)
    const before = clearances.get(key)
    clearances.delete(key)
    const { toolCallId } = call
    const now = await spec.clear(input, { toolCallId, isDecided: true, isStarting: true })
    if (now.verdict === 'allow' || (now.verdict === 'ask' && before !== 'allow')) {
      return { ...call, clearance: now }
    }
    const [code, why] =
      now.verdict === 'deny'
        ? (['forbidden', now.reason] as const)
        : ([
            'changed',
            `it has become a matter for a person meanwhile. ${now.reason} Call again.`,
          ] as const)
    throw new WorkspaceRefusal(code, subjectOf(input), why)
  }

  /** Tells of a refusal, and hands on what the model is to read. */
  async function fail(error: unknown, input: INPUT, call: CallDetails): Promise<unknown> {
    const refusal = toRefusal(error, subjectOf(input))
    if (refusal instanceof WorkspaceRefusal) await report(refusal, call)
    return refusal
  }

  async function report(
    { code, message, subject }: WorkspaceRefusal,
    { toolCallId }: { toolCallId: string },
  ): Promise<void> {
    await onRefused?.({ code, toolName, toolCallId, message, subject })
  }

  async function execute(input: INPUT, call: CallDetails): Promise<string> {
    try {
      const cleared = await checkAgain(input, call)
      const left = await findLeft()
      let last = ''
      if ('execute' in spec) last = await spec.execute(input, cleared)
      else for await (last of spec.stream(input, cleared));
      left?.forget()
      return (left?.text ?? '') + last
    } catch (error) {
      throw await fail(error, input, call)
    }
  }

  async function* stream(input: INPUT, call: CallDetails): AsyncGenerator<string> {
    try {
      const cleared = await checkAgain(input, call)
      const left = await findLeft()
      if (!('stream' in spec)) return
      for await (const output of spec.stream(input, cleared)) yield (left?.text ?? '') + output
      left?.forget()
    } catch (error) {
      throw await fail(error, input, call)
    }
  }

  const { description, inputSchema, options } = spec
  const needsApproval = async (input: INPUT, call: AskedCall) =>
    (await refusalOf(input)) !== undefined || (await clear(input, call)).verdict !== 'allow'
  const made = tool<INPUT, string, Record<string, unknown>>({
    description,
    inputSchema,
    metadata: {
      ...(typeof options.risk === 'string' && { risk: options.risk }),
      ...(options.exactOnly === true && { exactOnly: true }),
    },
    // The type says INPUT in a way that cannot be told from another one before it is known.
    needsApproval: needsApproval as Tool<INPUT, string>['needsApproval'],
    execute: 'stream' in spec ? stream : execute,
  })
  return { tool: made, approve, options }
}

/** Whether the last message answers the question about a call: so the AI SDK asks once more. */
function isAnswered({ toolCallId, messages = [] }: AskedCall): boolean {
  const answers = new Set(
    partsOf(messages.at(-1)).flatMap((part) =>
      part.type === 'tool-approval-response' ? [part.approvalId] : [],
    ),
  )
  return messages
    .flatMap(partsOf)
    .some(
      (part) =>
        part.type === 'tool-approval-request' &&
        part.toolCallId === toolCallId &&
        answers.has(part.approvalId),
    )
}

type ContentPart = Exclude<ModelMessage['content'], string>[number]

function partsOf(message: ModelMessage | undefined): readonly ContentPart[] {
  return message === undefined || typeof message.content === 'string' ? [] : message.content
}

/** The first thing that a schema does not like, in words. */
function whatIsWrong(error: Error): string {
  const { message } = error
  const issues: unknown = 'issues' in error ? error.issues : undefined
  const [first]: unknown[] = Array.isArray(issues) ? issues : []
  if (typeof first !== 'object' || first === null || !('message' in first)) return message
  const path: unknown = 'path' in first ? first.path : []
  const place = Array.isArray(path) && path.length > 0 ? `${path.join('.')}: ` : ''
  return `${place}${String(first.message)}`
}

/** The path, pattern or command that an input is about. */
function subjectOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return ''
  for (const key of ['path', 'command', 'pattern', 'output'] as const) {
    const value: unknown = Reflect.get(input, key)
    if (typeof value === 'string') return value
  }
  return ''
}
