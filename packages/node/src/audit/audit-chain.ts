import {
  bodyHash,
  hashOf,
  textIn,
  toPayload,
  type AuditHead,
  type StoredEntry,
} from './audit-entry.ts'
import { erasedSeqs } from './erased-seqs.ts'

/**
 * What is wrong with an audit:
 * - `changed` the entry does not have its hash
 * - `missing` there is no such entry, and there was one
 * - `unlinked` the entry does not follow the one before it: one was put in, taken away, or moved
 * - `head` it was the last one at some time, and was another one then, or the note of the last one is
 *   gone
 * - `tool_calls` the table says something else of the call of this entry than the entries do
 * - `malformed` (of lines) it is no line of an audit
 */
export type AuditFault = 'changed' | 'missing' | 'unlinked' | 'head' | 'tool_calls' | 'malformed'

/** What was found. */
export type AuditVerification =
  | {
      readonly valid: true
      /** How many were looked at. */
      readonly entries: number
      readonly head: AuditHead
    }
  | {
      readonly valid: false
      /** The number of the first entry that is not as it was. */
      readonly firstBad: number
      readonly why: AuditFault
      readonly message: string
    }

/** What is found wrong. */
export type InvalidAudit = Extract<AuditVerification, { valid: false }>

/** Says what is wrong. */
export function invalid(firstBad: number, why: AuditFault, message: string): InvalidAudit {
  return { valid: false, firstBad, why, message }
}

/** Entries that are looked at one after the other. */
export interface AuditChain {
  next(entry: StoredEntry): InvalidAudit | undefined
  /** @param last the entry that is said to be the last one */
  end(last: AuditHead | undefined): InvalidAudit | undefined
  /** What was erased without a note of it, so far. */
  unnoted(): InvalidAudit | undefined
  head(): AuditHead
}

/** @param start the entry before the first */
export function followChain(start: AuditHead, noted: AuditHead | undefined): AuditChain {
  let head = start
  /** What was erased, and no entry so far says so. */
  const erased = new Set<number>()

  function unnoted(): InvalidAudit | undefined {
    const [seq] = erased
    if (seq === undefined) return undefined
    return invalid(
      seq,
      'changed',
      `What entry ${seq} says was taken away, and no erasure is noted.`,
    )
  }

  return {
    head: () => head,
    unnoted,
    next(entry) {
      const due = head.seq + 1
      if (entry.seq > due) return invalid(due, 'missing', `Entry ${due} was taken away.`)
      if (entry.seq < due) return invalid(entry.seq, 'unlinked', `Entry ${entry.seq} was put in.`)
      if (entry.hash !== hashOf(entry)) {
        return invalid(entry.seq, 'changed', `Entry ${entry.seq} was changed.`)
      }
      if (entry.prevHash !== head.hash) {
        const text = `Entry ${entry.seq} does not follow entry ${head.seq} as it is now.`
        return invalid(entry.seq, 'unlinked', text)
      }
      if (!hasItsBody(entry)) {
        return invalid(entry.seq, 'changed', `What entry ${entry.seq} says was changed.`)
      }
      if (entry.erasedAt !== null) erased.add(entry.seq)
      if (entry.kind === 'erasure') {
        for (const seq of erasedSeqs(toPayload(entry.payload), entry.seq)) erased.delete(seq)
      }
      head = { seq: entry.seq, hash: entry.hash }
      return isOther(noted, head)
    },
    end(last) {
      if (!last) return invalid(head.seq, 'head', 'The note of the last entry is gone.')
      const far = Math.max(last.seq, noted?.seq ?? 0)
      if (far > head.seq) {
        return invalid(
          head.seq + 1,
          'missing',
          `Entries ${head.seq + 1} to ${far} were taken away.`,
        )
      }
      if (last.seq === head.seq && last.hash === head.hash) return unnoted()
      return invalid(
        last.seq + 1,
        'head',
        `Entry ${last.seq} is noted as the last one, and is not.`,
      )
    },
  }
}

/** Whether an entry has the body whose hash it has, or says that it was erased. */
function hasItsBody({ payload, body, erasedAt }: StoredEntry): boolean {
  if (body === null && erasedAt === null && !payload.includes('"body"')) return true
  const expected = textIn(toPayload(payload), 'body')
  if (body === null) return (expected !== undefined) === (erasedAt !== null)
  return erasedAt === null && expected === bodyHash(body)
}

function isOther(noted: AuditHead | undefined, { seq, hash }: AuditHead): InvalidAudit | undefined {
  if (noted?.seq !== seq || noted.hash === hash) return undefined
  return invalid(seq, 'head', `Entry ${seq} is another one than was noted elsewhere.`)
}
