import type { Tool, ToolSet, UIMessage } from 'ai'
import { describeThrown } from '../../errors.ts'
import { refOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { isRecord, toolNameOf } from '../../message/tool-part.ts'
import { withinDeadline } from './deadline.ts'
import { executorOf } from './execute.ts'
import { canonicalJson, fingerprintOf, sha256Hex } from './fingerprint.ts'
import { readInput } from './input-schema.ts'
import { hasNoExecutor, toolOf, type ToolCallContext, type ToolPluginOptions } from './options.ts'

/** A call's input as its tool's schema reads it. */
export interface CallReading {
  /** The input of the part of which this was read. */
  readonly source: unknown
  /** Of that input: what a decision is bound to. */
  readonly fingerprint: string
  /**
   * Of what the schema made of it, where that is something else than the input; {@link UNTOLD} where
   * the schema answers differently each time, or with what JSON cannot express.
   */
  readonly readAs: string | undefined
  /** What the schema made of it, as canonical JSON, if that can express it. */
  readonly words: string | undefined
  /** What the schema made of it. Only the tool gets this very value. */
  readonly value: unknown
  /** A copy, or a promise of one, for one callback, which may do with it what it likes. */
  copy(): unknown
}

/** Reads a call's input afresh. Throws, with words for the model, for a call that cannot run. */
export async function readCall<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  {
    options,
    context,
  }: {
    readonly options: ToolPluginOptions<TOOLS, MESSAGE>
    readonly context: ToolCallContext<MESSAGE>
  },
  { part, ...ref }: Omit<ToolCallEntry, 'index'>,
): Promise<CallReading> {
  if (part.state === 'input-streaming') {
    throw new TypeError('The input of this call was cut off; it did not run.')
  }
  const toolName = toolNameOf(part)
  // Throws when there is none.
  if (!hasNoExecutor(options, toolName)) executorOf(toolName, options, context)
  const { input: source } = part
  // Inputs are JSON, and may be proxies of a reactive framework, which `structuredClone` refuses.
  const json = JSON.stringify(source)
  const tool = toolOf(options, toolName)
  const read = () => readJson(tool, json)
  try {
    const question = { type: 'schema', toolName, ...refOf(ref) } as const
    const value = await withinDeadline({ options, context }, question, read)
    const words = wordsOf(value)
    return {
      source,
      fingerprint: fingerprintOf(toolName, source),
      readAs: await readAsOf(words, json, read),
      words,
      value,
      copy: () => (isPlain(value) ? structuredClone(value) : read()),
    }
  } catch (error) {
    throw new TypeError(`Invalid input for tool "${toolName}": ${describeThrown(error)}`, {
      cause: error,
    })
  }
}

/** A copy of an input that no schema has read. */
export function copyOfInput(input: unknown): unknown {
  return input === undefined ? undefined : JSON.parse(JSON.stringify(input))
}

async function readJson(tool: Tool | undefined, json: string | undefined): Promise<unknown> {
  return readInput(tool, json === undefined ? undefined : JSON.parse(json))
}

/** In the place of a fingerprint of what a schema makes of an input. */
const UNTOLD = 'untold'

async function readAsOf(
  words: string | undefined,
  json: string | undefined,
  read: () => Promise<unknown>,
): Promise<string | undefined> {
  if (words === undefined) return UNTOLD
  if (words === wordsOf(json === undefined ? json : JSON.parse(json))) return undefined
  // A schema that answers otherwise when it is asked twice tells nothing by another answer later.
  return words === wordsOf(await read()) ? sha256Hex(words) : UNTOLD
}

function wordsOf(value: unknown): string | undefined {
  try {
    return canonicalJson(value ?? null)
  } catch {
    return undefined
  }
}

/** Whether a structured clone is all of a value: other prototypes would be lost. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain)
  if (!isRecord(value)) return typeof value !== 'function' && typeof value !== 'symbol'
  const prototype: unknown = Object.getPrototypeOf(value)
  if (value instanceof Date) return prototype === Date.prototype
  return prototype === Object.prototype && Object.values(value).every(isPlain)
}
