import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hooks } from '../.pnpmfile.mjs'
import type { WorkspacePackage } from './workspace.ts'

/**
 * Puts packages into a `node_modules` folder as their users get them: only what is published, beside
 * the dependencies and peers that they declare.
 *
 * @param modules absolute path of the `node_modules` folder
 */
export function installPacked(packages: readonly WorkspacePackage[], modules: string): void {
  for (const { dir, manifest } of packages) {
    const target = join(modules, manifest.name)
    mkdirSync(target, { recursive: true })
    const whole: unknown = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
    writeFileSync(join(target, 'package.json'), JSON.stringify(hooks.beforePacking(whole)))
    for (const file of manifest.files) {
      cpSync(join(dir, file), join(target, file), { recursive: true })
    }
  }
  for (const { dir, manifest } of packages) {
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
      const link = join(modules, name)
      if (existsSync(link)) continue
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(dir, 'node_modules', name), link, 'dir')
    }
  }
}
