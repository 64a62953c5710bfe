import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ROOT } from './child.ts'

const Manifest = z.looseObject({
  name: z.string(),
  version: z.string().optional(),
  files: z.array(z.string()).default([]),
  exports: z
    .record(z.string(), z.union([z.string(), z.record(z.string(), z.string())]))
    .default({}),
  dependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
})

export type Manifest = z.infer<typeof Manifest>

export interface WorkspacePackage {
  /** Absolute path. */
  dir: string
  manifest: Manifest
}

export function readPackage(dir: string): WorkspacePackage {
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')))
  return { dir, manifest }
}

/** The packages that are published, each after those that it depends on. */
export function publishedPackages(root: string = ROOT): WorkspacePackage[] {
  const folder = join(root, 'packages')
  const found = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((dir) => existsSync(join(dir, 'package.json')))
    .map(readPackage)
  const byName = new Map(found.map((entry) => [entry.manifest.name, entry]))
  const ordered = new Set<WorkspacePackage>()
  const visit = (entry: WorkspacePackage): void => {
    const { dependencies, peerDependencies } = entry.manifest
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
      const below = byName.get(name)
      if (below) visit(below)
    }
    ordered.add(entry)
  }
  found.forEach(visit)
  return [...ordered]
}
