import type { ToolSet, UIMessage } from 'ai'
import { describeThrown, EngineError } from '../../errors.ts'
import type { ToolCallEntry } from '../../message/tool-calls.ts'
import {
  changeMetadata,
  failedCall,
  succeededCall,
  unstartedCall,
} from '../../message/tool-part-states.ts'
import { toolNameOf } from '../../message/tool-part.ts'
import { optionsOf, type Verification } from './options.ts'
import { beginTask, isUnderWay, type OpenCall, type SettleScope } from './open-call.ts'
import { copyOfInput } from './read-call.ts'
import { changeCall, settleCall } from './turn-calls.ts'

/** Stands where nobody knows whether a tool took effect. */
const UNKNOWN =
  'Interrupted: the app ended while this ran. Whether it took effect is not known: look before you assume either.'

/**
 * Settles a call that had started when the app ended: nothing of this engine runs it. What is written
 * is an error that says what is not known, unless the tool may run again, or can tell.
 */
export function settleInterrupted<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  scope: SettleScope<TOOLS, MESSAGE>,
  entry: ToolCallEntry,
  call: OpenCall,
): void {
  const { options, context } = scope
  const own = optionsOf(options, toolNameOf(entry.part))
  const { onInterrupted = options.onInterrupted ?? 'error', idempotent, verify } = own
  const task = { kind: 'verifying' } as const
  const settle = async () => {
    const isVerified = onInterrupted === 'verify' && verify
    const input = copyOfInput(entry.part.input)
    // The input is what the tool's schema describes, or its check throws.
    const known = isVerified ? await verify(input as never) : undefined
    if (!isUnderWay(context, call, task)) return
    if (known && 'output' in known) {
      settleCall(context, entry, (part) => succeededCall(part, known.output, false))
    } else if (hasNotHappened(known) || (onInterrupted === 'retry' && idempotent)) {
      changeCall(context, entry, unstartedCall)
    } else repair()
  }
  beginTask(scope, call, task, settle, (cause) => {
    const message = `Whether an interrupted call took effect could not be told: ${describeThrown(cause)}`
    context.reportError(new EngineError('tool_failed', message, { cause }))
    repair()
  })

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
  return known !== undefined && 'happened' in known && known.happened === false
}
