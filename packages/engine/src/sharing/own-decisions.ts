import type { UIMessage } from 'ai'
import type { CommandResult } from '../commands.ts'
import { isDecision } from '../confirmation.ts'
import { isToolCallRef, keyOf, refOf } from '../message/tool-calls.ts'
import { isRecord, type ToolCallRef } from '../message/tool-part.ts'
import type { EngineState } from '../state.ts'

/** Which decisions on tool calls were made in this tab. */
export interface OwnDecisions {
  /** Takes note of what a command of this tab has decided. */
  note(plugin: string, result: CommandResult): void
  /** See `SharedEngine.isDecidedElsewhere`. */
  isDecidedElsewhere(call: ToolCallRef): boolean
}

/** @param isOld whether a decision was there already when this tab began to look */
export function createOwnDecisions<MESSAGE extends UIMessage>(
  getState: () => EngineState<MESSAGE>,
  isOld: (confirmationId: string) => boolean,
): OwnDecisions {
  const own = new Set<string>()
  return {
    note(plugin, result) {
      if (plugin !== 'tool' || !result.success || !isRecord(result.result)) return
      const { toolCalls = [result.result] } = result.result
      if (!Array.isArray(toolCalls)) return
      for (const call of toolCalls) if (isToolCallRef(call)) own.add(keyOf(refOf(call)))
    },
    isDecidedElsewhere(call) {
      const key = keyOf(call)
      const made = getState().confirmations.findLast(
        (record) => isDecision(record) && keyOf(record) === key,
      )
      return made !== undefined && !isOld(made.id) && !own.has(key)
    },
  }
}
