import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import {
  createMessageEngine,
  explainApproval,
  isToolCallPart,
  strictApproval,
  toolPlugin,
  type ApprovalExplanation,
  type MessageEngine,
  type StrictApprovalOptions,
  type ToolCallContext,
  type ToolPluginOptions,
} from '@assent/engine'
import { answer, callTools, scriptedTransport } from '@assent/engine/testing'
import {
  type ChatHandlerOptions,
  createChatHandler,
  modelTransport,
  openDatabase,
} from '@assent/node'
import {
  isStepCount,
  jsonSchema,
  readUIMessageStream,
  streamText,
  toUIMessageStream,
  type Tool,
  type ToolSet,
  type UIMessage,
} from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { onTestFinished } from 'vitest'
import { createWorker } from '../../src/create-worker.ts'
import { modelEngine } from '../../src/model-engine.ts'
import { sqliteStores } from '../../src/sqlite-stores.ts'
import { answered, question } from '../../../node/test/asking-server.ts'
import { scriptedModel } from '../../../node/test/scripted-model.ts'
import { SECRET } from '../../../node/test/serve-chat.ts'
import type { Outcome, Surface, VerdictRow } from './verdict-row.ts'

/** What became of a call. */
export interface Played {
  readonly outcome: Outcome
  /** How often the tool ran. */
  readonly runs: number
  /** The codes, or names, of what was reported. */
  readonly reports: readonly string[]
}

/** What a surface is given. */
interface Stage {
  readonly tool: Tool
  readonly rules: object
  readonly options: ToolPluginOptions
  readonly model: MockLanguageModelV4
  readonly onError: (error: unknown) => void
}

const RULE_MS = 30

/** The options of a row, as plain JavaScript gives them. */
function optionsOf(row: VerdictRow, execute: () => unknown, hasMetadata: boolean) {
  const { needsApproval, risk, toolOptions, shouldPauseToolCall, tool: kind = 'here' } = row
  const { toolApproval, defaultApproval, knownTools } = row
  const tool = {
    inputSchema: jsonSchema({ type: 'object' }),
    ...(kind === 'here' && { execute }),
    ...(kind === 'provider' && {
      type: 'provider',
      id: 'anthropic.web_search',
      args: {},
      isProviderExecuted: true,
    }),
    ...('needsApproval' in row && { needsApproval }),
    ...(hasMetadata && risk !== undefined && { metadata: { risk } }),
  } as Tool
  const rules = {
    ...('toolApproval' in row && { toolApproval }),
    ...('defaultApproval' in row && { defaultApproval }),
    ...(knownTools && { knownTools }),
    checkTimeoutMs: RULE_MS,
  }
  const options: unknown = {
    ...rules,
    ...('shouldPauseToolCall' in row && { shouldPauseToolCall }),
    toolOptions: { ...toolOptions, ...(risk !== undefined && { send: { risk } }) },
    tools: { send: tool },
  }
  // A row says what an app without types may say.
  return { tool, rules, options: options as ToolPluginOptions }
}

/** Has a model call `send` once under the rules of a row. Rejects when they are refused as a mistake. */
export async function playVerdict(surface: Surface, row: VerdictRow): Promise<Played> {
  let runs = 0
  const reports: string[] = []
  const hasMetadata = surface === 'server' || surface === 'route'
  const made = optionsOf(row, () => ++runs, hasMetadata)
  const onError = (error: unknown) => void reports.push(codeOf(error))
  const model = row.tool === 'provider' ? searchingModel() : scriptedModel([CALL, 'Done.'])
  const message = await PLAYS[surface]({ ...made, model, onError })
  return { outcome: outcomeOf(message, runs), runs, reports }
}

/** What `explainApproval` says of the same call. */
export async function explainVerdict(row: VerdictRow): Promise<ApprovalExplanation> {
  const { options } = optionsOf(row, () => 'sent', false)
  const call = { toolName: 'send', input: { to: 'ada' } }
  // No rule of the table looks at it.
  return explainApproval({ ...options, ...call, context: {} as ToolCallContext })
}

const CALL = [['1', 'send', { to: 'ada' }]] as const
/** What says less than what it was made of. */
const TELLING = new Set(['unknown_verdict', 'provider_cannot_wait', 'rule_failed', 'unknown_tool'])

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (TELLING.has(code)) return code
  return error instanceof Error ? error.name : String(error)
}

