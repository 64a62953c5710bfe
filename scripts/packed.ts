import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
    for (const file of ['package.json', ...manifest.files]) {
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
