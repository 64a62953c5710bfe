import { pruneMessages } from 'ai'
import { countPrompt, type CountTokens } from './estimate-tokens.ts'
import { openMessages, pausedFrom } from './open-calls.ts'
import type { Prompt, PromptMessage, PromptResult } from './prompt.ts'
import { withoutFiles } from './prompt-files.ts'
import { ShrinkingPrompt, type Stretch } from './shrinking-prompt.ts'

/** What a prompt is to fit in. */
export interface PromptBudget {
  readonly maxTokens: number
  readonly count: CountTokens
}

/** An output that is not longer stays: what stands in its place would not be shorter. */
const SHORT_OUTPUT = 200
/** For what is said of messages that are gone. */
const NOTE_TOKENS = 100

const FOR_SPACE = 'to save space'

/**
 * The prompt within a budget. What goes, until it fits, and the oldest of each first:
 *
 * 1. outputs of tools, and files; a text says that they were there
 * 2. calls of earlier turns with their results, by the AI SDK's `pruneMessages`
 * 3. earlier turns; a text says how many messages these were
 * 4. earlier steps of this turn; a text says which tools they called
 *
 * Instructions, the newest message of the person, the last step, and turns with calls that are under way stay. A turn
 * that its provider has paused goes back unchanged: it is fitted as it was when it began.
 */
export function fitPrompt(prompt: Prompt, { maxTokens, count }: PromptBudget): Prompt {
  const { asked, since } = splitPaused(prompt)
  if (countPrompt(asked, count) <= maxTokens) return prompt
  const shrinking = new ShrinkingPrompt(asked, count)
  for (const shrink of [slimMessages, pruneCalls, dropTurns, dropSteps]) {
    if (shrinking.tokens > maxTokens) shrink(shrinking, maxTokens)
  }
  return [...shrinking.messages, ...since]
}

/** What the model is asked with, and what it has said since in a turn that it has paused. */
export function splitPaused(prompt: Prompt): { readonly asked: Prompt; readonly since: Prompt } {
  const paused = pausedFrom(prompt, openMessages(prompt))
  return { asked: prompt.slice(0, paused), since: prompt.slice(paused) }
}

/** Leaves out outputs and files of all but the newest message and the last step. */
function slimMessages(prompt: ShrinkingPrompt, maxTokens: number): void {
  const { newest, lastStep } = prompt
  const stride = strideOf(lastStep)
  for (let at = 0; at < lastStep; at += 1) {
    if (at % stride === 0 && prompt.tokens <= maxTokens) return
    const message = prompt.messages[at]
    const place = { from: at, to: at + 1 }
    if (!message || at === newest || prompt.isOpen(place)) continue
    prompt.replace(place, [withoutFiles(withoutOutputs(message), () => FOR_SPACE)])
  }
}

function withoutOutputs(message: PromptMessage): PromptMessage {
  // What a provider has run itself it reads again, and in no other form.
  if (message.role !== 'tool') return message
  const content = message.content.map((part) =>
    part.type === 'tool-result' ? withoutOutput(part) : part,
  )
  return { ...message, content }
}

function withoutOutput(result: PromptResult): PromptResult {
  const { output } = result
  if (!('value' in output)) return result
  const length = output.type === 'content' ? SHORT_OUTPUT + 1 : JSON.stringify(output.value).length
  if (length <= SHORT_OUTPUT) return result
  const value = `[The output of this call was left out ${FOR_SPACE}]`
  const type = output.type.startsWith('error') ? ('error-text' as const) : ('text' as const)
  return { ...result, output: { type, value } }
}

/** Leaves out the calls of earlier turns; what was said of them is left. */
function pruneCalls(prompt: ShrinkingPrompt, maxTokens: number): void {
  shrinkTurns(prompt, maxTokens, (messages) => {
    const kept = new Set<unknown>()
    for (const { content } of pruneMessages({ messages: [...messages], toolCalls: 'all' })) {
      if (typeof content !== 'string') for (const part of content) kept.add(part)
    }
    return messages.flatMap((message): PromptMessage[] => {
      switch (message.role) {
        case 'assistant': {
          const content = message.content.filter((part) => kept.has(part))
          return content.length > 0 ? [{ ...message, content }] : []
        }
        case 'tool':
          return []
        case 'system':
        case 'user':
          return [message]
      }
    })
  })
}

function dropTurns(prompt: ShrinkingPrompt, maxTokens: number): void {
  const dropped = shrinkTurns(prompt, maxTokens - NOTE_TOKENS, () => [])
  const first = prompt.messages.findIndex(({ role }) => role === 'user')
  if (dropped > 0) addNote(prompt, first, `${dropped} earlier messages were left out ${FOR_SPACE}`)
}

/** Makes earlier turns smaller, the oldest first; answers how many messages are gone. */
function shrinkTurns(
  prompt: ShrinkingPrompt,
  maxTokens: number,
  shrink: (turn: readonly PromptMessage[]) => readonly PromptMessage[],
): number {
  let gone = 0
  const { turns } = prompt
  const stride = strideOf(turns.length)
  for (const [index, turn] of turns.entries()) {
    if (index % stride === 0 && prompt.tokens <= maxTokens) break
    const place: Stretch = { from: turn.from - gone, to: turn.to - gone }
    if (prompt.isOpen(place)) continue
    gone += prompt.replace(place, shrink(prompt.messages.slice(place.from, place.to)))
  }
  return gone
}

/** Leaves out the earlier steps of this turn: the model reads what it has called, so as not to do that again. */
function dropSteps(prompt: ShrinkingPrompt, maxTokens: number): void {
  const names: string[] = []
  const from = prompt.newest + 1
  while (prompt.tokens > maxTokens - NOTE_TOKENS && from < prompt.lastStep) {
    const isNext = ({ role }: PromptMessage, at: number) => at > from && role === 'assistant'
    const step = { from, to: prompt.messages.findIndex(isNext) }
    names.push(...calledIn(prompt.messages.slice(step.from, step.to)))
    prompt.replace(step, [])
  }
  if (names.length === 0) return
  const text = `Earlier steps of this answer were left out ${FOR_SPACE}. ${calls(names)}`
  addNote(prompt, prompt.newest, text)
}

function calledIn(messages: readonly PromptMessage[]): string[] {
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : []))
      : [],
  )
}

/** Which tools were called, how often. */
function calls(names: readonly string[]): string {
  const counted = [...new Set(names)].map(
    (name) => `${name} ×${names.filter((other) => other === name).length}`,
  )
  return `They called: ${counted.join(', ')}`.slice(0, NOTE_TOKENS)
}

/**
 * How many go at a time, of so many: then the prompts of a long conversation begin alike for a while, which providers
 * cache.
 */
function strideOf(length: number): number {
  return 2 ** Math.max(0, Math.floor(Math.log2(length / 8)))
}

/** Adds a text to a message of the person. */
function addNote(prompt: ShrinkingPrompt, at: number, text: string): void {
  const message = prompt.messages[at]
  if (message?.role !== 'user') return
  const note = { type: 'text' as const, text: `[${text}]` }
  prompt.replace({ from: at, to: at + 1 }, [{ ...message, content: [note, ...message.content] }])
}
