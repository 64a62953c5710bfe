import { misnamedTools, type EngineError, type NamedTools } from '@assent/engine'
import { ChatHandlerError } from './handler-errors.ts'

/** Given `tools` of all requests, throws a ChatHandlerError for rules that name no tool. */
export function assertNamed(names: NamedTools): void {
  const cause = misnamedTools(names)
  if (cause) throw new ChatHandlerError('unknown_tool', cause.message, { cause })
}

/**
 * What is wrong with rules that name no tool of one request. Outside of production that is thrown: in
 * production nobody would be answered any more for a typo, so that what no rule names asks.
 */
export function findMisnamed(names: NamedTools): EngineError | undefined {
  if (process.env['NODE_ENV'] !== 'production') assertNamed(names)
  return misnamedTools(names)
}
