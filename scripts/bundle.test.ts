import { mkdtempSync, rmSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { bundleEntry, styleSize, tracesOfAiSdk, type Bundle } from './bundle.ts'
import { ROOT } from './child.ts'

// They start programs of their own, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 })

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assent-bundle-'))
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(join(ROOT, 'node_modules/ai'), join(root, 'node_modules/ai'), 'dir')
})

afterEach(() => rmSync(root, { recursive: true }))

function bundle(files: Record<string, string>, external: string[] = []): Promise<Bundle> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  return bundleEntry(join(root, 'entry.js'), external)
}

/** Text that does not compress to nothing. */
const PAYLOAD = Array.from({ length: 400 }, (_, index) => (index * 7919) % 9973).join('x')

it('counts what an entry loads at once, and apart from it what it loads later', async () => {
  const { size, lazySize } = await bundle({
    'entry.js': `export { a } from './a.js'\nexport const later = () => import('./lazy.js')`,
    'a.js': `export const a = '${PAYLOAD}'`,
    'lazy.js': `export const lazy = '${PAYLOAD}${PAYLOAD.replaceAll('1', '2')}'`,
  })
  const payload = gzipSync(PAYLOAD).byteLength
  expect(size).toBeGreaterThan(payload)
  expect(size).toBeLessThan(payload + 250)
  expect(lazySize).toBeGreaterThan(payload * 1.5)
})

it('keeps all exports, minified', async () => {
  const unused = await bundle({ 'entry.js': `export const unused = '${PAYLOAD}' // ${PAYLOAD}2` })
  expect(unused.size).toBeGreaterThan(gzipSync(PAYLOAD).byteLength)
  expect(unused.size).toBeLessThan(gzipSync(PAYLOAD).byteLength + 100)
})

it('leaves external packages out and names them', async () => {
  const { imports, modules } = await bundle(
    { 'entry.js': `export { ref } from 'vue'\nexport * from '@assent/engine/testing'` },
    ['vue', '@assent/engine'],
  )
  expect(imports).toEqual(['@assent/engine/testing', 'vue'])
  expect(modules).toHaveLength(1)
})

it('finds a part of the AI SDK that is bundled', async () => {
  const traces = tracesOfAiSdk(await bundle({ 'entry.js': `export { getToolName } from 'ai'` }))
  expect(traces.some((id) => id.includes('/node_modules/ai/'))).toBe(true)
})

it.each([`import 'ai'`, `export const later = () => import('@ai-sdk/provider-utils')`])(
  'finds an import of the AI SDK that is left: %s',
  async (text) => {
    const bundled = await bundle({ 'entry.js': text }, ['ai', '@ai-sdk/provider-utils'])
    expect(tracesOfAiSdk(bundled)).toHaveLength(1)
  },
)

it('takes no other package for the AI SDK', () => {
  const modules = [
    '/p/node_modules/aim/index.js',
    '/p/src/ai/index.js',
    '/p/node_modules/x/ai/y.js',
  ]
  expect(tracesOfAiSdk({ modules, imports: ['aim', '@ai/sdk', 'vue'] })).toEqual([])
})

it('counts a stylesheet with all that it imports, minified', async () => {
  writeFileSync(join(root, 'index.css'), `@import './a.css';\n.a { color: red } /* ${PAYLOAD} */`)
  writeFileSync(join(root, 'a.css'), `.b::before { content: '${PAYLOAD}' }`)
  const payload = gzipSync(PAYLOAD).byteLength
  const size = await styleSize(join(root, 'index.css'))
  expect(size).toBeGreaterThan(payload)
  expect(size).toBeLessThan(payload + 100)
})
