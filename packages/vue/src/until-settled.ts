import type { EngineState, RequestState } from '@assent/engine'
import type { UIMessage } from 'ai'
import type { EngineBinding } from './engine-binding.ts'

/** Resolves as soon as nothing goes on by itself in a conversation, or nothing is bound to it any more. */
export async function untilSettled<MESSAGE extends UIMessage>({
  engine,
  stopped,
}: EngineBinding<MESSAGE>): Promise<RequestState> {
  await engine.ready
  await new Promise<void>((resolve) => {
    const unsubscribe = engine.subscribe(look)
    stopped.addEventListener('abort', settle)
    look()

    function look(): void {
      if (stopped.aborted || isSettled(engine.getState())) settle()
    }
    function settle(): void {
      unsubscribe()
      stopped.removeEventListener('abort', settle)
      resolve()
    }
  })
  return engine.getState().requestState
}

function isSettled({ requestState, queue }: EngineState): boolean {
  if (requestState === 'processing') return false
  return requestState === 'paused' || queue.every(({ held }) => held)
}
