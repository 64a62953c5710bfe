const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const dateAndTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** The time of day, with the day unless that is today. */
export function shownTime(at: number): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString()
  return (isToday ? time : dateAndTime).format(at)
}

/** How long something took. */
export function shownLength(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  return `${Math.round(ms / 60_000)} min`
}
