/**
 * How long a `Retry-After` header asks to wait (RFC 9110 §10.2.3: seconds, or a date), in
 * milliseconds. A date in the past is 0; a missing header or another value is `undefined`.
 *
 * All three forms of an HTTP-date (§5.6.7) start with the name of a day and are in GMT, but one of
 * them, asctime's, does not say so.
 *
 * @param now milliseconds since the epoch
 */
export function parseRetryAfter(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const date = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text.replace(/( GMT)?$/, ' GMT')) : NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
