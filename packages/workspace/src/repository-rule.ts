import { lstatSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { errorCode } from '@assent/engine/error-code'
import type { Judgement } from './shell/verdict.ts'

/** Settings by which Git runs a program while it only reads, or that come from another file. */
const RUNS_PROGRAMS =
  /\[\s*(?:filter|gpg|include|includeif|pager)\b|\[\s*diff\s*(?:"|\.)|(?:^|[\s\]])(?:fsmonitor|pager|external|textconv|program|sshcommand|alternaterefscommand|showsignature)\s*=/im

const HARMLESS: Judgement = { verdict: 'allow', reason: 'reads only' }
const ASK: Judgement = {
  verdict: 'ask',
  reason: 'the settings of the repository may make Git run other programs',
}

/**
 * Whether Git only reads when it is told to, in the repository in which a folder is: its settings may
 * come from somebody else, together with its files.
 */
export function judgeRepository(folder: string): Judgement {
  for (let at = folder; ; at = dirname(at)) {
    const kind = kindOf(join(at, '.git'))
    if (kind !== undefined) return judgeSettings(join(at, '.git'), kind)
    if (at === dirname(at)) return HARMLESS
  }
}

function judgeSettings(place: string, kind: 'folder' | 'other'): Judgement {
  try {
    const folder = kind === 'folder' ? place : linkedFolder(place)
    const common = readIfAny(join(folder, 'commondir')).trim()
    const folders = common === '' ? [folder] : [folder, resolve(folder, common)]
    const texts = folders.flatMap((one) => [
      readIfAny(join(one, 'config')),
      readIfAny(join(one, 'config.worktree')),
    ])
    return texts.some((text) => RUNS_PROGRAMS.test(text)) ? ASK : HARMLESS
  } catch {
    return ASK
  }
}

/** The folder that a file `.git` names: of a work tree beside the main one, or of a submodule. */
function linkedFolder(file: string): string {
  const [, path] = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8')) ?? []
  if (path === undefined) throw new Error(`${file} names no folder.`)
  return resolve(dirname(file), path)
}

function kindOf(path: string): 'folder' | 'other' | undefined {
  try {
    return lstatSync(path).isDirectory() ? 'folder' : 'other'
  } catch {
    return undefined
  }
}

function readIfAny(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return ''
    throw error
  }
}
