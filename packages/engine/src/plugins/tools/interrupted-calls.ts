import type { ToolSet, UIMessage } from 'ai'
import { describeThrown, EngineError } from '../../errors.ts'
import { keyOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import {
  changeMetadata,
  failedCall,
  succeededCall,
  unstartedCall,
} from '../../message/tool-part-states.ts'
import { isElsewhere, toolCallStatus, toolNameOf } from '../../message/tool-part.ts'
import { optionsOf, type Verification } from './options.ts'
import { runningCalls } from './running-calls.ts'
import { notifyChange, type SettleScope } from './tool-runtime.ts'
import { changeCall, openCalls, settleCall } from './turn-calls.ts'

/** Stands where nobody knows whether a tool took effect. */
const UNKNOWN =
  'Interrupted: the app ended while this ran. Whether it took effect is not known: look before you assume either.'

/**
 * Settles the calls that had started when the app ended: nothing of this engine runs them. What is
 * written is an error that says what is not known, unless the tool may run again, or can tell.
 */
export function settleInterrupted<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
): void {
  const { context, runtime } = scope
  const running = runningCalls(context.engineKey)
  for (const entry of openCalls(context)) {
    const key = keyOf(entry)
    if (isElsewhere(entry.part) || toolCallStatus(entry.part) !== 'executing') continue
    if (!running.has(key) && !runtime.busy.has(key)) void settle(scope, entry)
  }
}

async function settle<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  { options, context, runtime }: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
): Promise<void> {
  const key = keyOf(entry)
  const own = optionsOf(options, toolNameOf(entry.part))
  const { onInterrupted = options.onInterrupted ?? 'error', idempotent, verify } = own
  runtime.busy.add(key)
  try {
    const isVerified = onInterrupted === 'verify' && verify
    // The input is what the tool's schema describes, or its check throws.
    const known = isVerified ? await verify(entry.part.input as never) : undefined
    if (known && 'output' in known) {
      settleCall(context, entry, (part) => succeededCall(part, known.output, false))
    } else if (hasNotHappened(known) || (onInterrupted === 'retry' && idempotent)) {
      changeCall(context, entry, unstartedCall)
    } else repair()
  } catch (cause) {
    const message = `Whether an interrupted call took effect could not be told: ${describeThrown(cause)}`
    context.reportError(new EngineError('tool_failed', message, { cause }))
    repair()
  } finally {
    runtime.busy.delete(key)
    notifyChange(runtime)
  }

  /** Not marked as unsent: it is for a person to say that the model is asked again. */
  function repair(): void {
    changeCall(context, entry, (part) =>
      changeMetadata(failedCall(part, UNKNOWN), {
        ended: 'interrupted',
        mayHaveRun: true,
        endedAt: context.now(),
      }),
    )
    context.markRepaired()
  }
}

function hasNotHappened(known: Verification | undefined): boolean {
  return known !== undefined && 'happened' in known
}
