import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onDisk } from './byte-paths.ts'

/** What Git writes down of a rebase, and of several commits that are picked. */
const FILES = new Set(
  (
    'author-script done drop_redundant_commits keep_redundant_commits end git-rebase-todo git-rebase-todo.backup ' +
    'head-name interactive message msgnum no-reschedule-failed-exec onto orig-head patch stopped-sha amend quiet ' +
    'rewritten-list rewritten-pending current-fixups message-fixup message-squash refs-to-delete update-refs ' +
    'todo head abort-safety'
  ).split(' '),
)
const STEPS = new Set(['done', 'git-rebase-todo', 'git-rebase-todo.backup', 'todo'])
/** A step by which Git runs no program. */
const HARMLESS =
  /^[ \t]*(?:#|\r?$|(?:pick|p|reword|r|edit|e|squash|s|fixup|f|drop|d|noop|break|b|label|l|reset|t|merge|m|update-ref|u|revert)(?:[ \t\r]|$))/

/**
 * Whether Git runs no program when it goes on with what a command has begun: nothing is written down there
 * but plain steps. Patches that are applied have options of their own.
 */
export function isHarmlessWork(folder: string): boolean {
  try {
    return readdirSync(onDisk(folder), { withFileTypes: true }).every(
      (entry) =>
        entry.isFile() &&
        FILES.has(entry.name) &&
        (!STEPS.has(entry.name) || hasHarmlessSteps(join(folder, entry.name))),
    )
  } catch {
    return false
  }
}

function hasHarmlessSteps(file: string): boolean {
  return readFileSync(onDisk(file), 'utf8')
    .split('\n')
    .every((line) => HARMLESS.test(line))
}
