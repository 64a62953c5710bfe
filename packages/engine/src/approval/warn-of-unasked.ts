import type { ToolSet } from 'ai'
import { warnOnce } from '../development.ts'
import { ownOf } from '../message/own-of.ts'
import { isRecord } from '../message/tool-part.ts'

/** The rules that let it run. */
interface UnaskedRules {
  readonly toolApproval?: unknown
  readonly tools?: ToolSet | undefined
}

/** Words in the name of a tool whose effects are rarely wanted unasked. */
const GRAVE =
  /^(?:delete|remove|destroy|drop|wipe|purge|erase|send|email|publish|pay|refund|charge|transfer|buy|purchase|deploy)$/

/** In development: tells of a tool that is set to run unasked and whose name says that it should not. */
export function warnOfUnasked(toolName: string, by: string, rules: UnaskedRules): void {
  const setting = settingOf(toolName, by, rules)
  const words = toolName
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
  const word = words.find((one) => GRAVE.test(one))
  if (setting === undefined || word === undefined) return
  warnOnce(
    `The tool "${toolName}" runs without asking anybody, by ${setting}; its name says "${word}". If it must ask, set toolApproval: { ${toolName}: 'user-approval' }. If not, let a function of toolApproval say 'approved'.`,
  )
}

/** What says so for every call of the tool; nothing when something looked at this call. */
function settingOf(
  toolName: string,
  by: string,
  { toolApproval, tools }: UnaskedRules,
): string | undefined {
  if (by === 'default') return `defaultApproval: 'approved'`
  if (by === 'risk') return `risk: 'read'`
  if (by === 'tool') {
    return ownOf(tools, toolName)?.needsApproval === false ? 'needsApproval: false' : undefined
  }
  const isStatic =
    by === 'rule' && isRecord(toolApproval) && typeof ownOf(toolApproval, toolName) !== 'function'
  return isStatic ? 'its status in toolApproval' : undefined
}
