// Checks the built packages as their users will meet them: manifests by publint, and types by small
// programs that use them (`consumer/`), under both ways of resolving modules.
import { cpSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { checkAsConsumer, RESOLUTIONS } from './consumer-types.ts'
import { installPacked } from './packed.ts'
import { publishedPackages } from './workspace.ts'

const packages = publishedPackages()
const project = mkdtempSync(join(tmpdir(), 'assent-consumer-'))
const modules = join(project, 'node_modules')
const problems: string[] = []
try {
  installPacked(packages, modules)
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')

  for (const { manifest } of packages) {
    const pkgDir = join(modules, manifest.name)
    const { messages, pkg } = await publint({
      pkgDir,
      level: 'suggestion',
      strict: true,
      pack: false,
    })
    problems.push(
      ...messages.map(
        (message) => `${manifest.name}: ${formatMessage(message, pkg) ?? message.code}`,
      ),
    )
    const sources = globSync('dist/**/*.test.*', { cwd: pkgDir })
    problems.push(...sources.map((file) => `${manifest.name} would publish a test: ${file}`))
  }

  cpSync(join(import.meta.dirname, 'consumer'), project, { recursive: true })
  const files = globSync('*.ts', { cwd: project }).map((file) => join(project, file))
  for (const resolution of RESOLUTIONS) {
    const found = checkAsConsumer(files, join(modules, '@assent'), resolution)
    problems.push(...found.map((line) => `${resolution}: ${line.replace(`${project}/`, '')}`))
    console.log(`Types for ${resolution}: ${files.map((file) => basename(file)).join(', ')}`)
  }
} finally {
  rmSync(project, { recursive: true, force: true })
}

for (const problem of problems) console.error(problem)
console.log(`${packages.length} packages, ${problems.length} problems`)
if (problems.length > 0) process.exitCode = 1
