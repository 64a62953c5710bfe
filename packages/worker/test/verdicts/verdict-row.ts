import type { DefaultApproval } from '@assent/engine'

/** Where a call is decided about; `route` is one's own, with `strictApproval`. */
export type Surface = 'page' | 'server' | 'worker' | 'modelTransport' | 'route'

export const SURFACES: readonly Surface[] = ['page', 'server', 'worker', 'modelTransport', 'route']
/** Those that have the options of `toolPlugin`. */
export const PLUGIN: readonly Surface[] = ['page', 'worker', 'modelTransport']

/** What becomes of the call: with `none` it neither runs here nor is it asked about, or answered. */
export type Outcome = 'run' | 'ask' | 'deny' | 'none'

/** Rules as plain JavaScript may have them: nothing of them is checked by types. */
export interface VerdictConfig {
  readonly toolApproval?: unknown
  readonly needsApproval?: unknown
  readonly shouldPauseToolCall?: unknown
  readonly risk?: unknown
  readonly defaultApproval?: unknown
  readonly knownTools?: readonly string[]
  /** Of other tools, beside the risk of this one. */
  readonly toolOptions?: object
}

/** One configuration, and what becomes of a call of the tool `send` under it. */
export interface VerdictRow extends VerdictConfig {
  readonly name: string
  /** `here` has `execute`, `open` has none, the provider runs `provider` itself. Default `here`. */
  readonly tool?: 'here' | 'open' | 'provider'
  /** Where it differs, by surface. `mistake`: the configuration is refused. */
  readonly says: Outcome | 'mistake' | Partial<Record<Surface, Outcome>>
  /** The codes of what is reported. Default: nothing. */
  readonly reports?: readonly string[] | Partial<Record<Surface, readonly string[]>>
  /** Default: all. */
  readonly on?: readonly Surface[]
}

/** The four ways in which a rule can say something. */
export function everyWay(verdict: unknown): [way: string, toolApproval: unknown][] {
  return [
    ['a status', { send: verdict }],
    ['a rule of the tool', { send: () => verdict }],
    ['a promise', { send: async () => verdict }],
    ['one rule for all', () => verdict],
  ]
}

/** What each default says where no rule does. */
export const DEFAULTS: readonly [DefaultApproval, Outcome][] = [
  ['user-approval', 'ask'],
  ['approved', 'run'],
  ['denied', 'deny'],
]
