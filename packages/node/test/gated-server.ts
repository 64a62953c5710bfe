import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { jsonSchema, tool, type ToolSet } from 'ai'
import type { ChatHandlerOptions } from '../src/chat/chat-options.ts'
import { scriptedModel, type ModelStep } from './scripted-model.ts'
import { serveChat } from './serve-chat.ts'

export const inputSchema = jsonSchema<{ to: string }>({ type: 'object' })

/** A server with a free tool, two that ask, and what they did. */
export async function startGated(
  steps: readonly ModelStep[],
  more: Partial<ChatHandlerOptions> = {},
) {
  const effects: string[] = []
  const act = (verb: string) =>
    tool({
      inputSchema,
      execute: ({ to }) => {
        effects.push(`${verb} ${to}`)
        return `${verb} ${to}: done`
      },
    })
  const tools: ToolSet = { look: act('look'), send: act('send'), drop: act('drop') }
  const model = scriptedModel(steps)
  const served = await serveChat({
    model,
    tools,
    toolApproval: { send: 'user-approval', drop: 'user-approval' },
    ...more,
  })
  return { ...served, effects, model }
}

/** The calls that a prompt asks for, and the results that it has for them, in their order. */
export function callsAndResults(prompt: LanguageModelV4Prompt | undefined) {
  const calls: string[] = []
  const results: string[] = []
  for (const { role, content } of prompt ?? []) {
    if (role !== 'assistant' && role !== 'tool') continue
    for (const part of content) {
      if (part.type === 'tool-call') calls.push(part.toolCallId)
      if (part.type === 'tool-result') results.push(part.toolCallId)
    }
  }
  return { calls, results }
}

/** A call that asks, between two that do not. */
export const mixed = [
  ['1', 'look', { to: 'a' }],
  ['2', 'send', { to: 'b' }],
  ['3', 'look', { to: 'c' }],
] satisfies ModelStep
