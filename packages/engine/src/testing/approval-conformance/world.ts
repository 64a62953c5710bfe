import type { LanguageModel, Tool, ToolApprovalStatus, ToolSet } from 'ai'
import type { MessageTransport } from '../../transport/transport.ts'
import { BrokenRule } from '../broken-rule.ts'
import { answer, callTools } from '../chunks.ts'
import { scriptedTransport } from '../scripted-transport.ts'
import type { ApprovalInvariant } from './invariants.ts'

/** What the tools of the kit take. */
export interface KitInput {
  readonly path: string
}

/** A call that the model makes. Its id is used once in a test. */
export interface SentCall {
  readonly toolCallId: string
  readonly toolName: 'write' | 'note'
  readonly input: KitInput
}

/** Asked about every call, as the AI SDK's `toolApproval` is. */
export type KitRule = (question: {
  readonly toolCall: { readonly toolCallId: string; readonly input: unknown }
}) => Promise<ToolApprovalStatus>

/** What everything is made of that is tested. */
export interface ApprovalSetup {
  /** `write` and `note`. Their effects are counted here. */
  readonly tools: ToolSet
  /** The rules: give them as they are. What they say is not always a verdict. */
  readonly toolApproval: KitRule
}

type ModelV4 = Extract<LanguageModel, { specificationVersion: 'v4' }>

/** More than any test asks for. */
const MOST_REQUESTS = 1_000

/** All that is around the thing tested: the model, the rules, and what the tools did. */
export class World implements ApprovalSetup {
  readonly effects: SentCall[] = []
  readonly story: string[] = []
  readonly tools: ToolSet = { write: this.#tool('write'), note: this.#tool('note') }
  /** What the model calls next; nothing lets it say a word. */
  calls: readonly SentCall[] = []
  /** Looks at each effect. */
  onEffect: (effect: SentCall) => void = () => undefined
  /** What a tool waits for once it took effect. */
  running: Promise<void> | undefined
  readonly #rules = new Map<string, unknown>()

  readonly toolApproval: KitRule = async ({ toolCall: { toolCallId, input } }) => {
    const rule = this.#rules.get(toolCallId)
    // A rule in plain JavaScript may say anything.
    return (typeof rule === 'function' ? rule(input) : rule) as ToolApprovalStatus
  }

  /** From now on the rules say this of a call; a function makes it of the input. */
  rule(toolCallId: string, says: unknown): void {
    this.#rules.set(toolCallId, says)
  }

  /** The model as a page reaches it. */
  readonly transport: MessageTransport = scriptedTransport(
    Array.from({ length: MOST_REQUESTS }, () => () => {
      const calls = this.#take()
      return calls.length > 0 ? callTools(calls) : answer('Done.')
    }),
  )

  /** The model as a server reaches it. */
  readonly model: ModelV4 = {
    specificationVersion: 'v4',
    provider: 'assent',
    modelId: 'conformance',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('The kit only streams.')),
    doStream: async () => ({ stream: streamOf(this.#take()) }),
  }

  tell(line: string): void {
    this.story.push(`  ${line}`)
  }

  /** Throws a `BrokenRule` unless it holds. */
  hold(invariant: ApprovalInvariant, isHeld: boolean, facts: unknown): void {
    if (!isHeld) throw new BrokenRule(invariant, facts, this.story)
  }

  /** Throws a `BrokenRule` unless these are all that took effect, as `1 /a`, in any order. */
  ran(invariant: ApprovalInvariant, ...expected: readonly string[]): void {
    const done = this.effects.map(({ toolCallId, input }) => `${toolCallId} ${input.path}`)
    const isSame = String(done.toSorted()) === String(expected.toSorted())
    this.hold(invariant, isSame, { ran: done, expected })
  }

  #take(): readonly SentCall[] {
    const { calls } = this
    this.calls = []
    return calls
  }

  #tool(toolName: SentCall['toolName']): Tool<KitInput, string> {
    return {
      inputSchema: {
        '~standard': {
          version: 1,
          vendor: 'assent',
          validate: (value: unknown) =>
            isInput(value) ? { value } : { issues: [{ message: 'A path is missing.' }] },
          jsonSchema: { input: () => JSON_SCHEMA, output: () => JSON_SCHEMA },
        },
      },
      execute: async (input, { toolCallId }) => {
        const effect = structuredClone({ toolCallId, toolName, input })
        this.tell(`${toolCallId} RUNS: ${toolName} ${input.path}`)
        this.effects.push(effect)
        this.onEffect(effect)
        await this.running
        return 'done'
      },
    }
  }
}

const JSON_SCHEMA = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
}

function isInput(value: unknown): value is KitInput {
  return typeof value === 'object' && value !== null && 'path' in value && value.path !== null
}

type ModelStream = Awaited<ReturnType<ModelV4['doStream']>>['stream']
type ModelPart = ModelStream extends ReadableStream<infer PART> ? PART : never

function streamOf(calls: readonly SentCall[]): ModelStream {
  const unified = calls.length > 0 ? 'tool-calls' : 'stop'
  const tokens = { total: 1, text: 1, reasoning: 0 }
  const inputTokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }
  const said: ModelPart[] =
    calls.length > 0
      ? calls.map(({ input, ...call }) => ({
          type: 'tool-call',
          ...call,
          input: JSON.stringify(input),
        }))
      : [
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: 'Done.' },
          { type: 'text-end', id: 't' },
        ]
  return new ReadableStream<ModelPart>({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings: [] })
      for (const part of said) controller.enqueue(part)
      controller.enqueue({
        type: 'finish',
        finishReason: { unified, raw: unified },
        usage: { inputTokens, outputTokens: tokens },
      })
      controller.close()
    },
  })
}
