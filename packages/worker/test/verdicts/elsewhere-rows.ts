import { DEFAULTS, everyWay, type VerdictRow } from './verdict-row.ts'

/** Calls that are not executed where they are decided. */
export const elsewhere: VerdictRow[] = [
  ...DEFAULTS.map(([defaultApproval]): VerdictRow => ({
    name: `a tool that a person answers, by default ${defaultApproval}`,
    tool: 'open',
    defaultApproval,
    says: 'none',
  })),
  {
    name: 'a tool that a person answers, denied',
    tool: 'open',
    toolApproval: { send: 'denied' },
    says: 'deny',
  },
  {
    name: 'a tool that a person answers, with a rule that asks',
    tool: 'open',
    toolApproval: { send: 'user-approval' },
    // There the page asks.
    says: { page: 'ask', worker: 'ask', modelTransport: 'ask', route: 'ask', server: 'none' },
  },
  ...DEFAULTS.map(([defaultApproval]): VerdictRow => ({
    name: `a tool of the provider, by default ${defaultApproval}`,
    tool: 'provider',
    defaultApproval,
    says: 'none',
  })),
  {
    name: 'a tool of the provider, approved',
    tool: 'provider',
    toolApproval: { send: 'approved' },
    says: 'none',
  },
  ...['user-approval', 'denied', 'ask'].flatMap((verdict) =>
    everyWay(verdict).map(([way, toolApproval]): VerdictRow => ({
      name: `a tool of the provider, ${verdict} as ${way}`,
      tool: 'provider',
      toolApproval,
      says: 'none',
      // The model is asked elsewhere: of what its provider runs the page is only told.
      reports: {
        page: [],
        worker: ['provider_cannot_wait'],
        modelTransport: ['provider_cannot_wait'],
        route: [...(verdict === 'ask' ? ['unknown_verdict'] : []), 'provider_cannot_wait'],
        server: [...(verdict === 'ask' ? ['unknown_verdict'] : []), 'provider_cannot_wait'],
      },
    })),
  ),
]
