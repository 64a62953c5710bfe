import type { Watch } from '../rules/watch.ts'

/** What must hold in every turn, whatever happens in which order. */
export const RULES = [
  'a call runs at most once',
  'a call that asks runs only after a yes',
  'a denied call never runs',
  'the first decision on a call wins',
  'no tool starts once its turn is over',
  "with gate 'step' nothing runs before all is decided",
  'no more tools run at a time than may',
  'nothing runs while a turn is paused',
  'a result belongs to its call',
  'callbacks about a call come once',
  'a call moves along the table',
  'a server runs a call at most once, after a yes',
  'an approval is sent again only when a person retries',
  'every request carries a valid history',
  'the AI SDK accepts the history',
  'a turn makes no more requests than it may',
  'a state moves along the table',
  'a state is the same object while nothing changes',
  'an abort shows at once',
  'nothing is written to an aborted turn',
  'hooks come in order',
  'queued messages are sent in order',
  'queued messages wait after an abort or a failure',
  'nothing begins by itself once everything was stopped',
  'every promise settles',
  'the engine comes to rest',
] as const

export type Rule = (typeof RULES)[number]

/** Holds plays to the rules. */
export type Rules = Watch<Rule>
