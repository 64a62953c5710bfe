import {
  createMessageEngine,
  toolPlugin,
  type EnginePlugin,
  type MessageEngineOptions,
  type ToolPluginOptions,
} from '@assent/engine'
import { createRedactor, type Redact } from '@assent/engine/redaction'
import { type ModelSettings, modelTransport, type ModelTransportOptions } from '@assent/node'
import type { ToolSet } from 'ai'
import type { CreateTaskEngine } from './worker-parts.ts'

type ModelRules = NonNullable<ModelTransportOptions['toolApproval']>

/** Options of {@link modelEngine}: those of `toolPlugin`, and which model is asked how. */
export interface ModelEngineOptions<TOOLS extends ToolSet = ToolSet>
  extends
    Omit<ToolPluginOptions<TOOLS>, 'callTool' | 'announceTools' | 'redact'>,
    Pick<ModelTransportOptions, 'model' | 'instructions' | 'acceptedMedia' | 'context'>,
    Pick<MessageEngineOptions, 'maxSteps' | 'onError'> {
  /**
   * Masks the secrets in outputs and errors before they are stored, shown or sent. `false` masks nothing. Default:
   * `createRedactor()`.
   */
  readonly redact?: Redact | false
  /** How the model is called: `maxOutputTokens`, `temperature` and so on. */
  readonly settings?: ModelSettings
  /** More plugins, before that of the tools. */
  readonly plugins?: readonly EnginePlugin[]
}

/**
 * For `createWorker`: engines that ask a model in this process, and decide and run its calls. A tool
 * does not run when it cannot be stored that it starts, unless `durable` says otherwise.
 */
export function modelEngine<TOOLS extends ToolSet = ToolSet>({
  model,
  instructions,
  acceptedMedia,
  context,
  settings,
  plugins = [],
  redact = createRedactor(),
  maxSteps,
  onError,
  ...toolOptions
}: ModelEngineOptions<TOOLS>): CreateTaskEngine {
  const { tools } = toolOptions
  const { toolApproval, checkTimeoutMs } = toolOptions
  const transport = modelTransport({
    ...settings,
    model,
    instructions,
    ...(acceptedMedia && { acceptedMedia }),
    ...(context && { context }),
    redact,
    ...(tools && { tools }),
    ...(checkTimeoutMs !== undefined && { checkTimeoutMs }),
    // For the tools that it was given with.
    ...(toolApproval && { toolApproval: toolApproval as ModelRules }),
  })
  const ofTools = toolPlugin<TOOLS>({
    durable: 'required',
    ...(redact !== false && { redact }),
    ...toolOptions,
  })
  return ({ conversationId, storage, plugins: first, onError: tell }) =>
    createMessageEngine({
      id: conversationId,
      storage,
      transport,
      plugins: [...first, ...plugins, ofTools],
      ...(maxSteps !== undefined && { maxSteps }),
      onError: onError ?? tell,
    })
}
