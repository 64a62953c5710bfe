import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { LedgerScope } from './approval-ledger.ts'
import { sentJson } from './sent-json.ts'

/** What an approval is given for. */
export interface SealedCall {
  readonly approvalId: string
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  /** The ids of all calls of its step where they run together: a page that leaves one out has no yes. */
  readonly step: readonly string[]
  /**
   * The ids of those of them that have a seal. Where others than who was asked may decide, no seal of a step holds
   * when another one of it was taken away: nobody says of a question that it was none.
   */
  readonly sealed: readonly string[]
}

/**
 * Who asked: `person` a person is to decide; `rule` the rules have said yes, and the call only waits
 * for the rest of its step.
 */
export type ApprovalOrigin = 'person' | 'rule'

/** What a seal says of the request that it belongs to. */
export interface ReadSeal {
  readonly origin: ApprovalOrigin
  /** Milliseconds since the epoch. */
  readonly issuedAt: number
  /** Who was asked: the user of the request that asked; `''` where there are none. */
  readonly requester: string
  /**
   * Whether it was made for the store that the ledger has. Another one, such as a database that was deleted
   * since, may have noted that the call has run.
   */
  readonly isOfStore: boolean
}

/**
 * Seals requests for approval, so that nothing runs for an approval that was not asked for: in this
 * conversation, of this user, for this very call and input, at that time, and with this store of the ledger.
 */
export interface ApprovalSeal {
  sign(call: SealedCall, origin: ApprovalOrigin, issuedAt: number): string
  /** What the seal says; `undefined` when it is not one of ours for this call. */
  read(call: SealedCall, signature: string | undefined): ReadSeal | undefined
}

/** When a seal was made, without a check; `undefined` when the text is no seal. */
export function sealedAt(signature: string | undefined): number | undefined {
  const at = SHAPE.exec(signature ?? '')?.groups?.['at']
  return at === undefined ? undefined : Number.parseInt(at, 36)
}

/**
 * A seal names the store of its ledger. One for others to decide (4) names who was asked, too, and the other sealed
 * calls of its step; without that (3) it holds for this user only. Of earlier versions: 3 with a requester, which names
 * no other sealed calls, and 1 and 2, which name no store.
 */
const SHAPE =
  /^assent(?:1|2\.(?<oldRequester>[\w-]*)|(?<form>3|4)\.(?<store>[\w-]{22})(?:~(?<requester>[\w-]*))?)\.(?<mark>p|r)\.(?<at>[0-9a-z]{1,11})\.(?<code>[\w-]{43})$/

/** What signs: the first signs, and what any of them has signed holds. */
export type SealSecrets = readonly [string | Uint8Array, ...(string | Uint8Array)[]]

/**
 * @param secrets of the server; the same for all of its processes
 * @param scope the conversation and its user; a seal holds in no other conversation
 * @param identity of the store that the ledger has
 * @param namesRequester whether seals are also read for other users, who see in them who was asked
 */
export function createApprovalSeal(
  secrets: SealSecrets,
  { owner, conversationId }: LedgerScope,
  identity: string,
  namesRequester = false,
): ApprovalSeal {
  const ownStore = digestOf(identity).slice(0, 22)
  const steps = new WeakMap<readonly string[], string>()
  /** Once for all calls of a step, which may be many. */
  const digestOfStep = (step: readonly string[]): string => {
    const known = steps.get(step)
    if (known !== undefined) return known
    const digest = digestOf(JSON.stringify([...new Set(step)].toSorted()))
    steps.set(step, digest)
    return digest
  }
  const textOf = (
    call: SealedCall,
    { store, isNamed, isBound, requester, mark, at }: SealFacts,
  ) => {
    const { approvalId, toolCallId, toolName, step, sealed, input } = call
    const scope = JSON.stringify([requester, conversationId])
    const facts = [approvalId, toolCallId, toolName, digestOfStep(step), digestOf(sentJson(input))]
    if (isBound) facts.push(digestOfStep(sealed))
    const named = isBound ? BOUND : NAMED
    const head =
      store === undefined ? [isNamed ? OLD_NAMED : OLD] : [isNamed ? named : UNNAMED, store]
    return JSON.stringify([...head, scope, mark, at, ...facts])
  }
  const mac = (secret: string | Uint8Array, text: string) =>
    createHmac('sha256', secret).update(text).digest()
  return {
    sign(call, origin, issuedAt) {
      const mark = origin === 'person' ? 'p' : 'r'
      const at = Math.floor(issuedAt).toString(36)
      const named = { isNamed: namesRequester, isBound: namesRequester, requester: owner }
      const facts = { store: ownStore, ...named, mark, at }
      const code = mac(secrets[0], textOf(call, facts)).toString('base64url')
      const who = namesRequester ? `~${Buffer.from(owner).toString('base64url')}` : ''
      return `assent${namesRequester ? 4 : 3}.${ownStore}${who}.${mark}.${at}.${code}`
    },
    read(call, signature) {
      const { groups = {} } = SHAPE.exec(signature ?? '') ?? {}
      const { store, mark, at, code, requester: encoded = groups['oldRequester'] } = groups
      if (mark === undefined || at === undefined || code === undefined) return undefined
      const given = Buffer.from(code, 'base64url')
      const isNamed = encoded !== undefined
      const isBound = groups['form'] === '4'
      if (isBound && !isNamed) return undefined
      const requester = isNamed ? Buffer.from(encoded, 'base64url').toString() : owner
      if (requester !== owner && !namesRequester) return undefined
      const text = textOf(call, { store, isNamed, isBound, requester, mark, at })
      const isOurs = secrets.some((secret) => {
        const own = mac(secret, text)
        return given.length === own.length && timingSafeEqual(given, own)
      })
      if (!isOurs) return undefined
      const origin = mark === 'p' ? 'person' : 'rule'
      const isOfStore = store === ownStore
      return { origin, issuedAt: Number.parseInt(at, 36), requester, isOfStore }
    },
  }
}

/** What a seal says beside the call. */
interface SealFacts {
  readonly store: string | undefined
  readonly isNamed: boolean
  readonly isBound: boolean
  readonly requester: string
  readonly mark: string
  readonly at: string
}

const [OLD, OLD_NAMED] = ['assent-approval-2', 'assent-approval-3']
const [UNNAMED, NAMED, BOUND] = ['assent-approval-4', 'assent-approval-5', 'assent-approval-6']

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
