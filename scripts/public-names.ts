import { join, relative } from 'node:path'
import ts from 'typescript'
import { publishedPackages } from './workspace.ts'

/** A name that several packages publish for different things. */
export interface TwoMeanings {
  readonly name: string
  /** Where it is declared, relative to the root. */
  readonly files: readonly string[]
}

/** Names of the public entries of packages that mean one thing in one of them and another thing in another. */
export function namesWithTwoMeanings(root: string, entries: readonly string[]): TwoMeanings[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const program = ts.createProgram({ rootNames: [...entries], options })
  const checker = program.getTypeChecker()
  const declared = new Map<string, Set<string>>()
  for (const entry of entries) {
    const file = program.getSourceFile(entry)
    const module = file && checker.getSymbolAtLocation(file)
    if (!module) throw new Error(`${entry} exports nothing.`)
    for (const one of checker.getExportsOfModule(module)) {
      const symbol = one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one
      // A component has a file of its own, which is its name.
      const source = symbol.declarations?.[0]?.getSourceFile().fileName
      if (source === undefined) continue
      const files = declared.get(one.name) ?? new Set()
      declared.set(one.name, files.add(relative(root, source)))
    }
  }
  return [...declared]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => ({ name, files: [...files].toSorted() }))
}

/** The sources of all that is published to be imported. */
export function publicEntries(): string[] {
  return publishedPackages().flatMap(({ dir, manifest }) =>
    Object.values(manifest.exports).flatMap((target) => {
      const source = typeof target === 'string' ? undefined : target['@assent/source']
      return source?.endsWith('.ts') ? [join(dir, source)] : []
    }),
  )
}
