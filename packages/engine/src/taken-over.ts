import { EngineError } from './errors.ts'

/** Somebody else goes on with the conversation. */
export function takenOver(): EngineError {
  const text =
    'Another page or process has gone on with this conversation, or deleted it: what is stored is shown. Look at it, and go on there or here.'
  return new EngineError('taken_over', text)
}
