import type { ToolOptions } from '@assent/engine'
import { tool, type Tool, type ToolApprovalStatus } from 'ai'
import { toRefusal, WorkspaceRefusal, type Refusal } from './refusal.ts'
import type { CallDetails, Clearance, WorkspaceTool } from './tool-kit.ts'

/** Says whether a call needs a person; for `toolApproval`. */
export type ApproveCall<INPUT> = (
  input: INPUT,
  call: { readonly toolCallId: string },
) => Promise<ToolApprovalStatus>

/** A tool of the AI SDK, and what belongs to it. */
export interface MadeTool<INPUT> {
  readonly tool: Tool<INPUT, string>
  readonly approve: ApproveCall<INPUT>
  readonly options: ToolOptions<INPUT>
}

/** Calls whose clearance is remembered until they run. */
const MOST_CALLS = 10_000

/**
 * Makes a tool of the AI SDK. It asks by itself where nobody says what needs approval. A call that
 * needed no question does not run when it would need one by now: what it names has changed.
 */
export function toAiTool<INPUT>(
  toolName: string,
  spec: WorkspaceTool<INPUT>,
  onRefused: ((refusal: Refusal) => void) | undefined,
): MadeTool<INPUT> {
  const clearances = new Map<string, Clearance['verdict']>()
  const keyOf = (input: INPUT, { toolCallId }: { toolCallId: string }) =>
    `${toolCallId} ${JSON.stringify(input)}`

  async function clear(input: INPUT, call: { toolCallId: string }): Promise<Clearance> {
    const clearance = await spec.clear(input)
    const key = keyOf(input, call)
    if (!clearances.has(key)) clearances.set(key, clearance.verdict)
    for (const oldest of clearances.keys()) {
      if (clearances.size <= MOST_CALLS) break
      clearances.delete(oldest)
    }
    return clearance
  }

  async function approve(
    input: INPUT,
    call: { readonly toolCallId: string },
  ): Promise<ToolApprovalStatus> {
    const clearance = await clear(input, call)
    // What only reads runs by its risk, without a word about each call.
    if (clearance.verdict === 'allow') return spec.options.risk === 'read' ? undefined : 'approved'
    const { verdict, reason } = clearance
    if (verdict === 'deny') {
      report(new WorkspaceRefusal('forbidden', subjectOf(input), reason), call)
      return { type: 'denied', reason }
    }
    return { type: 'user-approval', reason }
  }

  async function checkAgain(input: INPUT, call: CallDetails): Promise<void> {
    const key = keyOf(input, call)
    const before = clearances.get(key)
    clearances.delete(key)
    const now = await spec.clear(input)
    if (now.verdict === 'allow' || (now.verdict === 'ask' && before !== 'allow')) return
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
  function fail(error: unknown, input: INPUT, call: CallDetails): unknown {
    const refusal = toRefusal(error, subjectOf(input))
    if (refusal instanceof WorkspaceRefusal) report(refusal, call)
    return refusal
  }

  function report(
    { code, message, subject }: WorkspaceRefusal,
    { toolCallId }: { toolCallId: string },
  ): void {
    onRefused?.({ code, toolName, toolCallId, message, subject })
  }

  async function execute(input: INPUT, call: CallDetails): Promise<string> {
    try {
      await checkAgain(input, call)
      if ('execute' in spec) return await spec.execute(input, call)
      let last = ''
      for await (last of spec.stream(input, call));
      return last
    } catch (error) {
      throw fail(error, input, call)
    }
  }

  async function* stream(input: INPUT, call: CallDetails): AsyncGenerator<string> {
    try {
      await checkAgain(input, call)
      if ('stream' in spec) yield* spec.stream(input, call)
    } catch (error) {
      throw fail(error, input, call)
    }
  }

  const { description, inputSchema, options } = spec
  const needsApproval = async (input: INPUT, call: { toolCallId: string }) =>
    (await clear(input, call)).verdict !== 'allow'
  const made = tool<INPUT, string, Record<string, unknown>>({
    description,
    inputSchema,
    ...(options.risk && { metadata: { risk: options.risk } }),
    // The type says INPUT in a way that cannot be told from another one before it is known.
    needsApproval: needsApproval as Tool<INPUT, string>['needsApproval'],
    execute: 'stream' in spec ? stream : execute,
  })
  return { tool: made, approve, options }
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
