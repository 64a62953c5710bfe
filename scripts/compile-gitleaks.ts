// Compiles the rules of gitleaks into patterns for masking: `node --run gitleaks <a clone of gitleaks>`. Prints what stays
// out, and why.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './child.ts'
import { compileRules } from './gitleaks-rules.ts'

const TARGET = 'packages/engine/src/redaction/gitleaks-rules.ts'

const [root] = process.argv.slice(2)
if (root === undefined) {
  console.error('Give the folder of a clone of gitleaks: https://github.com/gitleaks/gitleaks')
  process.exit(2)
}
const version = execFileSync('git', ['-C', root, 'describe', '--tags'], { encoding: 'utf8' }).trim()
const day = execFileSync('git', ['-C', root, 'log', '-1', '--format=%cs'], { encoding: 'utf8' })
const { shapes, named, left } = compileRules(
  readFileSync(join(root, 'config', 'gitleaks.toml'), 'utf8'),
)

writeFileSync(
  join(ROOT, TARGET),
  `// Compiled by scripts/compile-gitleaks.ts; do not edit. Source: https://github.com/gitleaks/gitleaks,
// config/gitleaks.toml, ${version} of ${day.trim()}. MIT License, Copyright (c) 2019 Zachary Rice: see packages/engine/THIRD-PARTY.md.

/** Tokens that are known by themselves: kind, what they begin with, pattern. */
export const GITLEAKS_SHAPES = String.raw\`
${shapes.join('\n')}
\`

/** Values that are known by a name before them: pattern, names. */
export const GITLEAKS_NAMED = String.raw\`
${named.join('\n')}
\`
`,
)
console.log(`${version}: ${shapes.length} shapes, ${named.length} patterns of values with a name.`)
for (const [id, reason] of left) console.log(`not compiled: ${id}: ${reason}`)
