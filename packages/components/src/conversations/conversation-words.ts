import type { ConversationListing } from '@assent/engine/storage'
import type { AssentLocale } from '../locale/locale.ts'

const DAY_MS = 86_400_000

/** What a conversation is called: its title, or what it is without one. */
export function nameOf(
  locale: AssentLocale,
  { title }: Pick<ConversationListing, 'title'>,
): string {
  return title || locale.conversations.untitled
}

/** How a conversation stands, if that is worth a word. */
export function stateInWords(
  { conversations, status, working }: AssentLocale,
  { requestState, waitingCount }: Pick<ConversationListing, 'requestState' | 'waitingCount'>,
): string | undefined {
  if (waitingCount > 0) return conversations.waiting(waitingCount)
  if (requestState === 'processing') return working
  if (requestState === 'error') return status.error
  return undefined
}

/** When it changed last: the time of a day of this week, or the date. */
export function changeInWords(locale: AssentLocale, at: number, now: number): string {
  const age = daysBetween(at, now)
  if (age <= 1) return format(locale, { hour: 'numeric', minute: '2-digit' }, at)
  if (age < 7) return format(locale, { weekday: 'long' }, at)
  return format(locale, { month: 'short', day: 'numeric' }, at)
}

/** Conversations of one time, under its name. */
export interface ConversationGroup {
  name: string
  conversations: readonly ConversationListing[]
}

/** Puts conversations, the last changed first, under the days and months of their last change. */
export function groupByDay(
  locale: AssentLocale,
  conversations: readonly ConversationListing[],
  now: number,
): readonly ConversationGroup[] {
  const groups = new Map<string, ConversationListing[]>()
  for (const conversation of conversations) {
    const name = dayInWords(locale, conversation.updatedAt, now)
    const group = groups.get(name)
    if (group) group.push(conversation)
    else groups.set(name, [conversation])
  }
  return [...groups].map(([name, own]) => ({ name, conversations: own }))
}

function dayInWords(locale: AssentLocale, at: number, now: number): string {
  const { today, yesterday, thisWeek } = locale.conversations
  const age = daysBetween(at, now)
  // A clock of another device may be ahead.
  if (age <= 0) return today
  if (age === 1) return yesterday
  if (age < 7) return thisWeek
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return format(locale, { month: 'long', ...(!isThisYear && { year: 'numeric' }) }, at)
}

/** How many midnights are between two moments here. */
function daysBetween(at: number, now: number): number {
  return Math.round((startOfDay(now) - startOfDay(at)) / DAY_MS)
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0)
}

const formats = new Map<string, Intl.DateTimeFormat>()

function format(locale: AssentLocale, options: Intl.DateTimeFormatOptions, at: number): string {
  const key = `${locale.code} ${Object.entries(options).join()}`
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale.code, options)
  formats.set(key, known)
  return known.format(at)
}
