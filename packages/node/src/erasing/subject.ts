import { DatabaseError } from '@assent/engine/storage'

/**
 * What is erased: a conversation, of this owner or whoever has one of this id; or everything of a user, and what that
 * user decided elsewhere. Of Telegram a user is `telegram:` and a number.
 */
export type ErasureSubject =
  | {
      readonly conversationId: string
      /** Ids are an owner's: name the owner where users choose the ids. */
      readonly owner?: string | undefined
      readonly user?: undefined
    }
  | {
      readonly user: string
      readonly conversationId?: undefined
      readonly owner?: undefined
    }

/** Who wants it: a name or an address. It is noted, and erased with the rest when that is the user. */
export interface ErasureContext {
  readonly who?: string | undefined
}

/** How much was erased; all of it is 0 when nothing was left. */
export interface Erased {
  /** Records of conversations. */
  readonly records: number
  /** Calls of which a server knew what became of them, and streams of answers. */
  readonly calls: number
  /** Tasks of workers, with their answers and replies. */
  readonly tasks: number
  /** Messages and questions of channels. */
  readonly messages: number
  /** Entries of the audit. */
  readonly entries: number
}

/** Throws `invalid_argument` for a subject that names nothing: it must not mean everything. */
export function assertSubject({ conversationId, user, owner }: ErasureSubject): void {
  const [name] = [conversationId ?? user]
  const isOne = conversationId === undefined || user === undefined
  const isNamed = typeof name === 'string' && name !== ''
  if (isOne && isNamed && (owner === undefined || (typeof owner === 'string' && owner !== ''))) {
    return
  }
  throw new DatabaseError('invalid_argument', 'Name a conversation or a user to erase.')
}

/** A text that all JSON lists of names which are meant begin with, or have in them. */
export interface MeantNames {
  readonly text: string
  readonly isAtStart: boolean
}

/**
 * What is meant of lists `[owner, conversationId, …]`, as `JSON.stringify` writes them. Within a name a quote
 * is never bare, so that the text can be nowhere else.
 *
 * @param isLast nothing follows the conversation
 */
export function meantNames(
  { conversationId, owner, user }: ErasureSubject,
  isLast: boolean,
): MeantNames {
  if (conversationId === undefined) return { text: `[${JSON.stringify(user)},`, isAtStart: true }
  const id = JSON.stringify(conversationId) + (isLast ? ']' : ',')
  if (owner === undefined) return { text: `,${id}`, isAtStart: false }
  return { text: `[${JSON.stringify(owner)},${id}`, isAtStart: true }
}
