/** What the forms of an HTTP-date (RFC 9110 §5.6.7) share: a name of a day first, a time of day. */
const HTTP_DATE = /^[A-Z][a-z]+(,?) .+\d\d:\d\d:\d\d/

/**
 * How long a `Retry-After` header asks to wait (RFC 9110 §10.2.3: seconds, or a date), in
 * milliseconds. A date in the past is 0; a missing header or another value is `undefined`.
 *
 * @param now milliseconds since the epoch
 */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const form = HTTP_DATE.exec(text)
  // Without a comma it is asctime's form, which is in GMT but does not say so.
  const date = form ? Date.parse(form[1] ? text : `${text} GMT`) : NaN
  if (Number.isNaN(date) || (form?.[1] && !text.endsWith('GMT'))) return undefined
  return Math.max(0, date - now)
}
