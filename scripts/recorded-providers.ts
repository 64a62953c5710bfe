import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createGroq } from '@ai-sdk/groq'
import { createMistral } from '@ai-sdk/mistral'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'

/** How requests are answered in place of a provider. */
export type Fetch = typeof fetch

type Maker = (fetch: Fetch) => LanguageModelV4

const apiKey = 'none'
const openai = (fetch: Fetch) => createOpenAI({ apiKey, fetch })
const responses: Maker = (fetch) => openai(fetch).responses('gpt-5')
const compatible: Maker = (fetch) =>
  createOpenAICompatible({ name: 'recorded', baseURL: 'http://recorded/v1', apiKey, fetch })('m')

/**
 * The model that reads what was recorded in a folder of the AI SDK's repository. Some providers of
 * their own speak the language of another one: that one reads them.
 */
const MAKERS: Readonly<Record<string, Maker>> = {
  'anthropic/src': (fetch) => createAnthropic({ apiKey, fetch })('claude-sonnet-4-5'),
  'openai/src/responses': responses,
  'openai/src/chat': (fetch) => openai(fetch).chat('gpt-4o'),
  'openai/src/completion': (fetch) => openai(fetch).completion('gpt-3.5-turbo-instruct'),
  'azure/src': responses,
  'google/src': (fetch) => createGoogle({ apiKey, fetch })('gemini-2.5-flash'),
  'google/src/interactions': (fetch) =>
    createGoogle({ apiKey, fetch }).interactions('gemini-2.5-flash'),
  'groq/src': (fetch) => createGroq({ apiKey, fetch })('llama-3.3-70b-versatile'),
  'mistral/src': (fetch) => createMistral({ apiKey, fetch })('mistral-small-latest'),
  'openai-compatible/src/chat': compatible,
  'deepseek/src/chat': compatible,
  'alibaba/src': compatible,
  'moonshotai/src': compatible,
  'perplexity/src': compatible,
  'xai/src': compatible,
  'xai/src/responses': responses,
  'open-responses/src/responses': responses,
}

/** The model for a recording, by its path from the repository's root; `undefined` when there is none. */
export function modelFor(path: string): Maker | undefined {
  const [, folder = ''] = /^packages\/(.+)\/__fixtures__\/[^/]+$/.exec(path) ?? []
  return Object.hasOwn(MAKERS, folder) ? MAKERS[folder] : undefined
}

/** Answers with a recording: the lines of the file, each an event. */
export function replies(recording: string): Fetch {
  const events = recording
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `data: ${line}\n\n`)
  const body = [...events, 'data: [DONE]\n\n'].join('')
  return async () =>
    new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
}
