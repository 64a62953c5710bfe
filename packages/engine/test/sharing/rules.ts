import type { Watch } from '../rules/watch.ts'

/** What must hold for the tabs of a conversation, whatever happens in which order. */
export const RULES = [
  'one tab holds the conversation',
  'a call runs at most once',
  'a call that asks runs only after a yes',
  'a call that was denied never runs',
  'the first decision on a call wins',
  'a refusal says why',
  'who sends a message is told what became of it',
  'no decision is lost',
  'what was approved runs once',
  'what has an output ran once',
  'every call has its result',
  'no message is sent twice',
  'all tabs show the same',
  'every promise settles',
  'everything comes to rest',
  'nothing is reported that nobody expects',
] as const

export type Rule = (typeof RULES)[number]

/** Holds plays to the rules. */
export type Rules = Watch<Rule>
