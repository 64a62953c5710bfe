import { CliError } from './cli-error.ts'

const UNITS = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
])

/**
 * A time as a person writes it, in milliseconds since the epoch: a date (`2026-11-21`, the beginning of
 * that day here), a date and a time (`2026-11-21T10:00`, with or without a zone), or how long ago it
 * was (`90s`, `15m`, `2h`, `7d`, `1w`).
 */
export function parseTime(name: string, text: string, now: number): number {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  const length = unit === undefined ? undefined : UNITS.get(unit)
  if (length !== undefined) return now - Number(count) * length
  const [, day, time] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?))?$/.exec(
      text,
    ) ?? []
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time ?? '00:00'}`)
  // A date that does not exist is not another one.
  const isDay = day !== undefined && new Date(`${day}T00:00Z`).toJSON()?.startsWith(day) === true
  if (isDay && !Number.isNaN(at)) return at
  throw new CliError(
    'usage',
    `--${name} is ${JSON.stringify(text)}; give a date (2026-11-21), a date and a time ` +
      '(2026-11-21T10:00), or how long ago (90s, 15m, 2h, 7d).',
  )
}

/** A time for people, here: `2026-11-21 10:00:00`. */
export function timeText(at: number): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return String(at)
  const two = (part: number) => String(part).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
  return `${day} ${time}`
}
