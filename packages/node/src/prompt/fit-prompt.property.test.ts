import { assert, integer, pre, property, record } from 'fast-check'
import { expect, test } from 'vitest'
import { randomPrompt } from '../../test/random-prompt.ts'
import { countPrompt, estimateTokens } from './estimate-tokens.ts'
import { fitPrompt } from './fit-prompt.ts'
import type { Prompt, PromptMessage } from './prompt.ts'

/** What the two texts take that say what was left out. */
const NOTES = 200

const random = record({
  prompt: randomPrompt,
  maxTokens: integer({ min: 100, max: 20_000 }),
})

const count = estimateTokens
const tokens = (prompt: Prompt) => countPrompt(prompt, count)
const lastUser = (prompt: Prompt) => prompt.findLastIndex(({ role }) => role === 'user')

/** What must stay: instructions, the newest message, the last step, and turns of which a call is open. */
function protectedOf(asked: Prompt): Prompt {
  const newest = lastUser(asked)
  const lastStep = asked.findLastIndex(({ role }) => role === 'assistant')
  let turn: PromptMessage[] = []
  const turns: PromptMessage[][] = []
  for (const message of asked.slice(0, newest)) {
    if (message.role === 'system') continue
    if (message.role === 'user') turns.push((turn = []))
    turn.push(message)
  }
  return [
    ...asked.filter(({ role }) => role === 'system'),
    ...turns.filter((messages) => openIn(messages).length > 0).flat(),
    ...asked.filter((_, index) => index === newest || (lastStep > newest && index >= lastStep)),
  ]
}

/** The calls of the provider that have no result and are not decided. */
function openIn(messages: readonly PromptMessage[]): string[] {
  const open: string[] = []
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'assistant') continue
    const isDecided = JSON.stringify(messages[index + 1] ?? '').includes('tool-approval-response')
    if (
      content.some((part) => part.type === 'tool-call' && part.toolCallId === 'open') &&
      !isDecided
    )
      open.push('open')
  }
  return open
}

/** The calls and the results of each step, which are to be the same. */
function stepsOf(prompt: Prompt): { calls: string[]; results: string[] }[] {
  const steps: { calls: string[]; results: string[] }[] = []
  for (const message of prompt) {
    if (message.role === 'assistant') steps.push({ calls: [], results: [] })
    if (message.role !== 'assistant' && message.role !== 'tool') continue
    for (const part of message.content) {
      if (part.type === 'tool-call' && part.toolCallId !== 'open')
        steps.at(-1)?.calls.push(part.toolCallId)
      if (part.type === 'tool-result') steps.at(-1)?.results.push(part.toolCallId)
    }
  }
  return steps
}

test('a prompt is never over its budget where what must stay fits', () => {
  assert(
    property(random, ({ prompt: { asked }, maxTokens }) => {
      pre(tokens(protectedOf(asked)) + NOTES <= maxTokens)
      expect(tokens(fitPrompt(asked, { maxTokens, count }))).toBeLessThanOrEqual(maxTokens)
    }),
    { numRuns: 500 },
  )
})

test('every call of a prompt has its result, and every result its call', () => {
  assert(
    property(random, ({ prompt: { asked, since }, maxTokens }) => {
      const fitted = fitPrompt([...asked, ...since], { maxTokens, count })
      for (const { calls, results } of stepsOf(fitted)) {
        expect(results.toSorted()).toEqual(calls.toSorted())
      }
    }),
    { numRuns: 500 },
  )
})

function isNote(part: { type: string; text?: string }): boolean {
  return /^\[(?:\d+ earlier messages|Earlier steps) /.test(part.text ?? '')
}

test('what must stay stays as it is, in its order', () => {
  assert(
    property(random, ({ prompt: { asked }, maxTokens }) => {
      const fitted = fitPrompt(asked, { maxTokens, count })
      const newest = asked[lastUser(asked)]
      // Notes may stand before what a person has said.
      const withoutNotes = fitted.map((message) =>
        message.role === 'user'
          ? { ...message, content: message.content.filter((part) => !isNote(part)) }
          : message,
      )
      // Of an earlier turn with an open call only its files may go.
      const mustBeWhole = (message: PromptMessage) => message === newest || message.role !== 'user'
      let at = -1
      for (const message of protectedOf(asked).filter(mustBeWhole)) {
        at = withoutNotes.findIndex(
          (one, index) => index > at && JSON.stringify(one) === JSON.stringify(message),
        )
        expect(at, `${message.role} ${message === newest ? '(newest)' : ''}`).not.toBe(-1)
      }
    }),
    { numRuns: 300 },
  )
})

test('a paused turn goes back as it came, behind the very prompt that it was asked with', () => {
  assert(
    property(random, ({ prompt: { asked, since }, maxTokens }) => {
      const budget = { maxTokens, count }
      expect(fitPrompt([...asked, ...since], budget)).toEqual([
        ...fitPrompt(asked, budget),
        ...since,
      ])
    }),
    { numRuns: 300 },
  )
})

test('what fits is not touched, and what was fitted is not touched again', () => {
  assert(
    property(random, ({ prompt: { asked }, maxTokens }) => {
      expect(fitPrompt(asked, { maxTokens: tokens(asked), count })).toBe(asked)
      pre(tokens(protectedOf(asked)) + NOTES <= maxTokens)
      const fitted = fitPrompt(asked, { maxTokens, count })
      expect(fitPrompt(fitted, { maxTokens, count })).toBe(fitted)
    }),
    { numRuns: 300 },
  )
})
