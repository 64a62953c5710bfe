import type { UIMessage } from 'ai'
import { array, asyncProperty, assert, boolean, constantFrom, integer, record } from 'fast-check'
import { expect, test } from 'vitest'
import { scriptedModel } from '../../test/scripted-model.ts'
import { summarize } from './summarize.ts'
import { summaryChunk } from './summary-part.ts'
import type { SummaryRequest, WriteSummary } from './summary-options.ts'

const model = scriptedModel([])

/** A turn: what is asked, and an answer whose call is over, under way, or waits for a decision. */
const turn = record({
  words: integer({ min: 0, max: 300 }),
  call: constantFrom('none', 'none', 'done', 'failed', 'denied', 'open', 'asks'),
})

const conversation = record({
  turns: array(turn, { minLength: 1, maxLength: 25 }),
  isAsked: boolean(),
  maxTokens: integer({ min: 200, max: 4_000 }),
})

type Turn = { readonly words: number; readonly call: string }

function messagesOf(turns: readonly Turn[], isAsked: boolean): UIMessage[] {
  const messages = turns.flatMap(({ words, call }, at): UIMessage[] => {
    const text = { type: 'text' as const, text: `m${at} ${'words '.repeat(words)}` }
    return [
      { id: `u${at}`, role: 'user', parts: [text] },
      { id: `a${at}`, role: 'assistant', parts: [{ type: 'step-start' }, ...callOf(call), text] },
    ]
  })
  return isAsked ? messages.slice(0, -1) : messages
}

function callOf(call: string): UIMessage['parts'] {
  const common = { type: 'tool-act' as const, toolCallId: 'c', input: { to: 'somebody' } }
  switch (call) {
    case 'done':
      return [{ ...common, state: 'output-available', output: 'It is done.' }]
    case 'failed':
      return [{ ...common, state: 'output-error', errorText: 'It is not.' }]
    case 'denied':
      return [{ ...common, state: 'output-denied', approval: { id: 'p', approved: false } }]
    case 'open':
      return [{ ...common, state: 'input-available', providerExecuted: true }]
    case 'asks':
      return [{ ...common, state: 'approval-requested', approval: { id: 'p' } }]
    default:
      return []
  }
}

const sum = (messages: readonly UIMessage[], maxTokens: number, write: WriteSummary) =>
  summarize(messages, {
    context: { maxTokens, summary: { write, timeoutMs: 1_000 } },
    model,
    tools: {},
    instructions: undefined,
  })

const isOpen = ({ parts }: UIMessage) =>
  parts.some(
    (part) =>
      'state' in part && ['input-available', 'approval-requested'].includes(part.state ?? ''),
  )

test('a summary stands for whole earlier turns without an open call, and the rest is as it was', async () => {
  let written = 0
  await assert(
    asyncProperty(conversation, async ({ turns, isAsked, maxTokens }) => {
      const messages = messagesOf(turns, isAsked)
      const asked: SummaryRequest[] = []
      const {
        summary,
        messages: rest,
        isNew,
      } = await sum(messages, maxTokens, (request) => {
        asked.push(request)
        return 'What was said.'
      })
      expect(asked).toHaveLength(isNew ? 1 : 0)
      expect(isNew).toBe(summary !== undefined)
      const summed = messages.slice(0, summary?.messages ?? 0)
      expect([...summed, ...rest]).toEqual(messages)
      if (!summary) return
      written += 1
      expect(isAsked).toBe(true)
      expect(summed.at(-1)?.id).toBe(summary.until)
      expect(summed.some(isOpen)).toBe(false)
      expect(rest[0]?.role).toBe('user')
      expect(rest.at(-1)).toBe(messages.at(-1))
    }),
    { numRuns: 400 },
  )
  expect(written).toBeGreaterThan(40)
})

test('later requests are told the summary in the place of what it stands for, and it is not written again', async () => {
  await assert(
    asyncProperty(conversation, async ({ turns, maxTokens }) => {
      const messages = messagesOf(turns, true)
      const first = await sum(messages, maxTokens, () => 'What was said.')
      if (!first.summary) return
      const answered: UIMessage[] = [
        ...messages,
        {
          id: 'answer',
          role: 'assistant',
          parts: [
            summaryChunk(first.summary),
            { type: 'step-start' },
            { type: 'text', text: 'So.' },
          ],
        },
      ]
      const write = () => Promise.reject(new Error('It was asked between the requests of a turn.'))
      const next = await sum(answered, maxTokens, write)
      expect(next.isNew).toBe(false)
      expect(next.summary).toEqual(first.summary)
      expect(next.messages.slice(0, -1)).toEqual(first.messages)
      expect(JSON.stringify(next.messages)).not.toContain('assent-summary')
      // Something that it stands for was taken out: it says what is not there any more.
      const less = await sum(answered.slice(1), maxTokens, write)
      expect(less.summary).toBeUndefined()
      expect(less.messages).toHaveLength(answered.length - 1)
    }),
    { numRuns: 200 },
  )
})

test.each<[string, WriteSummary]>([
  ['fails', () => Promise.reject(new Error('There is no model.'))],
  [
    'throws',
    () => {
      throw new Error('There is no model.')
    },
  ],
  ['is empty', () => ' \n'],
  ['never comes', () => new Promise<string>(() => undefined)],
])('a summary that %s leaves the conversation as it is, and says so', async (_, write) => {
  const messages = messagesOf(
    Array.from({ length: 20 }, () => ({ words: 100, call: 'done' })),
    true,
  )
  const errors: unknown[] = []
  const summed = await summarize(messages, {
    context: {
      maxTokens: 1_000,
      summary: { write, timeoutMs: 20, onError: (error) => errors.push(error) },
    },
    model,
    tools: {},
    instructions: undefined,
  })
  expect(summed).toEqual({ summary: undefined, messages, isNew: false })
  expect(errors).toHaveLength(1)
})

test('secrets are masked in what is summed up and in the summary, also where a text is cut', async () => {
  const secret = `sk-proj-${'a1B2'.repeat(12)}`
  const turns = Array.from({ length: 20 }, () => ({ words: 100, call: 'none' }))
  const messages = messagesOf(turns, true).map((message, at): UIMessage =>
    at === 1
      ? {
          ...message,
          parts: [
            { type: 'text', text: `The key is ${secret}. ${'words '.repeat(200)}` },
            {
              type: 'tool-act',
              toolCallId: 'c',
              state: 'output-available',
              // The cut goes through it.
              input: { to: `${'x'.repeat(270)} ${secret}` },
              output: secret,
            },
          ],
        }
      : message,
  )
  let transcript = ''
  const { summary } = await sum(messages, 6_000, (request) => {
    transcript = request.transcript
    return `They gave ${secret} away.`
  })
  expect(transcript).toContain('The key is')
  expect(transcript).not.toContain('a1B2a1B2')
  expect(summary?.text).toMatch(/^They gave .* away\.$/)
  expect(summary?.text).not.toContain('a1B2')
})
