import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkAppTypes } from './consumer-app.ts'
import { ROOT } from './child.ts'

/** Each example: three backticks and `ts` or `vue`. */
const EXAMPLES = /^```(ts|vue)\n(.*?)^```$/gms
/** What examples take from their reader. */
const READERS_FILES: Readonly<Record<string, string>> = {
  'model.ts': `import type { LanguageModel } from 'ai'\nexport declare const model: LanguageModel\n`,
  'tools.ts': `import type { ToolSet } from 'ai'\nexport const tools: ToolSet = {}\n`,
}

const app = mkdtempSync(join(ROOT, '.readmes-'))

afterAll(() => rmSync(app, { recursive: true, force: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(app, file)), { recursive: true })
  writeFileSync(join(app, file), text)
}

const pages = globSync(['README*.md', 'packages/*/README.md'], { cwd: ROOT }).toSorted()

test('every package has a page with an example', () => {
  const packages = globSync('packages/*/package.json', { cwd: ROOT }).map((file) => dirname(file))
  const without = packages.filter((folder) => {
    const page = pages.find((file) => dirname(file) === folder)
    return !page || [...readFileSync(join(ROOT, page), 'utf8').matchAll(EXAMPLES)].length === 0
  })
  expect(without).toEqual([])
})

// Type checks take their time.
test.runIf(process.env['ASSENT_DEEP'] === '1')(
  'the types of the examples hold as they are written',
  () => {
    for (const page of pages) {
      const folder = dirname(page)
      for (const [name, text] of Object.entries(READERS_FILES)) write(join(folder, name), text)
      const examples = readFileSync(join(ROOT, page), 'utf8').matchAll(EXAMPLES)
      for (const [index, [, language, text = '']] of [...examples].entries()) {
        write(join(folder, `${basename(page, '.md')}-${index + 1}.${language}`), text)
      }
    }
    write('package.json', '{ "type": "module" }')
    const compilerOptions = {
      target: 'ESNext',
      module: 'ESNext',
      moduleResolution: 'bundler',
      lib: ['ESNext', 'DOM', 'DOM.Iterable'],
      types: ['node', 'vite/client'],
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      // Against the sources of the packages.
      customConditions: ['@assent/source'],
    }
    write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['**/*.ts', '**/*.vue'] }))
    expect(checkAppTypes(app)).toEqual([])
  },
  180_000,
)
