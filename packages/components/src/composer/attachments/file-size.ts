const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** A size in the largest unit that fits: `340 kB`, `1.2 MB`. */
export function formatSize(code: string, bytes: number): string {
  const power = Math.max(bytes, 1) < 1_024 ? 0 : Math.floor(Math.log(bytes) / Math.log(1_024))
  const step = Math.min(power, UNITS.length - 1)
  return new Intl.NumberFormat(code, {
    style: 'unit',
    unit: UNITS[step],
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step > 1 ? 1 : 0,
  }).format(bytes / 1_024 ** step)
}
