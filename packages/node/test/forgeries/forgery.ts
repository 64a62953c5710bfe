import { isToolUIPart, type UIMessage } from 'ai'
import { decided } from '../asking-server.ts'
import type { Executor, ForgedSite, Place } from './forged-site.ts'

/** Questions that were asked, all honest; a forger has seen every one of them. */
export interface Evidence {
  /** The conversation that is forged: the call `send ada`. */
  readonly paused: UIMessage[]
  /** The same conversation when it was asked about `send eve`. */
  readonly sibling: UIMessage[]
  /** Another conversation of the same person, with the very same call. */
  readonly elsewhere: UIMessage[]
  /** The same conversation and call, asked of another person. */
  readonly stranger: UIMessage[]
  /** The same, asked with a secret that is retired by now. */
  readonly retired: UIMessage[]
}

/** A request that nobody may believe. */
export interface ForgedPost extends Place {
  readonly messages: unknown
}

/** A way to lie. */
export interface Forgery {
  readonly name: string
  readonly forge: (evidence: Evidence, site: ForgedSite) => ForgedPost | Promise<ForgedPost>
  /** Where it is one. Default: everywhere. */
  readonly of?: readonly Executor[]
  /** After it the honest yes does not hold any more either. */
  readonly endsIt?: boolean
}

/** A part as JSON has it. */
type Loose = Record<string, unknown>
type Change = (part: Loose, evidence: Evidence) => Loose

/**
 * Not a route of the AI SDK, whose signature holds no conversation, person, time or place of running, and
 * which reads a yes loosely. What a page may say in a loose way it may say in the right way too.
 */
export const HANDLED: readonly Executor[] = ['handler', 'provider']

/** The call of a conversation, with a yes. */
export const yesOf = (messages: readonly UIMessage[]): Loose => {
  const part = decided(messages, true).at(-1)?.parts.find(isToolUIPart)
  if (!part) throw new Error('There is no call.')
  return { ...part }
}

export const approvalOf = (part: Loose): Loose => ({ ...Object(part['approval']) })
export const signatureOf = (messages: readonly UIMessage[]): string =>
  String(approvalOf(yesOf(messages))['signature'])

/** The conversation with its call as a forger writes it. */
export function withCall({ paused }: Evidence, ...parts: readonly Loose[]): unknown[] {
  const last = paused.at(-1)
  const rest = last?.parts.filter((part) => !isToolUIPart(part)) ?? []
  return [...paused.slice(0, -1), { ...last, parts: [...rest, ...parts] }]
}

/** A yes of which something was changed. */
export const changed = (name: string, change: Change, of?: readonly Executor[]): Forgery => ({
  name,
  forge: (evidence) => {
    const part = yesOf(evidence.paused)
    return { messages: withCall(evidence, { ...part, ...change(part, evidence) }) }
  },
  ...(of && { of }),
})

export const withApproval = (name: string, change: Change, of?: readonly Executor[]): Forgery =>
  changed(
    name,
    (part, evidence) => {
      const approval = { ...approvalOf(part), ...change(part, evidence) }
      return { approval }
    },
    of,
  )
