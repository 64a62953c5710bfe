import type {
  JSONValue,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider'
import { createDemoModel } from '../demo-model.ts'

/** The playground's tools. */
const TOOLS = [
  'list_notes',
  'read_note',
  'write_note',
  'archive_note',
  'delete_note',
  'search_notes',
  'ask_user',
  'list_primes',
  'export_notes',
  'send_report',
  'server_time',
  'delete_backup',
  'glob',
  'grep',
  'read',
  'write',
  'bash',
]

/** What the model did in one step. */
export interface ModelStep {
  readonly parts: readonly LanguageModelV4StreamPart[]
  readonly reasoning: string
  readonly text: string
  readonly calls: readonly { id: string; name: string; input: unknown }[]
  readonly finishReason: string | undefined
}

/** A prompt with one request. */
export function ask(text: string): LanguageModelV4Prompt {
  return [
    { role: 'system', content: 'Anything' },
    { role: 'user', content: [{ type: 'text', text }] },
  ]
}

/** What the model does next; by default as fast as it can, with all of the playground's tools. */
export async function next(
  prompt: LanguageModelV4Prompt,
  {
    model = createDemoModel({ speed: Infinity }),
    tools = TOOLS,
    ...options
  }: Partial<Omit<LanguageModelV4CallOptions, 'tools'>> & {
    model?: LanguageModelV4
    tools?: string[]
  } = {},
): Promise<ModelStep> {
  const { stream } = await model.doStream({
    ...options,
    prompt,
    tools: tools.map((name) => ({ type: 'function', name, inputSchema: { type: 'object' } })),
  })
  const parts = await partsOf(stream)
  const finish = parts.find((part) => part.type === 'finish')
  return {
    parts,
    reasoning: parts.map((part) => (part.type === 'reasoning-delta' ? part.delta : '')).join(''),
    text: parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join(''),
    calls: parts.flatMap((part) =>
      part.type === 'tool-call'
        ? [{ id: part.toolCallId, name: part.toolName, input: JSON.parse(part.input) as unknown }]
        : [],
    ),
    finishReason: finish?.finishReason.unified,
  }
}

/** All parts of a stream. */
export async function partsOf(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

/** The prompt after a step whose calls came to these outputs, in order. */
export function after(
  prompt: LanguageModelV4Prompt,
  step: ModelStep,
  outputs: readonly (LanguageModelV4ToolResultOutput | JSONValue)[],
): LanguageModelV4Prompt {
  const assistant: LanguageModelV4Message = {
    role: 'assistant',
    content: [
      { type: 'text', text: step.text },
      ...step.calls.map(({ id, name, input }) => ({
        type: 'tool-call' as const,
        toolCallId: id,
        toolName: name,
        input,
      })),
    ],
  }
  const tool: LanguageModelV4Message = {
    role: 'tool',
    content: step.calls.map(({ id, name }, index) => ({
      type: 'tool-result' as const,
      toolCallId: id,
      toolName: name,
      output: asOutput(outputs[index]),
    })),
  }
  return [...prompt, assistant, tool]
}

function asOutput(
  value: LanguageModelV4ToolResultOutput | JSONValue | undefined,
): LanguageModelV4ToolResultOutput {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && 'type' in value) {
    return value as LanguageModelV4ToolResultOutput
  }
  return { type: 'json', value: value ?? null }
}
