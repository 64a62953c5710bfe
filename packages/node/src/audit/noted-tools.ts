import type { ToolSet } from 'ai'
import type { AuditLog } from './audit-log.ts'
import { auditParts } from './create-audit-log.ts'

/** The names of the tools whose calls this process notes where they run, by the database that they are noted in. */
const noted = new WeakMap<object, Set<string>>()

function namesIn(audit: AuditLog): Set<string> {
  const store = auditParts(audit)?.store
  const database = store?.database ?? store ?? audit
  const names = noted.get(database) ?? new Set()
  noted.set(database, names)
  return names
}

/** Says that the calls of tools that this process can run are noted in an audit where they run. */
export function noteWhereRun(tools: ToolSet, audit: AuditLog): void {
  const names = namesIn(audit)
  for (const [name, { execute }] of Object.entries(tools)) if (execute) names.add(name)
}

/**
 * Whether the calls of a tool are noted where they run, in the same database: whoever notes what pages write leaves them
 * out, so that each call is noted once.
 *
 * @param isElsewhere of tools that another process runs
 */
export function notedWhereRun(
  audit: AuditLog | undefined,
  isElsewhere: (toolName: string) => boolean = () => false,
): (toolName: string) => boolean {
  const names = audit && namesIn(audit)
  return (toolName) => (names?.has(toolName) ?? false) || isElsewhere(toolName)
}
