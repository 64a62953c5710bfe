import { readCalls } from '../actions.ts'
import { callAll, describeCalls, inStages } from '../outcomes.ts'
import { partOf, type Phrase, splitRequest, valueOf, withoutManners } from '../phrase.ts'
import type { Plan, Skill, ToolRequest } from '../skill.ts'
import { quotedList } from '../tool-words.ts'

const CLEAN_UP = /^(?:clean(?:[\s-]*up)?|tidy(?:[\s-]*up)?)\b[^:]*:\s*/iu
const PRONOUN = /^(?:it|that one|this one)$/iu
const THINK_FIRST = /^(?:think|reflect|reason)\b.*?(?:,|\bthen\b|\band\b)\s*(?:then\s+)?/isu

/** Whatever the request names: several calls at once, "then" for one step after another. */
export const act: Skill = {
  name: 'act',
  examples: [
    'Write a note called “Groceries” saying “milk, eggs, coffee”',
    'List my notes, write a note called “Packing” saying “sunglasses”, and archive “Trip to Lisbon”',
    'Clean up: archive “Trip to Lisbon” and delete “Scratchpad”',
    'Search my notes for “launch”',
    'Read the note “Launch plan”, then delete it',
    'Send a report about the launch to ada@example.org saying “All green”',
    'Delete the backup “nightly-17”',
    'What time is it on the server?',
    'Export my notes to “the old drive”',
    'List all primes below 50,000',
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
    const orders = rest === text ? undefined : readOrders(request, withoutManners(rest))
    if (!orders || orders.stages.length === 0) return undefined
    const plan = planOf(orders)
    const reasoning = weigh(orders.stages.flat())
    return (steps) => (steps.length > 0 ? plan(steps) : { ...plan(steps), reasoning })
  },
}

interface Orders {
  /** The calls of each step. */
  stages: ToolRequest[][]
  /** Clauses that ask for nothing known. */
  unclear: string[]
}

function understandActions(request: Phrase, text: string): Plan | undefined {
  const rest = text.replace(CLEAN_UP, '')
  const orders = readOrders(request, rest)
  const first = orders.stages[0]
  if (!first) return undefined
  // Cleaning up begins with a look around, in the same step as the rest.
  if (rest !== text) first.unshift({ toolName: 'list_notes', input: {} })
  return planOf(orders)
}

function planOf({ stages, unclear }: Orders): Plan {
  const plan = inStages(stages.map(callAll))
  if (unclear.length === 0) return plan
  const doubt = `I can’t do ${quotedList(unclear)} yet, so I’ll leave that out.`
  return (steps) => {
    const reply = plan(steps)
    return steps.length > 0 ? reply : { ...reply, text: `${doubt} ${reply.text}` }
  }
}

function readOrders(request: Phrase, text: string): Orders {
  const orders: Orders = { stages: [], unclear: [] }
  let lastTitle: unknown
  for (const clauses of splitRequest(text)) {
    const stage: ToolRequest[] = []
    for (const clause of clauses) {
      const calls = readCalls(partOf(request, clause))
      if (calls.length === 0) orders.unclear.push(valueOf(request, clause))
      for (const call of calls) {
        const { title } = call.input
        const again = typeof title === 'string' && PRONOUN.test(title) ? lastTitle : undefined
        stage.push(
          typeof again === 'string' ? { ...call, input: { ...call.input, title: again } } : call,
        )
        if (typeof title === 'string' && again === undefined) lastTitle = title
      }
    }
    if (stage.length > 0) orders.stages.push(stage)
  }
  return orders
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
