import type { AssentLocale } from './locale.ts'

const caches = {
  time: new Map<string, Intl.DateTimeFormat>(),
  number: new Map<string, Intl.NumberFormat>(),
  list: new Map<string, Intl.ListFormat>(),
}

/** A sentence with its stop, unless it ends with one of its own. */
export function closed(sentence: string, stop = '.'): string {
  return /[.?!…。？！]$/.test(sentence) ? sentence : sentence + stop
}

/** The time of day: `14:02`, `2:02 PM`. */
export function formatTime(locale: AssentLocale, at: number): string {
  return cached(caches.time, locale.code, () => {
    return new Intl.DateTimeFormat(locale.code, { hour: 'numeric', minute: '2-digit' })
  }).format(at)
}

/** A day and a time of it: `May 12, 2:02 PM`; with its year where that is not the one of `now`. */
export function formatMoment(locale: AssentLocale, at: number, now = Date.now()): string {
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return cached(caches.time, `${locale.code} ${isThisYear ? 'day' : 'date'}`, () => {
    return new Intl.DateTimeFormat(locale.code, {
      ...(!isThisYear && { year: 'numeric' }),
      month: 'short',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
    })
  }).format(at)
}

/** A duration in one unit: `80ms`, `1.2s`, `3m`. */
export function formatDuration(locale: AssentLocale, milliseconds: number): string {
  if (milliseconds < 1_000) return unit(locale, 'millisecond', 0, milliseconds)
  if (milliseconds < 10_000) return unit(locale, 'second', 1, milliseconds / 1_000)
  if (milliseconds < 60_000) return unit(locale, 'second', 0, milliseconds / 1_000)
  return unit(locale, 'minute', 1, milliseconds / 60_000)
}

/** A time that passes, in whole seconds: `9s`, `1m 12s`. */
export function formatElapsed(locale: AssentLocale, milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000)
  const rest = unit(locale, 'second', 0, seconds % 60)
  return seconds < 60 ? rest : `${unit(locale, 'minute', 0, Math.floor(seconds / 60))} ${rest}`
}

/** A whole number with the separators of the locale. */
export function formatCount(locale: AssentLocale, count: number): string {
  return cached(caches.number, locale.code, () => new Intl.NumberFormat(locale.code)).format(count)
}

/** Things in a row: `a, b and c`. */
export function formatList(
  { code }: Pick<AssentLocale, 'code'>,
  items: readonly string[],
  word: 'and' | 'or',
): string {
  const type = word === 'and' ? 'conjunction' : 'disjunction'
  return cached(caches.list, `${code} ${type}`, () => new Intl.ListFormat(code, { type })).format(
    items,
  )
}

function unit(locale: AssentLocale, name: string, digits: number, value: number): string {
  return cached(caches.number, `${locale.code} ${name} ${digits}`, () => {
    return new Intl.NumberFormat(locale.code, {
      style: 'unit',
      unit: name,
      unitDisplay: 'narrow',
      maximumFractionDigits: digits,
    })
  }).format(value)
}

function cached<VALUE>(cache: Map<string, VALUE>, key: string, make: () => VALUE): VALUE {
  const known = cache.get(key)
  if (known !== undefined) return known
  const made = make()
  cache.set(key, made)
  return made
}
