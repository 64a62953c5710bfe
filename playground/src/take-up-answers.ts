import { isEngineError, requestName } from '@assent/engine'
import type { UseMessageReturn } from '@assent/vue'
import type { UIMessage } from 'ai'
import { watch } from 'vue'

/**
 * Takes up an answer that was cut off, by a reload or by the network, where the server still has it:
 * once for each request. Without it the error stays, and a person can try again.
 */
export function takeUpAnswers<MESSAGE extends UIMessage>({
  requestState,
  turn,
  error,
  reconnect,
}: Pick<UseMessageReturn<MESSAGE>, 'requestState' | 'turn' | 'error' | 'reconnect'>): void {
  let tried = ''
  watch(
    [requestState, turn],
    () => {
      const { lastStep } = turn.value ?? {}
      // What came to its end was no answer that was cut: its calls must not begin anew.
      const isCut = requestState.value === 'error' && lastStep && !lastStep.isEnded
      const request = turn.value && requestName(turn.value)
      if (!isCut || !request || request === tried || !isInterruption(error.value)) return
      tried = request
      void reconnect()
    },
    { immediate: true },
  )
}

function isInterruption(error: unknown): boolean {
  return (
    isEngineError(error) &&
    ['interrupted', 'stream_cut', 'http_network', 'decision_unanswered'].includes(error.code)
  )
}
