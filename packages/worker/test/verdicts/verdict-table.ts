import { elsewhere } from './elsewhere-rows.ts'
import {
  DEFAULTS,
  everyWay,
  PLUGIN,
  SURFACES,
  type Surface,
  type VerdictConfig,
  type VerdictRow,
} from './verdict-row.ts'

const fail = () => {
  throw new Error('policy down')
}
const never = () => new Promise(() => {})
const unknownVerdict = { says: 'ask', reports: ['unknown_verdict'] } as const
const FAILED: Partial<Record<Surface, (thrown: string) => string[]>> = {
  server: (thrown) => [thrown],
  route: () => ['rule_failed'],
}
const failed = (thrown: string, on: readonly Surface[] = SURFACES) =>
  ({
    says: 'ask',
    // The page shows it at the question; the server's own words are not for the page.
    reports: Object.fromEntries(on.map((one) => [one, FAILED[one]?.(thrown) ?? []])),
    on,
  }) as const

function verdictRows(
  verdict: unknown,
  more: Pick<VerdictRow, 'says' | 'reports'> & VerdictConfig,
): VerdictRow[] {
  return everyWay(verdict).map(([way, toolApproval]) => ({
    name: `${JSON.stringify(verdict) ?? String(verdict)} as ${way}`,
    toolApproval,
    ...more,
  }))
}

const known: VerdictRow[] = [
  ...verdictRows('approved', { says: 'run' }),
  ...verdictRows({ type: 'approved' }, { says: 'run', defaultApproval: 'denied' }),
  ...verdictRows('user-approval', { says: 'ask', defaultApproval: 'approved', risk: 'read' }),
  ...verdictRows({ type: 'user-approval', reason: 'why' }, { says: 'ask' }),
  ...verdictRows('denied', { says: 'deny', defaultApproval: 'approved' }),
  ...verdictRows({ type: 'denied', reason: 'why' }, { says: 'deny', risk: 'read' }),
]

// As generous as it can be otherwise: what is not understood asks all the same.
const generous = { defaultApproval: 'approved', risk: 'read', needsApproval: false }
const unknown: VerdictRow[] = [
  'user_approval',
  'Approved',
  'approved ',
  'ask',
  '',
  true,
  false,
  null,
  0,
  {},
  [],
  ['approved'],
  { type: 'ask' },
  { type: ['approved'] },
  { status: 'approved' },
].flatMap((verdict) => verdictRows(verdict, { ...unknownVerdict, ...generous }))

const silent: VerdictRow[] = DEFAULTS.flatMap(([defaultApproval, says]) => [
  { name: `no rule, by default ${defaultApproval}`, defaultApproval, says },
  ...[undefined, 'not-applicable', { type: 'not-applicable' }].flatMap((verdict) =>
    verdictRows(verdict, { defaultApproval, says }).map((row) => ({
      ...row,
      name: `${row.name}, by default ${defaultApproval}`,
    })),
  ),
  {
    name: `a rule for another tool, by default ${defaultApproval}`,
    toolApproval: { drop: 'approved' },
    knownTools: ['drop'],
    defaultApproval,
    says,
  },
])

const defaults: VerdictRow[] = [
  { name: 'nothing at all', says: 'ask' },
  { name: 'a typo in defaultApproval', defaultApproval: 'aproved', says: 'ask' },
  { name: 'true as defaultApproval', defaultApproval: true, says: 'ask' },
  { name: 'null as defaultApproval', defaultApproval: null, says: 'ask' },
  { name: 'none as defaultApproval', defaultApproval: 'none', says: 'ask' },
]

const risks: VerdictRow[] = [
  { name: 'what only reads', risk: 'read', says: 'run' },
  {
    name: 'what only reads, denied by default',
    risk: 'read',
    defaultApproval: 'denied',
    says: 'run',
  },
  ...['write', 'send', 'destroy'].map((risk): VerdictRow => ({
    name: `risk ${risk}`,
    risk,
    says: 'ask',
  })),
  // As an option of the page it is refused.
  ...['raed', true].map((risk): VerdictRow => ({
    name: `risk ${risk}`,
    risk,
    on: ['server', 'route'],
    says: 'ask',
  })),
]

