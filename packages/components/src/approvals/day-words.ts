import { auditWords } from '../locale/en-records.ts'
import type { AssentLocale } from '../locale/locale.ts'

/**
 * A day as a heading: today, yesterday, or its date.
 *
 * @param day any moment of it, in milliseconds since the epoch
 * @param now the same; while it is not known, days have their date
 */
export function dayInWords(
  day: number | undefined,
  locale: AssentLocale,
  now: number | undefined,
): string {
  if (day === undefined) return auditWords(locale).undated
  const { today: todayWord, yesterday } = locale.conversations
  const date = new Date(day)
  if (now !== undefined) {
    const today = new Date(now)
    if (date.toDateString() === today.toDateString()) return todayWord
    today.setDate(today.getDate() - 1)
    if (date.toDateString() === today.toDateString()) return yesterday
  }
  return new Intl.DateTimeFormat(locale.code, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  }).format(date)
}
