import { EngineError } from '../errors.ts'
import { isRecord } from '../message/tool-part.ts'

/** Rules and options by tool name, and the tools that there are. */
export interface NamedTools {
  /** Keys are names of tools, unless it is a function. */
  readonly toolApproval?: unknown
  /** Keys are names of tools. */
  readonly toolOptions?: object | undefined
  readonly tools?: object | undefined
  /** Names of tools that live elsewhere. */
  readonly knownTools?: readonly string[] | undefined
}

/**
 * What is wrong with rules and options that name no tool: `unknown_tool`, or nothing. A typo there
 * takes a guard away.
 */
export function misnamedTools({
  toolApproval,
  toolOptions,
  tools = {},
  knownTools = [],
}: NamedTools): EngineError | undefined {
  const known = [...Object.keys(tools), ...knownTools]
  const misnamed = Object.entries({ toolApproval, toolOptions }).flatMap(([option, byName]) =>
    isRecord(byName)
      ? Object.keys(byName).flatMap((name) => (known.includes(name) ? [] : `${option}.${name}`))
      : [],
  )
  if (misnamed.length === 0) return undefined
  return new EngineError(
    'unknown_tool',
    `No tool has this name: ${misnamed.join(', ')}. There are: ${known.join(', ') || 'none'}. List tools that live elsewhere in knownTools.`,
    { details: { misnamed } },
  )
}
