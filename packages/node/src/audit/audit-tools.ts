import type { Tool, ToolSet } from 'ai'
import type { AuditLog } from './audit-log.ts'
import type { CallOutcome } from './call-row.ts'
import { ownCopy } from '../own-copy.ts'
import { createLateNotes, type LateNotes } from './late-notes.ts'
import { noteWhereRun } from './noted-tools.ts'
import type { AuditContext } from './record-decision.ts'
import { UnnotedCallError } from './unnoted-call.ts'

/** What is known of a call when it starts. */
export interface StartedCall {
  readonly toolCallId: string
  readonly toolName: string
  /** What the model or the app gave along, as `execute` gets it. */
  readonly context: unknown
}

/** Why an output of a tool is no success, in a few words; `undefined` where it is one. */
export type FailureOf = (toolName: string, output: unknown) => string | undefined

/** Options of {@link auditTools}. */
export interface AuditToolsOptions {
  /** What the calls belong to: of all, or of each. */
  readonly context?: AuditContext | ((call: StartedCall) => AuditContext)
  /** Why an output is no success although the tool did not throw; the call is noted as failed for it. */
  readonly failureOf?: FailureOf
  /**
   * Told why a call could not be noted: it does not run then, or its end is noted later. Default:
   * `process.emitWarning`.
   */
  readonly onError?: (error: unknown) => void
}

type Execute = NonNullable<Tool['execute']>
type ExecuteOptions = Parameters<Execute>[1]

/**
 * The same tools, whose calls are noted in the audit: as running before they start, and how they ended.
 * A call that cannot be noted does not run, and fails with an `UnnotedCallError`. An end that cannot be noted
 * is noted later, for as long as the process lives. For tools that a server runs in `streamText`; an engine's are
 * noted by `auditStorage`, and would be noted twice with both. Shared conversations leave calls of these tools out.
 *
 * A tool streams its outputs when its `execute` is an asynchronous generator function; of any other function
 * that answers with an async iterable, the last value is the output.
 *
 * When the process ends in the middle, nobody notes that: call `interruptRunning` when it starts again.
 */
export function auditTools<TOOLS extends ToolSet>(
  tools: TOOLS,
  audit: AuditLog,
  options: AuditToolsOptions = {},
): TOOLS {
  return auditToolsLate(tools, audit, { ...options, late: createLateNotes() })
}

/** The same, by what writes the ends of calls. */
export function auditToolsLate<TOOLS extends ToolSet>(
  tools: TOOLS,
  audit: AuditLog,
  options: AuditToolsOptions & { readonly late: LateNotes },
): TOOLS {
  noteWhereRun(tools, audit)
  const audited = Object.entries(tools).map(([toolName, tool]): [string, Tool] => {
    const { execute } = tool
    if (!execute) return [toolName, tool]
    return [
      toolName,
      {
        ...tool,
        execute: auditExecute(toolName, execute.bind(tool), {
          audit,
          options,
          isStreaming: isGenerator(execute),
        }),
      },
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
    options: { context: given = {}, failureOf, onError = warn, late },
    isStreaming,
  }: {
    readonly audit: AuditLog
    readonly options: AuditToolsOptions & { readonly late: LateNotes }
    readonly isStreaming: boolean
  },
): Execute {
  return (input: unknown, options: ExecuteOptions) => {
    const { toolCallId, abortSignal, context } = options
    const { conversationId, taskId, owner } =
      typeof given === 'function' ? given({ toolCallId, toolName, context }) : given
    const call = { conversationId, taskId, owner, toolCallId, toolName }
    let isOver = false

    async function end(note: () => Promise<unknown>): Promise<void> {
      if (isOver) return
      isOver = true
      try {
        await late.write(note)
      } catch (error) {
        onError(error)
      }
    }

    async function begin(): Promise<void> {
      try {
        await audit.recordCall({ ...call, phase: 'running', input: ownCopy(input) })
      } catch (cause) {
        onError(cause)
        throw new UnnotedCallError({ cause })
      }
    }
    const succeed = (output: unknown) =>
      end(() => {
        const error = failureOf?.(toolName, ownCopy(output))
        const own = { ...call, output: ownCopy(output) }
        return audit.recordCall(
          error === undefined
            ? { ...own, phase: 'done' }
            : { ...own, phase: 'failed', outcome: 'error', error },
        )
      })
    const fail = (thrown: unknown) =>
      end(() => {
        const outcome = outcomeOf(abortSignal)
        const error = thrown instanceof Error ? thrown.message : String(thrown)
        const mayHaveRun = outcome !== 'error'
        return audit.recordCall({ ...call, phase: 'failed', outcome, error, mayHaveRun })
      })

    async function* follow(): AsyncGenerator<unknown> {
      await begin()
      let last: unknown
      try {
        const outputs = await execute(input, options)
        for await (last of isAsyncIterable(outputs) ? outputs : [outputs]) yield last
        await succeed(last)
      } catch (error) {
        await fail(error)
        throw error
      } finally {
        // Nobody wanted the rest.
        await end(() =>
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

    async function lastOf(outputs: AsyncIterable<unknown>): Promise<unknown> {
      let last: unknown
      for await (last of outputs);
      return last
    }

    async function run(): Promise<unknown> {
      await begin()
      try {
        const result: unknown = await execute(input, options)
        const output = isAsyncIterable(result) ? await lastOf(result) : result
        await succeed(output)
        return output
      } catch (error) {
        await fail(error)
        throw error
      }
    }

    return isStreaming ? follow() : run()
  }
}

/** Whether a function is an asynchronous generator: what it answers is read value by value. */
function isGenerator(execute: Execute): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]'
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
