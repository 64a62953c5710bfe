import type { ApprovalScope } from '../../src/confirmation.ts'

/** What every tool of a play is called with. */
export interface Input {
  readonly path: string
  readonly amount: number
}

/** Few enough that calls, edits and scopes meet. */
export const INPUTS: readonly Input[] = [
  { path: '/docs', amount: 1 },
  { path: '/docs/a', amount: 5 },
  { path: '/docs/a/b', amount: 9 },
  { path: '/docs-old', amount: 5 },
  { path: '/docs/../etc', amount: 1 },
]

/** A way to cover calls, and which of the inputs it covers: found out by hand. */
export interface CoversCase {
  readonly covers: ApprovalScope['covers']
  readonly matches: 'all' | 'same' | readonly number[]
}

export const COVERS: readonly CoversCase[] = [
  { covers: undefined, matches: 'same' },
  { covers: 'tool', matches: 'all' },
  { covers: 'input', matches: 'same' },
  { covers: { '/path': { prefix: '/docs' } }, matches: [0, 1, 2] },
  { covers: { '/path': { glob: '/docs/*' } }, matches: [1] },
  { covers: { '/path': { glob: '/docs/**' } }, matches: [1, 2] },
  { covers: { '/amount': { min: 2, max: 5 } }, matches: [1, 3] },
  { covers: { '/amount': { max: 1 } }, matches: [0, 4] },
  { covers: { '/path': { oneOf: ['/docs', '/docs-old'] } }, matches: [0, 3] },
  { covers: { '/path': { prefix: '/docs' }, '/amount': { min: 5 } }, matches: [1, 2] },
  { covers: { '/constructor': { oneOf: ['/docs'] } }, matches: [] },
]

/** What no `yes_always` can be given with. */
export const MALFORMED_SCOPES: readonly unknown[] = [
  { covers: 'everything' },
  { covers: {} },
  { covers: { path: { prefix: '/docs' } } },
  { covers: { '/path': { prefix: '/docs', glob: '*' } } },
  { covers: { '/amount': { min: 5, max: 1 } } },
  { uses: 0 },
  { uses: 1.5 },
  { until: Number.NaN },
  { where: 'nowhere' },
  null,
]
