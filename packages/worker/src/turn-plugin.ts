import {
  isSettled,
  isToolCallPart,
  isWaiting,
  type MessageEngine,
  type NamedPlugin,
  type PluginContext,
} from '@assent/engine'
import { isMessageOf } from './own-message.ts'
import { WorkerError } from './worker-error.ts'

const NAME = 'assent-worker'

/** What {@link turnPlugin} tells of. */
export interface TurnPluginOptions {
  readonly taskId: string
  /** The model is about to be asked. */
  readonly onModelRound: () => void
  /** Calls are about to be decided or run. Awaited. */
  readonly onToolRound: () => Promise<void>
}

/**
 * Tells what the turn of a task does, and keeps turns of others from going on: one that a task has left
 * which is over by now must not act any more.
 */
export function turnPlugin({ taskId, onModelRound, onToolRound }: TurnPluginOptions): NamedPlugin {
  let isInTools = false
  return {
    name: NAME,
    commands: { askAgain: (_payload, context) => context.requestNext() },
    onTurnResume({ turn }) {
      if (isMessageOf(taskId, turn?.userMessageId)) return
      const text = 'The turn was left open by a task that is over, so it ended here.'
      throw new WorkerError('turn_of_another', text)
    },
    onBeforeRequest() {
      isInTools = false
      onModelRound()
    },
    async onSettle(context) {
      if (isInTools || !isAnyToRun(context)) return
      isInTools = true
      await onToolRound()
    },
  }
}

/** Whether a call of the last message has no result, and nobody has to be waited for. */
function isAnyToRun({ getState }: PluginContext): boolean {
  const parts = getState().messages.at(-1)?.parts ?? []
  return parts.some((part) => isToolCallPart(part) && !isSettled(part) && !isWaiting(part))
}

/** Has the model asked with the conversation as it is, by the plugin above. Throws why it was not. */
export async function askAgain(engine: MessageEngine): Promise<void> {
  const result = await engine.runPluginCommand(NAME, 'askAgain')
  if (!result.success) throw result.error
}
