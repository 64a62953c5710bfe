import type { ToolSet, UIMessage } from 'ai'
import { EngineError } from '../../errors.ts'
import { waitingReason } from '../../message/tool-calls.ts'
import type { PluginCommandMap } from '../../commands.ts'
import type { CommandContext, NamedPlugin, PluginCommand } from '../../plugin.ts'
import { announceTools, type AnnouncedTool } from './announce.ts'
import { isAnyCovered, noteVoidPolicies } from './apply-policies.ts'
import { cancelToolCall } from './cancel-tool-call.ts'
import { describeCalls } from './describe-calls.ts'
import { isRunHere, type ToolPluginOptions } from './options.ts'
import { previewCalls } from './preview-calls.ts'
import { readInputSchema } from './read-input-schema.ts'
import { readToolOutput } from './read-tool-output.ts'
import { redactChunk } from './redact-chunk.ts'
import { denyAll, resumeToolCall, resumeToolCalls } from './resume-tool-call.ts'
import { revokePolicy } from './revoke-policy.ts'
import { advanceCalls } from './settle-calls.ts'
import { submitToolOutput } from './submit-tool-output.ts'
import { runtimeOf, type CommandScope } from './tool-runtime.ts'
import { loadToolSchemas } from './tool-schemas.ts'
import { isAnyToDo, isScheduled, openCalls, turnCalls, waitingCalls } from './turn-calls.ts'

type ToolCommand = keyof PluginCommandMap['tool']

/**
 * What is taken back must not go on for as long as an answer takes; reading changes nothing, nor does
 * a second click on a decision whose first has sent the turn on its way.
 */
const WHILE_ANSWERING: readonly ToolCommand[] = [
  'resumeToolCall',
  'resumeToolCalls',
  'revokePolicy',
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
 * the same command. Throws `invalid_argument` for options that cannot work.
 */
export function toolPlugin<TOOLS extends ToolSet = ToolSet, MESSAGE extends UIMessage = UIMessage>(
  options: ToolPluginOptions<TOOLS, MESSAGE> = {},
): ToolPlugin<MESSAGE> {
  const { concurrency = Infinity } = options
  if (!(concurrency >= 1)) {
    throw new EngineError('invalid_argument', 'concurrency is a number of at least 1.')
  }
  // The tools of a plugin never change, so what is announced is made once for all engines.
  let announced: Promise<AnnouncedTool[]> | undefined

  const scopeOf = (context: CommandContext<MESSAGE>): CommandScope<TOOLS, MESSAGE> => ({
    options,
    context,
    runtime: runtimeOf(context.engineKey, context.abortSignal),
  })
  const command =
    (run: (payload: unknown, scope: CommandScope<TOOLS, MESSAGE>) => unknown) =>
    (payload: unknown, context: CommandContext<MESSAGE>) =>
      run(payload, scopeOf(context))

  return {
    name: 'tool',
    commands: {
      resumeToolCall: command(resumeToolCall),
      resumeToolCalls: command(resumeToolCalls),
      submitToolOutput: command(submitToolOutput),
      cancelToolCall: command(cancelToolCall),
      revokePolicy: command(revokePolicy),
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
      const { abortSignal, engineKey } = context
      const runtime = runtimeOf(engineKey, abortSignal)
      const scope = { options, context, runtime }
      if (turnCalls(context).length === 0) return undefined
      describeCalls(scope)
      if (isAnyToDo(context)) context.callingTools()
      // A policy ends with the schema that it was given for.
      if (context.getState().confirmations.some((record) => 'scope' in record)) {
        await loadToolSchemas(options)
      }
      const previews = previewCalls(scope)
      if (previews) await previews
      for (;;) {
        // Both before looking, so that no change is missed while looking.
        const changes = [context.changed(), runtime.change.promise]
        if (!advanceCalls(scope)) break
        await Promise.race(changes)
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
      return unsent.length > 0 ? 'next' : undefined
    },
    // A regenerate takes the call away that shows why its policy is void.
    onTurnOver: (context) => noteVoidPolicies({ options, context }),
    isPauseOver(context, isRestored) {
      // It was decided in the very moment of the pause, and nobody has looked at it since.
      const isRunnable = isRestored && options.gate === 'call'
      if (isRunnable && openCalls(context).some(({ part }) => isScheduled(part))) return true
      return !(isRestored && options.onRestore === 'ask') && isAnyCovered({ options, context })
    },
    // What waits again by now must not be carried.
    mayRequest: (context) => waitingCalls(context).length === 0,
    runsHere: (toolName) => isRunHere(options, toolName),
    onMessageWhileWaiting: (text, context) => denyAll(text, scopeOf(context)),
  }
}
