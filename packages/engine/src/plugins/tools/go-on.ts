import type { ToolSet, UIMessage } from 'ai'
import { waitingReason } from '../../message/tool-calls.ts'
import { notifyChange, type CommandScope } from './tool-runtime.ts'
import { awaitingCalls, isAnyToDo, waitingCalls } from './turn-calls.ts'

/**
 * After a command has decided or settled a call: the turn goes on when nothing waits any more, or
 * when that opened the gate of something; else it says anew what it waits for.
 */
export function goOn<TOOLS extends ToolSet, MESSAGE extends UIMessage>({
  options,
  context,
  runtime,
}: CommandScope<TOOLS, MESSAGE>): void {
  notifyChange(runtime)
  if (context.turn?.isRepaired) context.markRepaired(false)
  const waiting = waitingCalls(context)
  const isAny = isAnyToDo(context)
  const isGateOpen = options.gate === 'call' || awaitingCalls(context).length === 0
  if (
    waiting.length === 0 ||
    (isAny && isGateOpen) ||
    context.getState().processingState === 'calling-tools'
  ) {
    context.advance(isAny ? 'calling-tools' : 'requesting')
  } else context.setPauseReason(waitingReason(waiting))
}
