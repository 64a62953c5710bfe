const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The three forms of an HTTP-date (RFC 9110 §5.6.7): the one in use, then the two obsolete ones. */
const DATE_FORMS = [
  /^\w{3}, (?<day>\d\d) (?<month>\w{3}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^\w{6,9}, (?<day>\d\d)-(?<month>\w{3})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^\w{3} (?<month>\w{3}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
]

/**
 * How long a `Retry-After` header asks to wait (RFC 9110 §10.2.3: seconds, or a date), in
 * milliseconds. A date in the past is 0; a missing header or another value is `undefined`.
 *
 * @param now milliseconds since the epoch
 */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  const text = value.trim()
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const date = parseHttpDate(text, now)
  return date === undefined ? undefined : Math.max(0, date - now)
}

function parseHttpDate(text: string, now: number): number | undefined {
  for (const form of DATE_FORMS) {
    const { day, month, year, time } = form.exec(text)?.groups ?? {}
    if (day === undefined || month === undefined || year === undefined || time === undefined) {
      continue
    }
    const monthIndex = MONTHS.indexOf(month)
    const [hours = NaN, minutes = NaN, seconds = NaN] = time.split(':').map(Number)
    if (monthIndex === -1) return undefined
    return Date.UTC(fullYear(year, now), monthIndex, Number(day), hours, minutes, seconds)
  }
  return undefined
}

/** Two digits that seem to be more than 50 years ahead are the last such year in the past. */
function fullYear(year: string, now: number): number {
  if (year.length === 4) return Number(year)
  const thisYear = new Date(now).getUTCFullYear()
  const candidate = thisYear - (thisYear % 100) + Number(year)
  return candidate > thisYear + 50 ? candidate - 100 : candidate
}
