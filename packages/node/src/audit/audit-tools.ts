import type { Tool, ToolSet } from 'ai'
import type { AuditLog } from './audit-log.ts'
import type { CallOutcome } from './call-row.ts'
import type { AuditContext } from './record-decision.ts'

/** What is known of a call when it starts. */
export interface StartedCall {
  readonly toolCallId: string
  readonly toolName: string
  /** What the model or the app gave along, as `execute` gets it. */
  readonly context: unknown
}

/** Options of {@link auditTools}. */
export interface AuditToolsOptions {
  /** What the calls belong to: of all, or of each. */
  readonly context?: AuditContext | ((call: StartedCall) => AuditContext)
  /**
   * Told when the end of a call could not be noted: what it gave is not lost by that. Default:
   * `process.emitWarning`.
   */
  readonly onError?: (error: unknown) => void
}

type Execute = NonNullable<Tool['execute']>
type ExecuteOptions = Parameters<Execute>[1]

/**
 * The same tools, whose calls are noted in the audit: as running before they start, and how they ended.
 * A call that cannot be noted does not run. For tools that a server runs in `streamText`; an engine's are
 * noted by `auditStorage`, and would be noted twice with both.
 *
 * When the process ends in the middle, nobody notes that: call `interruptRunning` when it starts again.
 */
export function auditTools<TOOLS extends ToolSet>(
  tools: TOOLS,
  audit: AuditLog,
  options: AuditToolsOptions = {},
): TOOLS {
  const audited = Object.entries(tools).map(([toolName, tool]): [string, Tool] => {
    const { execute } = tool
    if (!execute) return [toolName, tool]
    return [
      toolName,
      { ...tool, execute: auditExecute(toolName, execute.bind(tool), { audit, options }) },
    ]
  })
  // The same names and the same types: only what runs them is another function.
  return Object.fromEntries(audited) as TOOLS
}

function auditExecute(
  toolName: string,
  execute: Execute,
  {
    audit,
    options: { context: given = {}, onError = warn },
  }: { readonly audit: AuditLog; readonly options: AuditToolsOptions },
): Execute {
  return (input: unknown, options: ExecuteOptions) => {
    const { toolCallId, abortSignal, context } = options
    const { conversationId, taskId } =
      typeof given === 'function' ? given({ toolCallId, toolName, context }) : given
    const call = { conversationId, taskId, toolCallId, toolName }
    let isOver = false

    function end(act: () => void): void {
      if (isOver) return
      isOver = true
      try {
        act()
      } catch (error) {
        onError(error)
      }
    }

    const succeed = (output: unknown) =>
      end(() => audit.recordCall({ ...call, phase: 'done', output }))
    const fail = (thrown: unknown) =>
      end(() => {
        const outcome = outcomeOf(abortSignal)
        const error = thrown instanceof Error ? thrown.message : String(thrown)
        audit.recordCall({
          ...call,
          phase: 'failed',
          outcome,
          error,
          mayHaveRun: outcome !== 'error',
        })
      })

    async function* follow(outputs: AsyncIterable<unknown>): AsyncGenerator<unknown> {
      let last: unknown
      try {
        for await (last of outputs) yield last
        succeed(last)
      } catch (error) {
        fail(error)
        throw error
      } finally {
        // Nobody wanted the rest.
        end(() =>
          audit.recordCall({
            ...call,
            phase: 'failed',
            outcome: 'cancelled',
            error: 'It was stopped before it ended; it may have taken effect.',
            mayHaveRun: true,
          }),
        )
      }
    }

    audit.recordCall({ ...call, phase: 'running', input })
    let result: unknown
    try {
      result = execute(input, options)
    } catch (error) {
      fail(error)
      throw error
    }
    if (isAsyncIterable(result)) return follow(result)
    return settle(result)

    async function settle(pending: unknown): Promise<unknown> {
      try {
        const output = await pending
        succeed(output)
        return output
      } catch (error) {
        fail(error)
        throw error
      }
    }
  }
}

/** How a call failed whose signal is this one. */
function outcomeOf(signal: AbortSignal | undefined): CallOutcome {
  if (!signal?.aborted) return 'error'
  const { reason } = signal
  return reason instanceof Error && reason.name === 'TimeoutError' ? 'timeout' : 'cancelled'
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
