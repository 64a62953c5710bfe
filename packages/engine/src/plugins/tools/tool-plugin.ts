import type { ToolSet, UIMessage } from 'ai'
import { misnamedTools } from '../../approval/misnamed-tools.ts'
import type { PluginCommandMap } from '../../commands.ts'
import { isDevelopment } from '../../development.ts'
import { EngineError } from '../../errors.ts'
import { waitingReason } from '../../message/tool-calls.ts'
import type { CommandContext, InternalHooks, NamedPlugin, PluginCommand } from '../../plugin.ts'
import { isAnyCovered, noteEndedPolicies } from './apply-policies.ts'
import { delivery } from './deliver-decisions.ts'
import {
  announceTools,
  loadToolSchemas,
  readInputSchema,
  type AnnouncedTool,
} from './input-schema.ts'
import { readToolOutput } from './kept-outputs.ts'
import { type CommandScope, runtimeOf } from './open-call.ts'
import { type ToolPluginOptions, asksOnRestore, assertRisks, isRunHere } from './options.ts'
import { redactChunk } from './call-result.ts'
import { reopenRefusedCalls } from './refused-decisions.ts'
import { isStoppedByRepeats, repeatLimitsOf } from './repeats.ts'
import { denyAll, resumeToolCall, resumeToolCalls } from './resume-tool-call.ts'
import { resumePolicies, revokePolicy, suspendPolicies } from './policy-commands.ts'
import { cancelToolCall, submitToolOutput } from './settle-by-hand.ts'
import { noteSeen } from './seen-calls.ts'
import { advanceCalls } from './settle-calls.ts'
import { isAnyToDo, isScheduled, openCalls, turnCalls, waitingCalls } from './turn-calls.ts'
import { warnOfUnannounced } from './warn-of-unannounced.ts'

type ToolCommand = keyof PluginCommandMap['tool']

/**
 * What is taken back must not go on for as long as an answer takes; reading changes nothing, nor does
 * a second click on a decision whose first has sent the turn on its way.
 */
const WHILE_ANSWERING: readonly ToolCommand[] = [
  'resumeToolCall',
  'resumeToolCalls',
  'revokePolicy',
  'resumePolicies',
  'readToolOutput',
  'readInputSchema',
]

/** The plugin that {@link toolPlugin} makes. */
export interface ToolPlugin<MESSAGE extends UIMessage = UIMessage> extends NamedPlugin<MESSAGE> {
  name: 'tool'
  commands: Readonly<Record<ToolCommand, PluginCommand<MESSAGE>>>
}

/**
 * Decides, asks about and runs the tool calls of a conversation. Calls that need a person's yes
 * pause the turn until `resumeToolCall` has decided them; calls that a server guards are decided by
 * the same command. Throws `invalid_argument` for options that cannot work, `unknown_tool` for rules
 * and options that name no tool.
 */
export function toolPlugin<
  TOOLS extends ToolSet = ToolSet,
  MESSAGE extends UIMessage = UIMessage,
  KNOWN extends string = never,
