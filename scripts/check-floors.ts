// Holds all imports of the workspace to the tables in `floors.ts`: `pnpm lint`.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import { ROOT } from './child.ts'
import { hasPlace } from './engine-floors.ts'
import { judgeImport, type Finding, type SourceFile } from './floor-rules.ts'
import { DEFAULT_FLOOR, ENGINE, FOLDERS } from './floors.ts'
import { readImports } from './module-imports.ts'
import { readPackage } from './workspace.ts'

export interface Violation extends Finding {
  /** Relative to the root, with `/`. */
  file: string
  /** Counted from 1. */
  line: number
}

export interface FloorReport {
  /** How many files were read. */
  files: number
  violations: Violation[]
  /** Files of the engine that have no line in the table. */
  unplaced: string[]
}

/** Checks every source file of a workspace. */
export function checkFloors(root: string): FloorReport {
  const files = sourceFiles(root)
  return {
    files: files.length,
    violations: [...unlisted(root), ...files.flatMap((file) => violationsOf(root, file))],
    unplaced: files
      .map(({ path }) => posix.relative(ENGINE, path))
      .filter((path) => !path.startsWith('..') && !path.endsWith('.test.ts') && !hasPlace(path)),
  }
}

function violationsOf(root: string, file: SourceFile): Violation[] {
  const text = readFileSync(join(root, file.path), 'utf8')
  return readImports(file.path, text).flatMap((found) =>
    judgeImport(file, found).map((finding) => ({ file: file.path, line: found.line, ...finding })),
  )
}

function sourceFiles(root: string): SourceFile[] {
  return FOLDERS.filter(({ folder }) => existsSync(join(root, folder))).flatMap((folder) => {
    const { manifest } = readPackage(join(root, folder.folder))
    return list(root, `${folder.folder}/**/*.{ts,mts,js,mjs,vue}`).map((path) => ({
      path,
      folder,
      manifest,
    }))
  })
}

/** Packages that are in the workspace but not in the table. */
function unlisted(root: string): Violation[] {
  return list(root, 'packages/*/package.json')
    .filter((file) => !FOLDERS.some(({ folder }) => file === `${folder}/package.json`))
    .map((file) => ({
      file,
      line: 1,
      rule: 'unlisted',
      message: 'This package has no line in scripts/floors.ts',
    }))
}

function list(root: string, pattern: string): string[] {
  return globSync(pattern, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] })
    .map((path) => path.split(sep).join('/'))
    .toSorted()
}

if (import.meta.main) {
  const { files, violations, unplaced } = checkFloors(ROOT)
  for (const file of unplaced) {
    console.log(`${ENGINE}/${file} has no line in scripts/floors.ts: it counts as ${DEFAULT_FLOOR}`)
  }
  for (const { file, line, rule, message } of violations) {
    console.error(`${file}:${line}  ${message}  (${rule})`)
  }
  console.log(`${files} files, ${violations.length} imports against the floors`)
  if (violations.length > 0) process.exitCode = 1
}
