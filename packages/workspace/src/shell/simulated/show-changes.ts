import { createHash } from 'node:crypto'
import type { PreviewedFile } from '@assent/engine'
import { visibleName } from '../../visible-name.ts'
import type { Redact } from '@assent/engine/redaction'
import type { CommandRisk } from '../verdict.ts'
import type { Change, FileState, OverlayOutcome } from './overlay-run.ts'

/** Characters of all texts of one evidence. What is over is named with its size and hash. */
const LONGEST_EVIDENCE = 300_000
const MOST_NAMED = 3
/** What is lost is named, whatever else there is. */
const MOST_DELETED = 20

/** How changes are put into words. */
export interface Showing {
  /** A path as the tools show it. */
  readonly show: (path: string) => string
  readonly redact: Redact
}

/** What a yes to a run stands for: the same text only for the very same changes. */
export function fingerprintOf({ ended, changes }: OverlayOutcome): string {
  if (ended !== 'exited') return ended
  const facts = changes.map((change) =>
    JSON.stringify([
      change.kind,
      change.path,
      'before' in change && [change.before?.hash, change.before?.mode],
      change.kind === 'write' && [change.after.hash, change.after.mode],
      change.kind === 'mode' && change.mode,
      change.kind === 'delete-link' && change.target,
    ]),
  )
  return createHash('sha256').update(facts.join('\n')).digest('base64')
}

/** The changes of a run, as a person sees them before deciding. */
export function previewedFiles(
  changes: readonly Change[],
  { show, redact }: Showing,
): PreviewedFile[] {
  let left = LONGEST_EVIDENCE
  const textOf = (state: FileState): string => {
    const { text, size, hash } = state
    if (text === undefined || text.length > left) {
      const what = text === undefined ? 'Binary or too long to be shown' : 'Too long to be shown'
      return `[${what}: ${size} bytes, SHA-256 ${hash}]\n`
    }
    left -= text.length
    return redact(text, { toolName: 'bash', isPartial: false, isEvidence: true })
  }
  const fileOf = (change: Change): PreviewedFile => {
    const path = visibleName(show(change.path))
    switch (change.kind) {
      case 'write': {
        const before = change.before && { before: textOf(change.before) }
        return { path: `${path}${modeOf(change)}`, ...before, after: textOf(change.after) }
      }
      case 'delete':
        return { path, before: textOf(change.before) }
      case 'mode':
        return {
          path: `${path} (mode)`,
          before: `${change.before.mode.toString(8)}\n`,
          after: `${change.mode.toString(8)}\n`,
        }
      case 'delete-link':
        return { path: `${path} (link)`, before: `${change.target}\n` }
      case 'make-folder':
        return { path: `${path}/`, after: '' }
      case 'remove-folder':
        return { path: `${path}/`, before: '' }
    }
  }
  return changes.map(fileOf)
}

function modeOf({ before, after }: Extract<Change, { kind: 'write' }>): string {
  return after.mode === (before?.mode ?? 0o644) ? '' : ` (mode ${after.mode.toString(8)})`
}

/** What a run was seen to do; one that did not end may change anything. */
export function riskOfRun({ ended, changes }: OverlayOutcome): CommandRisk {
  if (changes.some(isDeletion)) return 'destroy'
  return changes.length > 0 || ended === 'timeout' ? 'write' : 'read'
}

function isDeletion({ kind }: Change): boolean {
  return kind.startsWith('delete') || kind === 'remove-folder'
}

/** What a run would do, in a sentence. */
export function sentenceOf(changes: readonly Change[], show: Showing['show']): string {
  const kept = changes.filter((change) => !isDeletion(change))
  const parts = [
    namesOf('creates', kept.filter(isCreation), show),
    namesOf(
      'changes',
      kept.filter((change) => !isCreation(change)),
      show,
    ),
    namesOf('deletes', changes.filter(isDeletion), show, MOST_DELETED),
  ].filter((part) => part !== '')
  const last = parts.pop() ?? ''
  return `It ${parts.length > 0 ? `${parts.join(', ')} and ${last}` : last}.`
}

function isCreation(change: Change): boolean {
  return change.kind === 'make-folder' || (change.kind === 'write' && !change.before)
}

function namesOf(
  verb: string,
  changes: readonly Change[],
  show: Showing['show'],
  most = MOST_NAMED,
): string {
  if (changes.length === 0) return ''
  const names = changes.slice(0, most).map(({ path }) => visibleName(show(path)))
  const more = changes.length - names.length
  return `${verb} ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
