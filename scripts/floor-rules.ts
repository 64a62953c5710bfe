import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { engineObjection } from './engine-floors.ts'
import { ENGINE, FOLDERS, type Folder } from './floors.ts'
import type { ModuleImport } from './module-imports.ts'
import type { Manifest } from './workspace.ts'

export type FloorRule =
  /** A package that the table does not know. */
  | 'unlisted'
  /** A relative import without its file extension. */
  | 'extension'
  /** A relative path that leaves the package. */
  | 'outside'
  /** A package of this workspace that is above the importing one. */
  | 'up'
  /** The package's own public entry, from its inside. */
  | 'own-entry'
  /** A run-time import of what is there for its types only. */
  | 'types-only'
  /** A package that must not be imported here. */
  | 'never'
  /** A package that the manifest does not declare. */
  | 'undeclared'
  /** What serves tests only, in what ships. */
  | 'test-material'
  /** Against the floors inside the engine. */
  | 'engine-floor'

export interface Finding {
  rule: FloorRule
  message: string
}

/** A source file and what the rules need to know about it. Paths are relative to the root. */
export interface SourceFile {
  path: string
  folder: Folder
  manifest: Manifest
}

/** What is wrong with one import of a file. */
export function judgeImport(file: SourceFile, found: ModuleImport): Finding[] {
  const specifier = found.specifier.replace(/\?.*$/, '')
  return specifier.startsWith('.')
    ? judgeRelative(file, specifier, found.typeOnly)
    : judgePackage(file, specifier, found.typeOnly)
}

function judgeRelative(file: SourceFile, specifier: string, typeOnly: boolean): Finding[] {
  const { folder } = file.folder
  const target = posix.join(posix.dirname(file.path), specifier)
  if (posix.extname(target) === '') {
    return [{ rule: 'extension', message: `'${specifier}' lacks its file extension` }]
  }
  if (!isInside(target, folder)) {
    return mayReach(file, target)
      ? []
      : [{ rule: 'outside', message: `'${specifier}' leaves ${folder}; import a package by name` }]
  }
  const entry = `${folder}/src/index.ts`
  if (isShipped(file) && target === entry && file.path !== `${folder}/src/index.test.ts`) {
    return [{ rule: 'own-entry', message: `'${specifier}' is this package's own public entry` }]
  }
  if (isSource(file) && isTestMaterial(file.folder, target)) {
    return [{ rule: 'test-material', message: `'${specifier}' is for tests` }]
  }
  if (isSource(file) && isInside(file.path, ENGINE) && isInside(target, ENGINE)) {
    const within = (path: string): string => posix.relative(ENGINE, path)
    const message = engineObjection(within(file.path), within(target), typeOnly)
    if (message) return [{ rule: 'engine-floor', message }]
  }
  return []
}

/** Tests, configurations and sites may use the root's own files; a site its neighbours in the table. */
function mayReach(file: SourceFile, target: string): boolean {
  const owner = FOLDERS.find(({ folder }) => isInside(target, folder))
  if (owner) {
    const { beside = [], testsBeside = [] } = file.folder
    const isTestFolder = isInside(target, `${owner.folder}/test`)
    return (
      beside.includes(owner.folder) ||
      (isTestFolder && !isSource(file) && testsBeside.includes(owner.folder))
    )
  }
  return !isSource(file) && !target.startsWith('packages/') && !target.startsWith('..')
}

function judgePackage(file: SourceFile, specifier: string, typeOnly: boolean): Finding[] {
  const name = packageName(specifier)
  const findings: Finding[] = []
  const { below, typesOnly = [], never = [] } = file.folder
  if (name === file.manifest.name) {
    findings.push({ rule: 'own-entry', message: `'${specifier}' is this package itself` })
  } else if (name.startsWith('@assent/') && !matchesAny(name, below)) {
    const allowed = below.join(', ') || 'no package of this workspace'
    findings.push({
      rule: 'up',
      message: `'${specifier}': ${file.folder.folder} may import ${allowed}`,
    })
  }
  if (!isSource(file)) return findings
  if (matchesAny(name, typesOnly) && !typeOnly) {
    findings.push({ rule: 'types-only', message: `'${specifier}' is for \`import type\` only` })
  }
  if (matchesAny(isBuiltin(specifier) ? 'node:' : name, never)) {
    findings.push({
      rule: 'never',
      message: `${file.folder.folder} must not import '${specifier}'`,
    })
  } else if (!isBuiltin(specifier) && !isDeclared(file.manifest, name)) {
    const message = `'${name}' is neither a dependency nor a peer dependency in package.json`
    findings.push({ rule: 'undeclared', message })
  }
  if (name.startsWith('@assent/') && specifier.endsWith('/testing')) {
    findings.push({ rule: 'test-material', message: `'${specifier}' is for tests` })
  }
  return findings
}

function isDeclared(manifest: Manifest, name: string): boolean {
  const { dependencies, peerDependencies } = manifest
  return name === manifest.name || name in dependencies || name in peerDependencies
}

/** Whether the file is in `src` of a published package, tests included. */
function isShipped(file: SourceFile): boolean {
  return file.folder.published === true && isInside(file.path, `${file.folder.folder}/src`)
}

/** Whether the file ends up in what is published. */
function isSource(file: SourceFile): boolean {
  return isShipped(file) && !isTestMaterial(file.folder, file.path)
}

function isTestMaterial({ folder, testMaterial = [] }: Folder, path: string): boolean {
  return (
    /\.(?:test|bench|fixture)\.(?:ts|vue)$/.test(path) ||
    testMaterial.some((part) => isInside(path, `${folder}/${part}`))
  )
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}

function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function matchesAny(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  )
}
