import { EngineError } from '@assent/engine'
import type { AskedByPage } from '@assent/engine/remote'
import { conversationOf, isOfNotes } from '@assent/engine/storage'
import { readName } from './conversation-names.ts'

/**
 * Why something is not done that a page asks: what is noted about decisions is the server's alone. Where it is checked
 * who decides, records of decisions are only taken away with a conversation, or with all of an owner.
 */
export function notForPages(asked: AskedByPage, isChecked: boolean): EngineError | undefined {
  if ('namespace' in asked && isOfNotes(asked.namespace)) return refusal()
  if (asked.ask === 'removeAll') {
    const { prefix } = asked
    return isOfNotes(prefix) || (isChecked && !isAllOfSomebody(prefix)) ? refusal() : undefined
  }
  if (asked.ask !== 'remove' || !isChecked) return undefined
  return conversationOf(asked.namespace) ? undefined : refusal()
}

/** Whether a prefix is that of everything, or of all of one owner. */
function isAllOfSomebody(prefix: string): boolean {
  const { conversationOwner, conversationId } = readName(`${prefix}x`)
  return prefix === '' || (conversationOwner !== undefined && conversationId === 'x')
}

function refusal(): EngineError {
  return new EngineError('invalid_argument', 'These records are of the server alone.')
}