type Play = (stage: Stage) => Promise<UIMessage | undefined>

const PLAYS: Readonly<Record<Surface, Play>> = {
  async page({ options, onError }) {
    const isElsewhere = options.tools?.['send']?.type === 'provider'
    const call = { toolCallId: '1', toolName: 'send', input: { to: 'ada' } }
    const transport = scriptedTransport([
      callTools([{ ...call, ...(isElsewhere && { providerExecuted: true }) }]),
      answer('Done.'),
    ])
    const engine = createMessageEngine({ transport, plugins: [toolPlugin(options)], onError })
    return playEngine(engine)
  },

  async modelTransport({ options, model, onError }) {
    const { tools = {}, toolApproval, checkTimeoutMs = RULE_MS } = options
    const transport = modelTransport({
      model,
      tools,
      checkTimeoutMs,
      ...(toolApproval && { toolApproval }),
    })
    const engine = createMessageEngine({ transport, plugins: [toolPlugin(options)], onError })
    return playEngine(engine)
  },

  async server({ tool, rules, model, onError }) {
    const secrets = { approvalSecret: SECRET, ledger: 'memory' }
    const options = { model, tools: { send: tool }, ...secrets, onError, ...rules }
    const handler = createChatHandler(options as ChatHandlerOptions)
    const body = JSON.stringify({ id: 'chat', messages: question })
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://localhost/api/chat', { method: 'POST', headers, body })
    const response = await handler(request)
    return (await answered(question, response)).at(-1)
  },

  async route({ tool, rules, model, onError }) {
    const { toolApproval, ...options }: StrictApprovalOptions & { toolApproval?: never } = rules
    const { stream } = streamText({
      model,
      tools: { send: tool },
      toolApproval: strictApproval(toolApproval, { ...options, onError }),
      prompt: 'Send it to Ada',
      stopWhen: isStepCount(2),
      onError: () => {},
    })
    const failed: unknown[] = []
    const messages = readUIMessageStream({
      stream: toUIMessageStream<ToolSet, UIMessage>({ stream }),
      onError: (error) => failed.push(error),
    })
    let message: UIMessage | undefined
    for await (const next of messages) message = next
    const mistake = failed.find((error) => codeOf(error) === 'unknown_tool')
    if (mistake) throw mistake
    for (const error of failed) onError(error)
    return message
  },

  async worker({ options, model, onError }) {
    const database = openDatabase(':memory:')
    const stores = sqliteStores(database, { maxAttempts: 1 })
    const { inbox } = stores
    const createEngine = modelEngine({ ...options, model })
    let engine: MessageEngine | undefined
    const worker = createWorker({
      ...stores,
      createEngine: async (context) => (engine = await createEngine(context)),
      onError,
    })
    const over = Promise.withResolvers<void>()
    const look = async () => {
      const task = await inbox.get('task')
      if (task && ['parked', 'done', 'dead'].includes(task.state)) over.resolve()
    }
    inbox.subscribe(() => void look().catch(over.reject))
    worker.start()
    await inbox.add({ id: 'task', conversationId: 'chat', input: 'Send it to Ada' })
    await over.promise
    await worker.stop({ graceMs: 0 })
    database.close()
    return engine?.getState().messages.at(-1)
  },
}

async function playEngine(engine: MessageEngine): Promise<UIMessage | undefined> {
  onTestFinished(() => engine.dispose())
  await engine.sendMessage('Send it to Ada')
  return engine.getState().messages.at(-1)
}

function outcomeOf(message: UIMessage | undefined, runs: number): Outcome {
  const [part] = message?.parts.filter(isToolCallPart) ?? []
  if (part?.state === 'approval-requested') return 'ask'
  if (part?.state === 'output-denied') return 'deny'
  return runs > 0 ? 'run' : 'none'
}

/** A model whose provider runs the tool itself. */
function searchingModel(): MockLanguageModelV4 {
  const search = { toolCallId: '1', toolName: 'send', input: '{}', providerExecuted: true }
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  }
  return new MockLanguageModelV4({
    doStream: async () => ({
      stream: convertArrayToReadableStream<LanguageModelV4StreamPart>([
        { type: 'stream-start', warnings: [] },
        { type: 'tool-call', ...search },
        { type: 'tool-result', toolCallId: '1', toolName: 'send', result: {} },
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'Done.' },
        { type: 'text-end', id: 't' },
        { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
      ]),
    }),
  })
}
