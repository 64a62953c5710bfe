import type { ApprovalInvariant } from './invariants.ts'
import type { SentCall, World } from './world.ts'

/** What a person says to a call that waits. */
export interface SiteDecision {
  readonly toolCallId: string
  readonly outcome: 'yes' | 'no'
}

/** The thing tested, in its world, as tests of all levels use it. */
export interface Site {
  readonly world: World
  /** A person says something, and the model calls tools. Resolves when all is at rest. */
  send(...calls: readonly SentCall[]): Promise<void>
  /** The ids of the calls that wait for a person. */
  waiting(): readonly string[]
  /** Decides in one tick. Resolves when all is at rest. */
  decide(...decisions: readonly SiteDecision[]): Promise<void>
  /** What must change nothing, whenever it is done about a call that waits or waited. */
  readonly attacks: Readonly<Record<string, (toolCallId: string) => Promise<void>>>
  close(): Promise<void>
}

/** What is to hold of a site, and how that is tried. */
export interface Scenario<SITE extends Site = Site> {
  readonly keeps: ApprovalInvariant
  readonly name: string
  act(site: SITE): Promise<void>
}

/** A call of a test, to a file named after it. */
export function call(
  toolCallId: string,
  path = `/${toolCallId}`,
  toolName: SentCall['toolName'] = 'write',
): SentCall {
  return { toolCallId, toolName, input: { path } }
}

export const yes = (toolCallId: string) => ({ toolCallId, outcome: 'yes' }) as const
export const no = (toolCallId: string) => ({ toolCallId, outcome: 'no' }) as const
