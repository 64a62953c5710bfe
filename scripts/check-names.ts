// Finds files and headings that our pages name and that are not there: `pnpm lint`.
import { globSync } from 'node:fs'
import { ROOT } from './child.ts'
import { missingNames } from './named-files.ts'

const maps = globSync(['*.md', 'packages/*/README.md'], { cwd: ROOT })
const guides = globSync('docs/*.md', { cwd: ROOT })
const missing = missingNames(ROOT, [
  ...maps.map((page) => [page, 'all'] as const),
  ...guides.map((page) => [page, 'links'] as const),
])
for (const { page, line, name } of missing) console.error(`${page}:${line}  ${name} is not there`)
console.log(`${maps.length + guides.length} pages, ${missing.length} missing names`)
if (missing.length > 0) process.exitCode = 1
