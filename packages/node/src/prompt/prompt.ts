import type { LanguageModelMiddleware } from 'ai'

type WrapStream = NonNullable<LanguageModelMiddleware['wrapStream']>

/** A model as the AI SDK asks it. */
export type PromptedModel = Parameters<WrapStream>[0]['model']

/** All that one request to a model carries. */
export type ModelCall = Parameters<PromptedModel['doStream']>[0]

/** What a model is told in one request, as its provider is given it. */
export type Prompt = ModelCall['prompt']

export type PromptMessage = Prompt[number]

type ToolMessage = Extract<PromptMessage, { role: 'tool' }>

/** The result of a call, as the model is told it. */
export type PromptResult = Extract<ToolMessage['content'][number], { type: 'tool-result' }>

/** Where the newest message of a person stands; -1 without one. */
export function newestUserMessage(prompt: Prompt): number {
  return prompt.findLastIndex(({ role }) => role === 'user')
}
