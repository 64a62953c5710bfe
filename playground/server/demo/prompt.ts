import { readDenialText } from '@assent/node'
import type {
  JSONValue,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider'

/** How a call ended, as the prompt tells it. */
export type Outcome =
  | { readonly kind: 'output'; readonly value: JSONValue }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'denied'; readonly reason: string | undefined }
  | { readonly kind: 'missing' }

/** A call of an earlier step of the turn. */
export interface SettledCall {
  readonly toolName: string
  readonly input: unknown
  readonly outcome: Outcome
}

/** An earlier step of the turn that called tools. */
export interface SettledStep {
  readonly calls: readonly SettledCall[]
}

/** The open turn of a conversation: what was asked last, and what was done for it so far. */
export interface PromptTurn {
  readonly request: string
  readonly steps: readonly SettledStep[]
}

/** Reads the open turn from a prompt; nothing else is known to the demo model. */
export function readTurn(prompt: LanguageModelV4Prompt): PromptTurn {
  const asked = prompt.findLastIndex((message) => message.role === 'user')
  const steps: { calls: (SettledCall & { id: string })[] }[] = []
  for (const message of prompt.slice(asked + 1)) {
    if (message.role === 'assistant') {
      const calls = message.content
        .filter((part) => part.type === 'tool-call')
        .map(({ toolCallId, toolName, input }) => ({
          id: toolCallId,
          toolName,
          input,
          outcome: { kind: 'missing' } as Outcome,
        }))
      if (calls.length > 0) steps.push({ calls })
    }
    if (message.role !== 'assistant' && message.role !== 'tool') continue
    for (const part of message.content) {
      if (part.type !== 'tool-result') continue
      // The latest step first: providers may use an id again in a later step.
      const step = steps.findLast(({ calls }) => calls.some(({ id }) => id === part.toolCallId))
      const index = step?.calls.findIndex(({ id }) => id === part.toolCallId) ?? -1
      const call = step?.calls[index]
      if (step && call) step.calls[index] = { ...call, outcome: readOutcome(part.output) }
    }
  }
  return { request: requestText(prompt[asked]), steps }
}

function requestText(message: LanguageModelV4Prompt[number] | undefined): string {
  if (message?.role !== 'user') return ''
  return message.content
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim()
}

function readOutcome(output: LanguageModelV4ToolResultOutput): Outcome {
  switch (output.type) {
    case 'json':
    case 'text':
      return { kind: 'output', value: output.value }
    case 'content':
      return {
        kind: 'output',
        value: output.value.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n'),
      }
    case 'execution-denied':
      return deniedOutcome(output.reason)
    case 'error-text':
      return readDenialText(output.value)
        ? deniedOutcome(output.value)
        : { kind: 'error', text: output.value }
    case 'error-json':
      return { kind: 'error', text: JSON.stringify(output.value) }
  }
}

function deniedOutcome(text: string | undefined): Outcome {
  const read = text === undefined ? undefined : readDenialText(text)
  return { kind: 'denied', reason: read ? read.reason : text }
}
