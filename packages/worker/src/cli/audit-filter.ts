import type { AuditFilter } from '@assent/node'
import { AUDIT_KINDS, CALL_PHASES } from '../admin/audit-words.ts'
import { given } from '../admin/given.ts'
import type { CommandOption, GivenOptions } from './command.ts'

/** What every list of the audit can be narrowed to. */
export const FILTER_OPTIONS: Readonly<Record<string, CommandOption>> = {
  conversation: { value: 'id', help: 'of this conversation' },
  task: { value: 'id', help: 'of this task' },
  tool: { value: 'name', help: 'of this tool' },
  status: { value: 'status', help: CALL_PHASES.join(', ') },
  since: { value: 'time', help: 'from this time on: 2026-11-21, 2026-11-21T10:00, 15m, 2h, 7d' },
  until: { value: 'time', help: 'before this time' },
  text: { value: 'text', help: 'with this text in it' },
}

/** Of entries only. */
export const KIND_OPTION: CommandOption = { value: 'kind', help: AUDIT_KINDS.join(', ') }

/** The newest of a longer list. */
export const PAGE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  limit: { value: 'count', help: 'at most so many; default 50, at most 1000' },
  before: { value: 'number', help: 'older than the one of this number' },
}

/** What was asked for with {@link FILTER_OPTIONS}. */
export function readFilter(options: GivenOptions): AuditFilter {
  return given({
    conversationId: options.text('conversation'),
    taskId: options.text('task'),
    toolName: options.text('tool'),
    status: options.one('status', CALL_PHASES),
    since: options.time('since'),
    until: options.time('until'),
    text: options.text('text'),
  })
}

/** What was asked for with {@link KIND_OPTION}. */
export function readKind(options: GivenOptions): Pick<AuditFilter, 'kind'> {
  return given({ kind: options.one('kind', AUDIT_KINDS) })
}

/** What was asked for with {@link PAGE_OPTIONS}. */
export function readPage(options: GivenOptions): { limit: number; before?: number } {
  const before = options.whole('before', 1, Number.MAX_SAFE_INTEGER)
  return { limit: options.whole('limit', 1, 1_000) ?? 50, ...(before !== undefined && { before }) }
}
