import { relative } from 'node:path'
import { createDiskLook, TooMuch, type DiskLook } from './disk-look.ts'
import { workspacePathRule, type SensitiveRule } from './path-rule.ts'
import type { Roots } from './roots.ts'
import {
  judgeKnownPath,
  SECRET,
  shown,
  type PathRequest,
  type PathsRule,
} from './shell/path-rule.ts'
import type { Judgement } from './shell/verdict.ts'

const READS: Judgement = { verdict: 'allow', reason: 'reads only' }

/**
 * Judges the paths of commands that run in a sandbox. What they only read needs no question: what may
 * hold secrets is hidden there, and what is outside is not there. Who names a secret wants it; what they
 * change, and what the history of a repository shows, is judged as everywhere.
 */
export function sandboxedPathRule(roots: Roots, isSensitive: SensitiveRule): PathsRule {
  const judgeElsewhere = workspacePathRule(roots, isSensitive)

  async function judge(request: PathRequest, disk: DiskLook): Promise<Judgement> {
    const { path, access, isPattern } = request
    const known = judgeKnownPath(request)
    if (known) return known
    // A shell would put a home folder, which is empty, in the place of `~`.
    if (isPattern || access === 'list' || access === 'repository' || path.startsWith('~')) {
      return READS
    }
    const real = await disk.realOf(path.startsWith('/') ? path : `${roots.all[0].path}/${path}`)
    const root = real === undefined ? undefined : roots.rootOf(real)
    if (real === undefined || !root || !isSensitive(relative(root.path, real))) return READS
    const isOther = !isSensitive(`${relative(root.path, real)}/`)
    if (isOther && (await disk.isFolder(real))) return READS
    return { ...SECRET, reason: `${shown(path)} may hold secrets` }
  }

  return async (requests) => {
    const disk = createDiskLook()
    const judgements: Judgement[] = []
    for (const request of requests) {
      const isForAll = request.access === 'write' || request.access === 'history'
      const [own] = isForAll ? await judgeElsewhere([request]) : []
      judgements.push(own ?? (await judge(request, disk).catch(readsAnyway)))
    }
    return judgements
  }
}

/** Whatever it reads, the sandbox hides what it must not see. */
function readsAnyway(error: unknown): Judgement {
  if (error instanceof TooMuch) return READS
  throw error
}
