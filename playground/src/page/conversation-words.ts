import type { ConversationListing } from '@assent/engine/storage'

const time = new Intl.DateTimeFormat('en', { hour: 'numeric', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat('en', { weekday: 'long' })
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })

const DAY_MS = 86_400_000

/** What a conversation is called: its title, or what it is without one. */
export function nameOf({ title }: Pick<ConversationListing, 'title'>): string {
  return title || 'Untitled'
}

/** How a conversation stands, if that is worth a word. */
export function stateInWords({
  requestState,
  waitingCount,
}: Pick<ConversationListing, 'requestState' | 'waitingCount'>): string | undefined {
  if (waitingCount > 0) return 'waits for you'
  if (requestState === 'processing') return 'at work'
  if (requestState === 'error') return 'failed'
  return undefined
}

/** When it changed last: the time of this day, the day of this week, or the date. */
export function changeInWords(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString()
  if (isToday) return time.format(at)
  return (now - at < 6 * DAY_MS ? weekday : day).format(at)
}