const needing: VerdictRow[] = [
  { name: 'needsApproval', needsApproval: true, defaultApproval: 'approved', says: 'ask' },
  { name: 'no needsApproval', needsApproval: false, says: 'run' },
  { name: 'a needsApproval that asks', needsApproval: async () => true, risk: 'read', says: 'ask' },
  { name: 'a needsApproval that does not ask', needsApproval: () => false, says: 'run' },
  { name: 'a silent needsApproval', needsApproval: () => undefined, says: 'ask' },
  {
    name: 'needsApproval beside a rule',
    needsApproval: false,
    toolApproval: { send: 'user-approval' },
    says: 'ask',
  },
  {
    name: 'no needsApproval beside a silent rule for all',
    needsApproval: false,
    toolApproval: () => undefined,
    says: 'ask',
  },
  {
    name: 'needsApproval beside a silent rule for all',
    needsApproval: true,
    toolApproval: () => undefined,
    defaultApproval: 'approved',
    says: 'ask',
  },
  {
    name: 'rules that came as a promise',
    toolApproval: Promise.resolve({ send: 'denied' }),
    defaultApproval: 'approved',
    ...unknownVerdict,
  },
  ...['no', 0, null, {}].flatMap((answer): VerdictRow[] => [
    { name: `needsApproval ${answer}`, needsApproval: answer, ...unknownVerdict },
    {
      name: `needsApproval that answers ${answer}`,
      needsApproval: () => answer,
      ...unknownVerdict,
    },
  ]),
  {
    name: 'a needsApproval that throws',
    needsApproval: fail,
    ...generousBut('needsApproval'),
    ...failed('Error'),
  },
  {
    name: 'a needsApproval that hangs',
    needsApproval: never,
    ...generousBut('needsApproval'),
    ...failed('TimeoutError'),
  },
]

const pausing: VerdictRow[] = (
  [
    {
      name: 'a pause',
      shouldPauseToolCall: () => true,
      toolApproval: () => 'approved',
      says: 'ask',
    },
    { name: 'no pause', shouldPauseToolCall: async () => false, says: 'run' },
    { name: 'a silent pause', shouldPauseToolCall: () => undefined, says: 'ask' },
    {
      name: 'no pause of what a rule asks about',
      shouldPauseToolCall: () => false,
      toolApproval: () => 'user-approval',
      says: 'ask',
    },
    {
      name: 'no pause of what a rule denies',
      shouldPauseToolCall: () => false,
      toolApproval: { send: 'denied' },
      says: 'deny',
    },
    {
      name: 'a pause that answers a text',
      shouldPauseToolCall: () => 'no',
      ...generous,
      ...unknownVerdict,
    },
    {
      name: 'a pause that throws',
      shouldPauseToolCall: fail,
      ...generous,
      ...failed('Error', PLUGIN),
    },
    {
      name: 'a pause that hangs',
      shouldPauseToolCall: never,
      ...generous,
      ...failed('TimeoutError', PLUGIN),
    },
  ] satisfies VerdictRow[]
).map((row) => ({ ...row, on: PLUGIN }))

const failing: VerdictRow[] = (
  [
    ['a rule that throws', { send: fail }, 'Error'],
    ['a rule that rejects', { send: async () => fail() }, 'Error'],
    ['a rule for all that throws', fail, 'Error'],
    ['a rule that hangs', { send: never }, 'TimeoutError'],
    ['a rule for all that hangs', never, 'TimeoutError'],
  ] as const
).map(([name, toolApproval, thrown]) => ({ name, toolApproval, ...generous, ...failed(thrown) }))

const misspelt: VerdictRow[] = [
  { name: 'a rule of a misspelt tool', toolApproval: { sned: 'denied' }, says: 'mistake' },
  {
    name: 'a rule of a misspelt tool beside one that is not',
    toolApproval: { send: 'approved', Send: 'denied' },
    says: 'mistake',
  },
  {
    name: 'a rule called as what every object has',
    toolApproval: { toString: 'approved' },
    says: 'mistake',
  },
  {
    name: 'options of a misspelt tool',
    toolOptions: { sned: { risk: 'destroy' } },
    says: 'mistake',
    on: PLUGIN,
  },
]

/** Everything that can be said about a call, and what must become of it. */
export const VERDICTS: readonly VerdictRow[] = [
  ...known,
  ...unknown,
  ...silent,
  ...defaults,
  ...risks,
  ...needing,
  ...pausing,
  ...failing,
  ...misspelt,
  ...elsewhere,
]

function generousBut(left: keyof typeof generous): VerdictConfig {
  return Object.fromEntries(Object.entries(generous).filter(([name]) => name !== left))
}
