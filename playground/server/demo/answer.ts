import { readPhrase } from './phrase.ts'
import type { PromptTurn } from './prompt.ts'
import type { Reply, Skill } from './skill.ts'
import { act, thinkThenAct } from './skills/act.ts'
import { askPerson } from './skills/ask.ts'
import {
  appendToNote,
  cleanUpNotes,
  everyNote,
  reportNotes,
  summariseNotes,
} from './skills/notes.ts'
import { breakOff, longAnswer, think } from './skills/talk.ts'
import { refused, workInFolder } from './skills/workspace.ts'
import { quotedList } from './tool-words.ts'

/** Everything that the demo model understands; the first skill that knows a request takes it. */
export const SKILLS: readonly Skill[] = [
  breakOff,
  longAnswer,
  refused,
  thinkThenAct,
  think,
  appendToNote,
  summariseNotes,
  cleanUpNotes,
  everyNote,
  reportNotes,
  askPerson,
  workInFolder,
  act,
]

/** Requests that the demo model understands, as suggestions for people; the best to begin with first. */
export const EXAMPLE_REQUESTS: readonly string[] = SKILLS.toReversed().flatMap(
  ({ examples }) => examples,
)

/** What the demo model says next in a turn, with the tools that it is offered. */
export function answer({ request, steps }: PromptTurn, tools: ReadonlySet<string>): Reply {
  const phrase = readPhrase(request)
  for (const { understand } of SKILLS) {
    const plan = understand(phrase)
    if (plan) return withOfferedTools(plan(steps), tools)
  }
  return { text: help(request) }
}

function withOfferedTools(reply: Reply, tools: ReadonlySet<string>): Reply {
  const missing = new Set(
    (reply.calls ?? []).map(({ toolName }) => toolName).filter((name) => !tools.has(name)),
  )
  if (missing.size === 0) return reply
  const names = [...missing].map((name) => `\`${name}\``).join(', ')
  return {
    text: `That takes a tool that I was not offered: ${names}. ${
      tools.size === 0 ? 'I was offered none.' : `I was offered ${quotedList([...tools])}.`
    }`,
  }
}

function help(request: string): string {
  const asked = request === '' ? 'Your message was empty.' : 'I can’t do that yet.'
  return [
    `${asked} I’m a demo model with no AI inside. Try one of these:`,
    EXAMPLE_REQUESTS.map((example) => `- ${example}`).join('\n'),
    'Choose your own titles and texts, and put them in quotes. To talk to a real model, start the playground with `ASSENT_BASE_URL`, `ASSENT_API_KEY` and `ASSENT_MODEL` set.',
  ].join('\n\n')
}
