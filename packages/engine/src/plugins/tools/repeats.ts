import type { ToolSet, UIMessage } from 'ai'
import { isDevelopment } from '../../development.ts'
import { EngineError } from '../../errors.ts'
import { isEqualJson } from '../../message/json-equality.ts'
import { keyOf, type ToolCallEntry } from '../../message/tool-calls.ts'
import { changeMetadata, failedCall } from '../../message/tool-part-states.ts'
import {
  assentMetadata,
  isElsewhere,
  isSettled,
  isWaiting,
  toolNameOf,
  type ToolCallPart,
} from '../../message/tool-part.ts'
import type { PluginContext } from '../../plugin.ts'
import type { SettleScope } from './open-call.ts'
import { optionsOf, type RepeatLimits, type ToolPluginOptions } from './options.ts'
import { changeCall, isUndecided, openCalls, settleCall, turnCalls } from './turn-calls.ts'

type Options<TOOLS extends ToolSet, MESSAGE extends UIMessage> = Pick<
  ToolPluginOptions<TOOLS, MESSAGE>,
  'repeatLimits' | 'toolOptions'
>

const NO_LIMITS: Required<RepeatLimits> = { warn: Infinity, ask: Infinity, stop: Infinity }

/** How often a tool may be called with the same input. Throws `invalid_argument` for no such limits. */
export function repeatLimitsOf<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  options: Options<TOOLS, MESSAGE>,
  toolName: string,
): Required<RepeatLimits> {
  const { repeatLimits: given = options.repeatLimits ?? {} } = optionsOf(options, toolName)
  if (given === false) return NO_LIMITS
  const { warn = 3, ask = 5, stop = 8 } = given
  if ([warn, ask, stop].every((limit) => typeof limit === 'number' && limit >= 1))
    return { warn, ask, stop }
  const text =
    isDevelopment &&
    'repeatLimits is false, or { warn, ask, stop }: numbers of at least 1, or Infinity.'
  throw new EngineError('invalid_argument', text)
}

/**
 * Notes on every open call that was made before in this turn the so-manieth it is, once that is enough
 * to warn the model. One that is too many does not run: it has an error as its result.
 */
export function noteRepeats<TOOLS extends ToolSet, MESSAGE extends UIMessage>({
  options,
  context,
}: SettleScope<TOOLS, MESSAGE>): void {
  for (const entry of openCalls(context)) {
    const { part } = entry
    if (assentMetadata(part).repeats !== undefined) continue
    if (!isUndecided(part) && !isWaiting(part)) continue
    const { warn, ask, stop } = repeatLimitsOf(options, toolNameOf(part))
    const repeats = repeatsOf(context, entry)
    if (isUndecided(part) && repeats >= stop) {
      const errorText = `Not executed: this exact call was made ${repeats} times in this turn, which ends here.`
      settleCall(context, entry, (now) => changeMetadata(failedCall(now, errorText), { repeats }))
    } else if (repeats >= Math.min(warn, ask)) {
      changeCall(context, entry, (now) => changeMetadata(now, { repeats }))
    }
  }
}

/** The so-manieth call of its turn with this tool and input, as the model gave it. */
function repeatsOf<MESSAGE extends UIMessage>(
  context: PluginContext<MESSAGE>,
  entry: ToolCallEntry,
): number {
  const calls = turnCalls(context)
  const key = keyOf(entry)
  const upTo = calls.slice(0, calls.findIndex((call) => keyOf(call) === key) + 1)
  const toolName = toolNameOf(entry.part)
  const input = givenInput(entry.part)
  const isSame = ({ part }: ToolCallEntry) =>
    toolNameOf(part) === toolName && isEqualJson(givenInput(part), input)
  return upTo.filter(isSame).length
}

function givenInput(part: ToolCallPart): unknown {
  return assentMetadata(part).originalInput ?? part.input
}

/** Why a person has to decide about a call, whatever rules and policies say: it came too often. */
export function whyTooOften<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  options: Options<TOOLS, MESSAGE>,
  part: ToolCallPart,
): string | undefined {
  const { repeats = 0 } = assentMetadata(part)
  const { ask } = repeatLimitsOf(options, toolNameOf(part))
  return repeats >= ask ? `This exact call was made ${repeats} times in this reply.` : undefined
}

/** Whether a call of the turn came too often to go on. */
export function isStoppedByRepeats<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  options: Options<TOOLS, MESSAGE>,
  context: PluginContext<MESSAGE>,
): boolean {
  return turnCalls(context).some(({ part }) => {
    const { repeats = 0 } = assentMetadata(part)
    if (isElsewhere(part) || !isSettled(part)) return false
    return repeats >= repeatLimitsOf(options, toolNameOf(part)).stop
  })
}
