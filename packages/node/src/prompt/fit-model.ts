import { createDownload, gateway, wrapLanguageModel, type LanguageModel } from 'ai'
import type { DownloadFunction } from '../chat/download-files.ts'
import { askAgain } from './ask-again.ts'
import { budgetOf, type ContextOptions } from './context-options.ts'
import { estimateTokens, tokensOfJson } from './estimate-tokens.ts'
import { fitPrompt } from './fit-prompt.ts'
import { lessOf } from './less-prompt.ts'
import { FilesRefusedError } from './files-refused.ts'
import type { ModelCall } from './prompt.ts'
import type { Summary } from './summary-part.ts'
import { tokensOfSummary, withSummary } from './told-summary.ts'
import { leaveOutFiles, newestFiles, type PromptFile } from './prompt-files.ts'

/** What a request to a model is made with. */
export interface FitModelOptions {
  readonly model: LanguageModel
  /** Default: the AI SDK's. */
  readonly download?: DownloadFunction | undefined
  /** Default: all is told. */
  readonly context?: ContextOptions | undefined
  /** Stands for messages before the first of the person's. */
  readonly summary?: Summary | undefined
}

/** Settings for `streamText` in the place of what was given. */
export interface FittedModel {
  readonly model: LanguageModel
  readonly experimental_download: DownloadFunction
}

const NOT_FETCHED = 'which could not be fetched'

/**
 * A model that a conversation cannot be stuck with. What it is told fits in `context`. What it refuses of earlier
 * messages is left out, with a text in its place, and it is asked again within the same request; and once with less
 * where it says that its context is full. What it refuses of the newest message fails with a `FilesRefusedError`.
 */
export function fitModel({ model, context, summary, ...options }: FitModelOptions): FittedModel {
  const failed = new Map<string, unknown>()
  const budgetBeside = (of: ContextOptions, tools: ModelCall['tools']) =>
    budgetOf(of, tokensOfJson(tools) + tokensOfSummary(summary, of.countTokens ?? estimateTokens))
  return {
    model: wrapLanguageModel({
      model: typeof model === 'string' ? modelNamed(model) : model,
      middleware: {
        wrapStream: ({ model: inner, params }) => {
          const call = withFetched(params, failed)
          const { prompt } = call
          const fitted = context ? fitPrompt(prompt, budgetBeside(context, params.tools)) : prompt
          return askAgain(
            { ...call, prompt: fitted },
            {
              ask: (fitting) =>
                inner.doStream({ ...fitting, prompt: withSummary(fitting.prompt, summary) }),
              less: lessOf(context?.countTokens),
            },
          )
        },
      },
    }),
    experimental_download: downloadNoting(options.download ?? downloadAll, failed),
  }
}

/** Notes what cannot be fetched instead of failing: what stands in earlier messages can be left out. */
function downloadNoting(
  download: DownloadFunction,
  failed: Map<string, unknown>,
): DownloadFunction {
  return (files) =>
    Promise.all(
      files.map(async (file) => {
        try {
          const [fetched] = await download([file])
          return fetched ?? null
        } catch (error) {
          if (file.abortSignal?.aborted) throw error
          failed.set(file.url.href, error)
          return null
        }
      }),
    )
}

/** The call without files that could not be fetched: with these it cannot be made. */
function withFetched(call: ModelCall, failed: ReadonlyMap<string, unknown>): ModelCall {
  const isGone = ({ data }: PromptFile) => data.type === 'url' && failed.has(data.url.href)
  const gone = newestFiles(call.prompt).filter(isGone)
  if (gone.length > 0) {
    const [cause] = failed.values()
    throw new FilesRefusedError('fetch', gone, { cause })
  }
  const prompt = leaveOutFiles(call.prompt, (file) => (isGone(file) ? NOT_FETCHED : undefined))
  return { ...call, prompt }
}

/** A model of the default provider, as the AI SDK finds it by its name. */
function modelNamed(id: string): Parameters<typeof wrapLanguageModel>[0]['model'] {
  return (globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway).languageModel(id)
}

const fetchFile = createDownload()

const downloadAll: DownloadFunction = (files) =>
  Promise.all(
    files.map(async ({ url, isUrlSupportedByModel, abortSignal }) =>
      isUrlSupportedByModel ? null : fetchFile({ url, ...(abortSignal && { abortSignal }) }),
    ),
  )
