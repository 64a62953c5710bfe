import type { ToolSet } from 'ai'
import { ownCopy } from '../own-copy.ts'

/** A call of a tool that is about to run. */
export interface ToolRun {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/**
 * The same tools with something done around each run. `around` is called at once when the tool is to
 * run, and may leave it, or answer in its place: with a value, a promise, or an async iterable of
 * which the last value counts.
 *
 * A tool gets the input as it was when `around` was called, in a copy that nobody else has.
 *
 * @param signalOf the signal that a run is given, by the one that it would have
 */
export function wrapExecute(
  tools: ToolSet,
  around: (run: ToolRun, execute: () => unknown) => unknown,
  signalOf: (signal: AbortSignal) => AbortSignal = (signal) => signal,
): ToolSet {
  return Object.fromEntries(
    Object.entries(tools).map(([toolName, tool]) => {
      const { execute } = tool
      if (!execute) return [toolName, tool]
      const wrapped: typeof execute = (input: unknown, options: Parameters<typeof execute>[1]) => {
        const own = ownCopy(input)
        return around({ toolCallId: options.toolCallId, toolName, input }, () => {
          const { abortSignal } = options
          const signal = abortSignal && { abortSignal: signalOf(abortSignal) }
          return execute.call(tool, own, { ...options, ...signal })
        })
      }
      return [toolName, { ...tool, execute: wrapped }]
    }),
  )
}

/**
 * Gives on what a run answers, and tells how it ended: of an async iterable with its last value, also
 * when nobody reads it to its end.
 */
export function watchRun(
  execute: () => unknown,
  onEnd: (end: { output: unknown } | { error: unknown }) => void,
): unknown {
  let result: unknown
  try {
    result = execute()
  } catch (error) {
    onEnd({ error })
    throw error
  }
  if (isAsyncIterable(result)) return watchValues(result, onEnd)
  return watchPromise(result, onEnd)
}

async function watchPromise(
  result: unknown,
  onEnd: (end: { output: unknown } | { error: unknown }) => void,
): Promise<unknown> {
  let output: unknown
  try {
    output = await result
  } catch (error) {
    onEnd({ error })
    throw error
  }
  onEnd({ output })
  return output
}

async function* watchValues(
  values: AsyncIterable<unknown>,
  onEnd: (end: { output: unknown } | { error: unknown }) => void,
): AsyncGenerator<unknown> {
  let output: unknown
  let end: { output: unknown } | { error: unknown } = {
    error: new Error('It was stopped before its end.'),
  }
  try {
    for await (output of values) yield output
    end = { output }
  } catch (error) {
    end = { error }
    throw error
  } finally {
    onEnd(end)
  }
}

/** Whether a tool streams its output. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
