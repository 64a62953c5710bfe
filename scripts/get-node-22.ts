import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, runChild } from './child.ts'

/** The oldest Node that the packages for servers name in `engines`. */
export const NODE_22 = '22.18.0'

/**
 * Installs that Node beside the workspace, where it is not there yet.
 *
 * @returns the path of its program; `undefined` when it could not be had, which is said
 */
export async function getNode22(): Promise<string | undefined> {
  const folder = join(ROOT, 'node_modules/.cache', `node-${NODE_22}`)
  const program = join(folder, 'node_modules/.bin/node')
  if (versionOf(program) === `v${NODE_22}`) return program
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--no-audit', '--no-fund', '--no-save', `node@${NODE_22}`]
  await runChild('npm', args, { cwd: folder })
  if (versionOf(program) === `v${NODE_22}`) return program
  console.log(`Node ${NODE_22} could not be installed from npm, so nothing was tested with it.\n`)
  return undefined
}

function versionOf(program: string): string | undefined {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return undefined
  }
}
