import { EngineError } from './errors.ts'

/** Somebody else goes on with the conversation. */
export function takenOver(): EngineError {
  const text =
    'Another page or process goes on with this conversation: what it has stored is shown. Go on there, or send your message again here.'
  return new EngineError('taken_over', text)
}
