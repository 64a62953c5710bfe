import type { Tool } from 'ai'

/** How a call that a workspace made ended: what the model reads, and what was shown until then. */
export interface Called {
  readonly output: string
  readonly seen: readonly string[]
}

let calls = 0

/** Calls a tool as the AI SDK does: a call without an id is a new one, of which the tool says whether it asks. */
export async function callTool<INPUT>(
  tool: Tool<INPUT, string>,
  input: INPUT,
  options: { abortSignal?: AbortSignal; toolCallId?: string } = {},
): Promise<Called> {
  if (!tool.execute) throw new TypeError('The tool has no execute.')
  const { toolCallId = `call-${++calls}`, abortSignal } = options
  const details = { toolCallId, messages: [], context: {}, ...(abortSignal && { abortSignal }) }
  const asks = tool.needsApproval
  if (options.toolCallId === undefined && typeof asks === 'function') await asks(input, details)
  const result = tool.execute(input, details)
  if (typeof result === 'string' || !(Symbol.asyncIterator in result)) {
    const output = await result
    return { output, seen: [output] }
  }
  const seen: string[] = []
  for await (const output of result) seen.push(output)
  return { output: seen.at(-1) ?? '', seen }
}

/** Calls bash, and takes off the line that says where it ran. */
export async function callBash<INPUT>(
  tool: Tool<INPUT, string>,
  input: INPUT,
  options: { abortSignal?: AbortSignal; toolCallId?: string } = {},
): Promise<Called & { readonly place: string }> {
  const called = await callTool(tool, input, options)
  const [line, place] = /\[Ran (.+)\.\]\n$/.exec(called.output) ?? []
  if (line === undefined || place === undefined) {
    throw new Error(`No place stands at the end of ${called.output}`)
  }
  return { ...called, output: called.output.slice(0, -line.length), place }
}

/** What a call fails with, as the model reads it. */
export async function failureOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error('The call did not fail.')
}
