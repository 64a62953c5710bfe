import { relative } from 'node:path'
import { createDiskLook, TooMuch, type DiskLook } from './disk-look.ts'
import {
  judgeInside,
  judgeKnownPath,
  judgeOutside,
  SECRET,
  shown,
  type PathRequest,
  type PathsRule,
} from './shell/path-rule.ts'
import { strictest, type Judgement } from './shell/verdict.ts'
import { matchesName } from './name-pattern.ts'
import { judgeRepository, judgeTracked, trackedLinks } from './repository-rule.ts'
import type { Roots } from './roots.ts'

/** Whether a path, from its root on, leads to what may hold secrets. */
export type SensitiveRule = (path: string) => boolean

/** What a name must not hold where it is read as several words, or as an option. */
const SPLITS = /[\s"'\\]|^-/

function splitting(name: string): Judgement {
  return { verdict: 'ask', reason: `${shown(name)} would be read as other words` }
}

/**
 * Judges the paths of a command by where they really lead to: links are followed, patterns expanded,
 * folders looked through for what may hold secrets. All paths of a command share what may be looked at:
 * what takes more is asked about.
 */
export function workspacePathRule(roots: Roots, isSensitive: SensitiveRule): PathsRule {
  const [workspace] = roots.all

  async function judge(request: PathRequest, disk: DiskLook): Promise<Judgement> {
    const { path, access, isPattern } = request
    const known = judgeKnownPath(request)
    if (known) return known
    // A shell would put a home folder in the place of it.
    if (path.startsWith('~')) return judgeOutside(request)
    if (isPattern) return judgePattern(request, disk)
    const real = await disk.realOf(path.startsWith('/') ? path : `${workspace.path}/${path}`)
    if (real === undefined) {
      return { verdict: 'ask', reason: `where ${shown(path)} leads to cannot be told` }
    }
    const root = roots.rootOf(real)
    if (!root) return judgeOutside(request)
    if (access === 'write' && root.access === 'read') {
      return { verdict: 'deny', reason: `${shown(path)} is in a folder that may only be read` }
    }
    if (access === 'repository') return judgeRepository(real)
    if (access === 'history') {
      const tracked = await judgeTracked(real, isSensitive, request.isSplit)
      if (tracked.verdict !== 'allow' || !request.isSplit) return tracked
      return judgeLinks(await trackedLinks(real), disk)
    }
    const place = relative(root.path, real) || '.'
    const { names: _, ...named } = request
    const isFolder = isSensitive(place) && (await disk.isFolder(real))
    const inner = isFolder ? `${place}/` : place
    const byName = judgeInside(isFolder ? { ...named, path: `${path}/` } : named)
    const byPlace = judgeInside({ path: inner, access, isPattern: false })
    const byRule: Judgement =
      access !== 'list' && access !== 'write' && isSensitive(inner)
        ? { ...SECRET, reason: `${shown(path)} may hold secrets` }
        : byName
    const said = strictest([byName, byPlace, byRule], byName)
    if (said.verdict !== 'allow' || !access.endsWith('tree')) return said
    return judgeTree(real, request, disk)
  }

  /** Whether something below a folder may hold secrets, or leads out of the workspace. */
  async function judgeTree(
    folder: string,
    { path, access, names, isSplit }: PathRequest,
    disk: DiskLook,
  ): Promise<Judgement> {
    const folders = ['']
    for (let inner = folders.pop(); inner !== undefined; inner = folders.pop()) {
      for (const entry of await disk.entriesOf(`${folder}/${inner}`)) {
        await disk.turn()
        const isHidden = entry.name.startsWith('.') || entry.name === 'node_modules'
        if (isHidden && access === 'visible-tree') continue
        const name = inner === '' ? entry.name : `${inner}/${entry.name}`
        const isWanted = names?.some((one) => matchesName(entry.name, one, true)) ?? true
        if (isSplit && isWanted && SPLITS.test(name)) return splitting(name)
        if (entry.isDirectory()) folders.push(name)
        else if (!isWanted) continue
        else if (isSensitive(name)) {
          return { ...SECRET, reason: `reads ${shown(name)} too, which may hold secrets` }
        } else if (entry.isSymbolicLink() && access === 'linked-tree') {
          const target = { path: `${folder}/${name}`, access: 'read', isPattern: false } as const
          const judgement = await judge(target, disk)
          if (judgement.verdict !== 'allow') {
            return { ...judgement, reason: `${shown(`${path}/${name}`)} leads to what it must not` }
          }
          if (await disk.isFolder(`${folder}/${name}`)) {
            return { verdict: 'ask', reason: `${shown(`${path}/${name}`)} leads to another folder` }
          }
        }
      }
    }
    return { verdict: 'allow', reason: 'reads only' }
  }

  /** Whether each link leads to what may be read. */
  async function judgeLinks(paths: readonly string[], disk: DiskLook): Promise<Judgement> {
    for (const path of paths) {
      const judgement = await judge({ path, access: 'read', isPattern: false }, disk)
      if (judgement.verdict !== 'allow') return judgement
    }
    return { verdict: 'allow', reason: 'reads only' }
  }

  async function judgePattern(request: PathRequest, disk: DiskLook): Promise<Judgement> {
    if (/^\/|(?:^|\/)\.\.(?:\/|$)/.test(request.path)) return judgeOutside(request)
    for (const path of await disk.matchesOf(workspace.path, request.path)) {
      if (request.isSplit && SPLITS.test(path)) return splitting(path)
      const judgement = await judge({ ...request, path, isPattern: false }, disk)
      if (judgement.verdict !== 'allow') return judgement
    }
    return { verdict: 'allow', reason: 'reads only' }
  }

  return async (requests) => {
    const disk = createDiskLook()
    const judgements: Judgement[] = []
    for (const request of requests) {
      try {
        judgements.push(await judge(request, disk))
      } catch (error) {
        if (!(error instanceof TooMuch)) throw error
        const reason = `too much would have to be looked at for ${shown(request.path)}`
        judgements.push({ verdict: 'ask', reason })
      }
    }
    return judgements
  }
}
