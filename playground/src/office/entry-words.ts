import type { AuditEntryBody } from './office-bodies.ts'

/** An entry of the audit in words. */
export interface EntryWords {
  readonly name: string
  readonly details: string
  readonly badge: string
  readonly tone: 'ok' | 'bad' | 'unsure' | undefined
}

const OUTCOMES = new Map([
  ['yes', 'Approved'],
  ['yes_always', 'Always allowed'],
  ['no', 'Denied'],
])

export function entryWords(entry: AuditEntryBody): EntryWords {
  const words = wordsOf(entry)
  return entry.erasedAt === undefined ? words : { ...words, details: 'Erased' }
}

function wordsOf({ kind, payload }: AuditEntryBody): EntryWords {
  const text = (field: string) => {
    const value = payload[field]
    return typeof value === 'string' ? value : ''
  }
  const tool = text('toolName')
  switch (kind) {
    case 'call': {
      const phase = text('outcome') || text('phase')
      return {
        name: tool,
        details: text('error') || text('output') || argumentsOf(payload),
        badge: phase === 'queued' ? 'Requested' : endOf(phase, text('error'), text('output')),
        tone: toneOf(phase),
      }
    }
    case 'decision': {
      const outcome = text('outcome')
      const isRevoked = text('revokes') !== ''
      const by = text('who') && `by ${text('who')}`
      return {
        name: tool,
        details: [by, text('reason')].filter((part) => part !== '').join(': '),
        badge: isRevoked ? 'Permission revoked' : (OUTCOMES.get(outcome) ?? outcome),
        tone: outcome === 'no' || isRevoked ? 'bad' : 'ok',
      }
    }
    case 'policy':
      return {
        name: tool,
        details: 'a standing permission',
        badge: inWords(text('event')),
        tone: undefined,
      }
    case 'refusal':
      return { name: tool, details: text('message'), badge: 'Refused', tone: 'bad' }
    case 'erasure':
      return {
        name: 'Erasure',
        details: `Entries ${text('erased')}`,
        badge: 'Erased',
        tone: undefined,
      }
    case 'task':
      return {
        name: 'Task',
        details: text('message'),
        badge: inWords(text('phase')),
        tone: toneOf(text('phase')),
      }
  }
}

/** None where an entry goes on with what an earlier one has begun. */
function argumentsOf({ arguments: input }: AuditEntryBody['payload']): string {
  return input === undefined ? '' : JSON.stringify(input)
}

/** How a call or a task is coloured by how it ended. */
export function toneOf(outcome: string): EntryWords['tone'] {
  if (outcome === 'success' || outcome === 'done') return 'ok'
  if (outcome === 'interrupted' || outcome === 'cancelled' || outcome === 'running') return 'unsure'
  return ['error', 'failed', 'timeout', 'denied', 'dropped'].includes(outcome) ? 'bad' : undefined
}

/** What a call has come to, as the chat says it: an output that is no success has its own word. */
export function endOf(outcome: string, error = '', output = ''): string {
  return outcome === 'error' && output !== '' ? error : inWords(outcome)
}

/** As the chat says it. A call that is queued waits: for a person, or for its turn. */
const WORDS = new Map([
  ['queued', 'Waiting'],
  ['success', 'Done'],
  ['error', 'Failed'],
  ['timeout', 'Timed out'],
])

/** `tool_round` is "Tool round". */
export function inWords(name: string): string {
  const known = WORDS.get(name)
  if (known !== undefined) return known
  const words = name.replaceAll(/[_-]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
