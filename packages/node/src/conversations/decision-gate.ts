import { EngineError } from '@assent/engine'
import type { DecidedBy, SharedConversations } from '@assent/engine/storage'
import { createAdmission, notChecked, type AdmissionOptions } from './admit-decisions.ts'
import { checkWritten, isOfNote, type PageWrite } from './check-written.ts'
import type { Conversation } from './decision-notes.ts'

/** Options of {@link createDecisionGate}. */
export interface DecisionGateOptions extends Omit<AdmissionOptions, 'storage'> {
  readonly conversations: SharedConversations
  /** `plugin.command` of the app that decide nothing. */
  readonly freeCommands: readonly string[]
}

/**
 * Sees to it that nobody decides who may not. A decision is asked about once, where it comes in; what was
 * allowed is noted where no page can write. A page that holds the conversation can store a decision only if
 * that is there, whatever server it is connected to, and whoever has decided.
 */
export interface DecisionGate {
  /** @throws EngineError `may_not_decide` */
  admit(user: string, conversation: Conversation | undefined, request: unknown): Promise<void>
  /**
   * Checks what a page is about to write, and notes whom it asks.
   *
   * @returns who made the decisions in it, by their ids; `undefined` at once where it asks and decides nothing
   * @throws EngineError `may_not_decide` for a decision that was not allowed
   */
  check(user: string, write: PageWrite): Promise<ReadonlyMap<string, DecidedBy>> | undefined
}

export function createDecisionGate({
  conversations: { storage },
  freeCommands,
  ...options
}: DecisionGateOptions): DecisionGate {
  if (freeCommands.some((command) => command.startsWith('tool.'))) {
    const text =
      'freeCommands are of plugins of your own: those of the tool plugin decide, or are free anyway.'
    throw new EngineError('invalid_argument', text)
  }
  const { admit, admitPolicies } = createAdmission({ storage, ...options })
  return {
    async admit(user, conversation, request) {
      const { method, plugin, command } = Object(request)
      if (method === 'runPluginCommand' && freeCommands.includes(`${plugin}.${command}`)) return
      if (!conversation) throw notChecked()
      await admit(user, conversation, request)
    },
    check(user, write) {
      return isOfNote(write) ? checkWritten({ storage, admitPolicies }, user, write) : undefined
    },
  }
}
