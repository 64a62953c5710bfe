import { readCalls } from '../actions.ts'
import { callAll, describeCalls, inStages } from '../outcomes.ts'
import { partOf, type Phrase, splitRequest, withoutManners } from '../phrase.ts'
import type { Plan, Skill, ToolRequest } from '../skill.ts'

const CLEAN_UP = /^(?:clean(?:[\s-]*up)?|tidy(?:[\s-]*up)?)\b[^:]*:\s*/iu
const THINK_FIRST = /^(?:think|reflect|reason)\b.*?(?:,|\bthen\b|\band\b)\s*(?:then\s+)?/isu

/** Whatever the request names: several calls at once, "then" for one step after another. */
export const act: Skill = {
  name: 'act',
  examples: [
    'Write a note called “Groceries” saying “milk, eggs, coffee”',
    'Clean up: archive “Trip to Lisbon” and delete “Scratchpad”',
    'Search my notes for “launch”',
    'Read the note “Launch plan”, then delete it',
    'Send a report about the launch to ada@example.org saying “All green”',
    'Delete the backup “nightly-17”',
    'What time is it on the server?',
    'Export my notes to “the old drive”',
  ],
  understand: (request) => understandActions(request, withoutManners(request.text)),
}

/** Thinks aloud before it acts. */
export const thinkThenAct: Skill = {
  name: 'think-then-act',
  examples: ['Think first, then delete the note “Scratchpad”'],
  understand: (request) => {
    const text = withoutManners(request.text)
    const rest = text.replace(THINK_FIRST, '')
    if (rest === text) return undefined
    const stages = readStages(request, withoutManners(rest))
    const calls = stages.flat()
    if (calls.length === 0) return undefined
    const plan = inStages(stages.map(callAll))
    return (steps) => (steps.length > 0 ? plan(steps) : { ...plan(steps), reasoning: weigh(calls) })
  },
}

function understandActions(request: Phrase, text: string): Plan | undefined {
  const orders = text.replace(CLEAN_UP, '')
  const stages = readStages(request, orders)
  const first = stages[0]
  if (!first) return undefined
  // Cleaning up begins with a look around, in the same step as the rest.
  if (orders !== text) first.unshift({ toolName: 'list_notes', input: {} })
  return inStages(stages.map(callAll))
}

function readStages(request: Phrase, text: string): ToolRequest[][] {
  let lastTitle: unknown
  return splitRequest(text)
    .map((clauses) =>
      clauses
        .flatMap((clause) => readCalls(partOf(request, clause)))
        .map((call): ToolRequest => {
          const { title } = call.input
          if (typeof title !== 'string') return call
          if (typeof lastTitle === 'string' && /^(?:it|that one|this one)$/iu.test(title)) {
            return { ...call, input: { ...call.input, title: lastTitle } }
          }
          lastTitle = title
          return call
        }),
    )
    .filter((calls) => calls.length > 0)
}

function weigh(calls: readonly ToolRequest[]): string {
  const gone = calls.filter(({ toolName }) => toolName.startsWith('delete_'))
  return [
    `The request comes down to ${calls.length === 1 ? 'one call' : `${calls.length} calls`}:`,
    `I am to ${describeCalls(calls)}.`,
    gone.length > 0
      ? 'What is deleted cannot be brought back, so it is good that a person is asked before it runs.'
      : 'Nothing of it is lost for good if it turns out to be a mistake.',
    'I have no reason to do more than was asked, so I make exactly these calls and wait for what comes back.',
  ].join(' ')
}