>(options?: ToolPluginOptions<TOOLS, MESSAGE, KNOWN>): ToolPlugin<MESSAGE>
export function toolPlugin<TOOLS extends ToolSet, MESSAGE extends UIMessage>(
  options: ToolPluginOptions<TOOLS, MESSAGE> = {},
): ToolPlugin<MESSAGE> {
  const { concurrency = Infinity } = options
  if (!(concurrency >= 1)) {
    throw new EngineError(
      'invalid_argument',
      isDevelopment && 'concurrency is a number of at least 1.',
    )
  }
  for (const toolName of ['', ...Object.keys(options.toolOptions ?? {})]) {
    repeatLimitsOf(options, toolName)
  }
  assertRisks(options)
  const misnamed = misnamedTools(options)
  // With `callTool` there may be tools that nobody declared: a page that people use is not to break.
  if (misnamed && (isDevelopment || !options.callTool)) throw misnamed
  // The tools of a plugin never change, so what is announced is made once for all engines.
  let announced: Promise<AnnouncedTool[]> | undefined

  const scopeOf = (context: CommandContext<MESSAGE>): CommandScope<TOOLS, MESSAGE> => {
    const runtime = runtimeOf(context)
    noteSeen(context, runtime)
    return { options, context, runtime }
  }
  const command =
    (run: (payload: unknown, scope: CommandScope<TOOLS, MESSAGE>) => unknown) =>
    (payload: unknown, context: CommandContext<MESSAGE>) =>
      run(payload, scopeOf(context))

  const plugin: ToolPlugin<MESSAGE> & InternalHooks<MESSAGE> = {
    name: 'tool',
    commands: {
      resumeToolCall: command(resumeToolCall),
      resumeToolCalls: command(resumeToolCalls),
      submitToolOutput: command(submitToolOutput),
      cancelToolCall: command(cancelToolCall),
      revokePolicy: command(revokePolicy),
      resumePolicies: command(resumePolicies),
      readToolOutput: command(readToolOutput),
      readInputSchema: command(readInputSchema),
    },
    commandsWhileAnswering: WHILE_ANSWERING,
    // All but `cancelToolCall`: what it stopped may be another run of the call.
    repeatableCommands: [...WHILE_ANSWERING, 'submitToolOutput'],
    async onBeforeRequest({ request }) {
      if (!options.announceTools) return
      announced ??= announceTools(options).catch((error: unknown) => {
        announced = undefined
        throw error
      })
      request.body['tools'] = await announced
    },
    ...(options.redact && {
      onChunk: (chunk, context) => redactChunk(chunk, context, options),
    }),
    async onSettle(context) {
      const { abortSignal } = context
      const scope = { options, context, runtime: runtimeOf(context) }
      if (turnCalls(context).length === 0) return undefined
      if (isAnyToDo(context)) context.callingTools()
      // A policy ends with the schema that it was given for.
      if (context.getState().confirmations.some((record) => 'scope' in record)) {
        await loadToolSchemas(options)
      }
      for (;;) {
        // Before looking, so that no change is missed while looking.
        const changed = context.changed()
        if (!advanceCalls(scope)) break
        await changed
        if (abortSignal.aborted) return undefined
      }
      const waiting = waitingCalls(context)
      if (waiting.length > 0) {
        context.setPauseReason(waitingReason(waiting))
        return 'pause'
      }
      const { unsent = [], isRepaired = false } = context.turn ?? {}
      if (isRepaired) {
        context.markRepaired(false)
        const text =
          'A call was interrupted, and whether it took effect is not known: retry, or go on.'
        context.fail(new EngineError('interrupted', text, { retryable: true }))
      }
      if (isStoppedByRepeats(options, context)) return undefined
      return unsent.length > 0 ? 'next' : undefined
    },
    onTurnEnd(context) {
      if (isDevelopment) warnOfUnannounced(options, context.getState().messages)
      if (isStoppedByRepeats(options, context)) context.setNotice('repeated-calls')
    },
    // A regenerate takes the call away that shows why its policy is void.
    onTurnOver: (context) => noteEndedPolicies({ options, context }),
    onStopAll: (context) => suspendPolicies({ options, context }),
    isPauseOver(context, isRestored) {
      noteSeen(context, runtimeOf(context))
      // It was decided in the very moment of the pause, and nobody has looked at it since.
      const isRunnable = isRestored && options.gate === 'call'
      if (isRunnable && openCalls(context).some(({ part }) => isScheduled(part))) return true
      return !(isRestored && asksOnRestore(options)) && isAnyCovered({ options, context })
    },
    // What waits again by now must not be carried.
    delivery,
    onRefused: (context, failure) =>
      reopenRefusedCalls({ options, context, runtime: runtimeOf(context) }, failure),
    mayRequest: (context) => waitingCalls(context).length === 0,
    runsHere: (toolName) => isRunHere(options, toolName),
    onMessageWhileWaiting: (text, context) => denyAll(text, scopeOf(context)),
  }
  return plugin
}
