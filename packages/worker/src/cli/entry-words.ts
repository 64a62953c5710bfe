import { type AuditEntry, type AuditPayload, decodeName } from '@assent/node'
import type { JSONValue } from 'ai'

/** An entry of the audit in words, for a line of a list. */
export interface EntryWords {
  readonly conversation: string
  readonly tool: string
  /** What happened. */
  readonly what: string
  /** More about it. */
  readonly details: string
}

/** What an entry says; what is missing, or not as it would be written, is left out. */
export function entryWords({ erasedAt, ...entry }: AuditEntry): EntryWords {
  const words = wordsOf(entry)
  return erasedAt === undefined ? words : { ...words, details: '(erased)' }
}

function wordsOf({ kind, payload }: Pick<AuditEntry, 'kind' | 'payload'>): EntryWords {
  const text = (field: string) => textOf(payload, field)
  const conversation = decodeName(text('conversationId'))
  const tool = decodeName(text('toolName'))
  switch (kind) {
    case 'call':
      return {
        conversation,
        tool,
        what: text('outcome') || text('phase'),
        details: text('error') || text('output') || inJson(payload['arguments']),
      }
    case 'decision':
      return {
        conversation,
        tool,
        what: text('revokes') === '' ? text('outcome') : 'revoked',
        details: [text('who') && `by ${text('who')}`, text('reason')].filter(Boolean).join(': '),
      }
    case 'policy':
      return { conversation, tool, what: text('event'), details: decodeName(text('policyId')) }
    case 'refusal':
      return { conversation, tool, what: text('code'), details: text('message') }
    case 'erasure': {
      const by = text('who') && ` by ${text('who')}`
      return { conversation, tool, what: 'erased', details: `entries ${text('erased')}${by}` }
    }
    case 'task':
      return { conversation, tool, what: text('phase'), details: text('message') }
  }
}

function textOf(payload: AuditPayload, field: string): string {
  const value = payload[field]
  return typeof value === 'string' ? value : ''
}

function inJson(value: JSONValue | undefined): string {
  return value === undefined ? '' : JSON.stringify(value)
}
