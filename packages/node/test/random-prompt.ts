import {
  array,
  boolean,
  constantFrom,
  integer,
  oneof,
  option,
  record,
  tuple,
  uniqueArray,
  type Arbitrary,
} from 'fast-check'
import type { Prompt, PromptMessage } from '../src/prompt/prompt.ts'

type Assistant = Extract<PromptMessage, { role: 'assistant' }>
type Call = Extract<Assistant['content'][number], { type: 'tool-call' }>

const words = integer({ min: 0, max: 400 }).map((length) => 'words '.repeat(length / 6))
const ids = constantFrom('a', 'b', 'c', 'd')

const file = (kind: 'image/png' | 'audio/ogg', bytes: number) => ({
  type: 'file' as const,
  mediaType: kind,
  filename: 'file',
  data: { type: 'data' as const, data: new Uint8Array(bytes) },
})

const user: Arbitrary<PromptMessage> = record({
  text: words,
  files: array(
    tuple(
      constantFrom('image/png' as const, 'audio/ogg' as const),
      integer({ min: 0, max: 40_000 }),
    ),
    { maxLength: 2 },
  ),
}).map(({ text, files }) => ({
  role: 'user',
  content: [{ type: 'text', text }, ...files.map(([kind, bytes]) => file(kind, bytes))],
}))

/** What becomes of a call. */
const calls = uniqueArray(
  record({
    toolCallId: ids,
    end: constantFrom('text', 'json', 'files', 'error', 'provider'),
    text: words,
  }),
  { selector: ({ toolCallId }) => toolCallId, maxLength: 3 },
)

/** A step with all of its results. */
const step: Arbitrary<PromptMessage[]> = record({
  said: words,
  thought: option(words, { nil: undefined }),
  calls,
}).map(({ said, thought, calls: made }) => {
  const content: Assistant['content'] = []
  if (thought !== undefined) content.push({ type: 'reasoning', text: thought })
  content.push({ type: 'text', text: said })
  const results: Extract<PromptMessage, { role: 'tool' }>['content'] = []
  for (const { toolCallId, end, text } of made) {
    const name = { toolCallId, toolName: `tool_${end}` }
    const isProviders = end === 'provider'
    const call: Call = { type: 'tool-call', ...name, input: { text } }
    content.push(isProviders ? { ...call, providerExecuted: true } : call)
    const output =
      end === 'files'
        ? {
            type: 'content' as const,
            value: [{ type: 'text' as const, text }, file('image/png', 9)],
          }
        : end === 'error'
          ? { type: 'error-text' as const, value: text }
          : end === 'text'
            ? { type: 'text' as const, value: text }
            : { type: 'json' as const, value: { text } }
    const result = { type: 'tool-result' as const, ...name, output }
    if (isProviders) content.push(result)
    else results.push(result)
  }
  const answer: PromptMessage = { role: 'assistant', content }
  return results.length > 0 ? [answer, { role: 'tool', content: results }] : [answer]
})

/** A step whose call is under way at the provider, maybe with a decision about it. */
const openStep: Arbitrary<PromptMessage[]> = record({ said: words, isDecided: boolean() }).map(
  ({ said, isDecided }) => {
    const call: Call = {
      type: 'tool-call',
      toolCallId: 'open',
      toolName: 'remote',
      input: {},
      providerExecuted: true,
    }
    const answer: PromptMessage = {
      role: 'assistant',
      content: [{ type: 'text', text: said }, call],
    }
    const decision: PromptMessage = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: 'p', approved: true }],
    }
    return isDecided ? [answer, decision] : [answer]
  },
)

const turn = record({ asked: user, steps: array(step, { minLength: 1, maxLength: 4 }) }).map(
  ({ asked, steps }) => [asked, ...steps.flat()],
)

/** A turn that was left with a call that never got its result. */
const leftTurn = record({ asked: user, left: openStep }).map(({ asked, left }) => [asked, ...left])

/** A prompt in two: what the model is asked with, and what a paused turn has said since. */
export const randomPrompt: Arbitrary<{ asked: Prompt; since: Prompt }> = record({
  instructions: option(words, { nil: undefined }),
  earlier: array(oneof({ weight: 9, arbitrary: turn }, { weight: 1, arbitrary: leftTurn }), {
    maxLength: 20,
  }),
  asked: user,
  steps: array(
    // The model goes on where results are, and not behind its own words.
    step.filter((messages) => messages.length === 2),
    { maxLength: 6 },
  ),
  since: option(openStep, { nil: [] }),
}).map(({ instructions, earlier, asked, steps, since }) => ({
  asked: [
    ...(instructions === undefined ? [] : [{ role: 'system' as const, content: instructions }]),
    ...earlier.flat(),
    asked,
    ...steps.flat(),
  ],
  since,
}))
