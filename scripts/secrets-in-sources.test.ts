import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRedactor } from '../packages/engine/src/redaction/index.ts'
import { NAME_KINDS } from '../packages/engine/src/redaction/secret-names.ts'
import { ROOT } from './child.ts'

const isTest = (file: string) =>
  /\.(?:test|fixture|bench)\.ts$|(?:^|\/)(?:test|testing|dist|node_modules)\//.test(file)

/** What is masked in files, by kind: the text before the mask and what is masked. */
function masksIn(files: readonly string[]): { kind: string; file: string; line: string }[] {
  const redact = createRedactor({ mask: (kind) => `⟦masked: ${kind}⟧` })
  return files.flatMap((file) => {
    const masked = redact(readFileSync(join(ROOT, file), 'utf8'), {
      toolName: 'read',
      isPartial: false,
    })
    return masked
      .split('\n')
      .flatMap((line) =>
        [...line.matchAll(/⟦masked: (.*?)⟧/g)].map(([, kind = '']) => ({ kind, file, line })),
      )
  })
}

it('next to nothing of our own sources is taken for a secret, as none is one', () => {
  const files = globSync('{packages,playground,docs,scripts,bench}/**/*.{ts,vue,css,md,json}', {
    cwd: ROOT,
    exclude: (name) => ['node_modules', 'dist', '.vitepress'].some((one) => name.endsWith(one)),
  }).filter((file) => !isTest(file))
  const bytes = files.reduce((sum, file) => sum + readFileSync(join(ROOT, file)).length, 0)
  const masks = masksIn(files)
  console.log(`${masks.length} masks in ${files.length} files, ${bytes} bytes`)
  expect(bytes).toBeGreaterThan(1_000_000)
  const names: readonly string[] = NAME_KINDS
  // By its shape nothing is; by a name before it some of the examples in code and docs are.
  expect(masks.filter(({ kind }) => !names.includes(kind))).toEqual([])
  expect(masks.length / (bytes / 1_000_000)).toBeLessThan(10)
})
