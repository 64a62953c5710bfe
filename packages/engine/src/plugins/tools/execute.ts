import type { Tool, ToolSet, UIMessage } from 'ai'
import { EngineError } from '../../errors.ts'
import { readInput } from './input-schema.ts'
import type { ToolCall, ToolCallContext, ToolPluginOptions } from './options.ts'

/** One result of a tool: each yield of an async iterable is preliminary, the last one final. */
export interface ToolYield {
  output: unknown
  isPreliminary: boolean
}

/** What can run a call: the tool of that name, `callTool`, or nothing. */
export type Executor =
  | { type: 'tool'; tool: Tool; execute: NonNullable<Tool['execute']> }
  | { type: 'callTool'; tool: Tool | undefined }
  | { type: 'none'; text: string }

export function executorOf<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  toolName: string,
  { tools, callTool }: ToolPluginOptions<TOOLS, MESSAGE>,
): Executor {
  const tool: Tool | undefined =
    tools && Object.hasOwn(tools, toolName) ? tools[toolName] : undefined
  if (tool?.execute) return { type: 'tool', tool, execute: tool.execute }
  if (callTool) return { type: 'callTool', tool }
  if (tool) {
    const text = `Tool "${toolName}" cannot run: it has no execute, and no callTool was given.`
    return { type: 'none', text }
  }
  const names = Object.keys(tools ?? {}).join(', ')
  return { type: 'none', text: `Unknown tool "${toolName}". Known tools: ${names || 'none'}.` }
}

/**
 * Runs a call and yields its results until it is done or the signal aborts; a tool that ignores
 * the signal is left behind. Throws what the tool throws, and the signal's reason.
 * `onLeft` is called when the tool itself has come to its end, which can be later.
 */
export async function* executeCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  call: ToolCall,
  executor: Exclude<Executor, { type: 'none' }>,
  options: ToolPluginOptions<TOOLS, MESSAGE>,
  context: ToolCallContext<MESSAGE> & { abortSignal: AbortSignal; knownInput?: unknown },
  onLeft: () => void,
): AsyncGenerator<ToolYield, void, void> {
  const { abortSignal } = context
  const aborted = rejectOnAbort(abortSignal)
  // Nothing may be left unhandled when the tool ends first.
  aborted.promise.catch(() => undefined)
  let left: Promise<unknown> = Promise.resolve()
  try {
    const started = start(call, executor, options, context)
    left = started
    const returned = await Promise.race([started, aborted.promise])
    if (!isAsyncIterable(returned)) {
      yield { output: returned, isPreliminary: false }
      return
    }
    const iterator = returned[Symbol.asyncIterator]()
    let last: unknown
    try {
      for (;;) {
        const next = iterator.next()
        left = next
        const { done, value } = await Promise.race([next, aborted.promise])
        if (done) break
        last = value
        yield { output: value, isPreliminary: true }
      }
    } finally {
      // Not awaited on an abort: a generator in the middle of an await would not answer.
      const returning = iterator.return?.()
      if (returning) left = Promise.allSettled([left, returning])
    }
    yield { output: last, isPreliminary: false }
  } finally {
    aborted.stop()
    void left.then(onLeft, onLeft)
  }
}

async function start<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  call: ToolCall,
  executor: Exclude<Executor, { type: 'none' }>,
  options: ToolPluginOptions<TOOLS, MESSAGE>,
  context: ToolCallContext<MESSAGE> & { abortSignal: AbortSignal; knownInput?: unknown },
): Promise<unknown> {
  const { abortSignal, customContext } = context
  if (executor.type === 'callTool') return options.callTool?.(call, { abortSignal, customContext })
  const input = 'knownInput' in context ? context.knownInput : await read(executor.tool, call)
  const messages = (await options.toModelMessages?.(context.getState().messages)) ?? []
  const toolsContext = options.toolsContext ?? {}
  const details = {
    toolCallId: call.toolCallId,
    messages,
    abortSignal,
    context: Object.hasOwn(toolsContext, call.toolName) ? toolsContext[call.toolName] : undefined,
  }
  return executor.execute(input, details as Parameters<typeof executor.execute>[1])
}

async function read(tool: Tool, call: ToolCall): Promise<unknown> {
  const result = await readInput(tool, call.input)
  if (result.success) return result.value
  throw new EngineError(
    'tool_failed',
    `Invalid input for tool "${call.toolName}": ${result.message}`,
  )
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

function rejectOnAbort(signal: AbortSignal): { promise: Promise<never>; stop: () => void } {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return { promise, stop: () => signal.removeEventListener('abort', onAbort) }
}
