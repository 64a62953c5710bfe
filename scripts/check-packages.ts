// Checks the built packages as their users will meet them: manifests by publint, and types by small
// programs that use them (`consumer/`), under both ways of resolving modules. Apps of single-file
// components are built, rendered by a server and checked by `vue-tsc`.
import { cpSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { checkAppTypes, checkBuiltApp, installTools } from './consumer-app.ts'
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

  installTools(modules)
  const apps = ['auto-import', 'registered']
  problems.push(...(await checkBuiltApp(join(project, 'auto-import'))))
  for (const app of apps) problems.push(...checkAppTypes(join(project, app)))
  console.log(`Apps: ${apps.join(', ')}`)
} finally {
  rmSync(project, { recursive: true, force: true })
}

for (const problem of problems) console.error(problem)
console.log(`${packages.length} packages, ${problems.length} problems`)
if (problems.length > 0) process.exitCode = 1
