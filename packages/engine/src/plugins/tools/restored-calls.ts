import type { ToolSet, UIMessage } from 'ai'
import { keyOf } from '../../message/tool-calls.ts'
import { reopenedCall } from '../../message/tool-part-states.ts'
import { assentMetadata, isElsewhere } from '../../message/tool-part.ts'
import type { SettleScope } from './tool-runtime.ts'
import { changeCall, isScheduled, openCalls } from './turn-calls.ts'

const ASKED_AGAIN = 'The app was restarted after this was decided, before it ran.'

/**
 * With `onRestore: 'ask'`, makes calls wait again that were decided before this engine began and
 * that have not started: a person may think otherwise by now.
 */
export function askAboutRestored<TOOLS extends ToolSet, MESSAGE extends UIMessage>({
  options,
  context,
  runtime,
}: SettleScope<TOOLS, MESSAGE>): void {
  if (options.onRestore !== 'ask') return
  for (const entry of openCalls(context)) {
    const { part } = entry
    const isDecided = ['person', 'policy'].includes(assentMetadata(part).decidedBy ?? '')
    if (!isDecided || isElsewhere(part) || !isScheduled(part)) continue
    if (!runtime.decided.has(keyOf(entry))) {
      changeCall(context, entry, () => reopenedCall(part, ASKED_AGAIN))
    }
  }
}
