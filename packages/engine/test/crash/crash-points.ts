import type { Countable, CrashPoint, Life } from './life.ts'

/** Every point at which a life that went like this one can end. */
export function pointsOf({ counts, relaxedWrites }: Life): CrashPoint[] {
  const each = (at: Countable, make: (nth: number) => CrashPoint[]) =>
    Array.from({ length: counts[at] }, (_, index) => index + 1).flatMap(make)
  const relaxed = new Set(relaxedWrites)
  return [
    ...each('write', (nth) => [
      { at: 'write', nth, when: 'before' },
      { at: 'write', nth, when: 'late' },
      { at: 'write', nth, when: 'after' },
      // What was written strictly is not lost, so that this is a point of its own for the others.
      ...(relaxed.has(nth) ? [{ at: 'write', nth, when: 'power' } as const] : []),
    ]),
    ...each('effect', (nth) => [
      { at: 'effect', nth, when: 'before' },
      { at: 'effect', nth, when: 'after' },
    ]),
    ...each('request', (nth) => [
      { at: 'request', nth, when: 'before' },
      { at: 'request', nth, when: 'after' },
    ]),
    ...each('chunk', (nth) => [{ at: 'chunk', nth, when: 'before' }]),
  ]
}
