// Writes the declarations of a package into its `dist`: `node scripts/emit-types.ts <package folder>`.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { ROOT } from './child.ts'
import { referenceOf } from './module-imports.ts'

const VUE_TSC = join(ROOT, 'node_modules/vue-tsc/bin/vue-tsc.js')

/**
 * Emits declarations by the package's `tsconfig.build.json`, then makes them fit for others.
 *
 * @param output what becomes of the compiler's own words
 * @returns the exit code of the compiler; declarations are written only when it is 0
 */
export function emitTypes(dir: string, output: 'inherit' | 'ignore' = 'inherit'): number {
  const args = [VUE_TSC, '-p', join(dir, 'tsconfig.build.json'), '--noEmitOnError']
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', output, output] })
  if (status !== 0) return status ?? 1
  for (const name of globSync('dist/**/*.d.ts', { cwd: dir })) {
    const file = join(dir, name)
    const text = readFileSync(file, 'utf8')
    const rewritten = pointToOutput(text)
    if (rewritten !== text) writeFileSync(file, rewritten)
  }
  return 0
}

/**
 * Declarations refer to each other by the names of the sources. Published, they have to use those of
 * the output: `./x.ts` is at `./x.js` there, and `./X.vue` at `./X.vue.js`. Augmented modules and
 * inline `import('./x.ts')` types are references too.
 */
export function pointToOutput(declarations: string): string {
  const source = ts.createSourceFile('file.d.ts', declarations, ts.ScriptTarget.Latest)
  const edits: { start: number; end: number; text: string }[] = []
  const visit = (node: ts.Node): void => {
    const literal = referenceOf(node)?.literal
    if (literal?.text.startsWith('.')) {
      // Inside the quotes, whichever they are.
      const start = literal.getStart(source) + 1
      edits.push({ start, end: literal.getEnd() - 1, text: outputName(literal.text) })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return edits.reduceRight(
    (text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end),
    declarations,
  )
}

function outputName(specifier: string): string {
  return specifier.replace(/(?<!\.d)\.ts$/, '.js').replace(/\.vue$/, '.vue.js')
}

if (import.meta.main) {
  const [dir] = process.argv.slice(2)
  if (!dir) throw new Error('Name the folder of a package: node scripts/emit-types.ts <folder>')
  process.exitCode = emitTypes(resolve(dir))
}
