import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkFloors } from './check-floors.ts'
import type { FloorRule } from './floor-rules.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assent-floors-'))
  for (const folder of ['packages/engine', 'packages/vue', 'packages/components', 'playground']) {
    const name = `@assent/${folder.split('/').at(-1)}`
    const manifest = {
      name,
      dependencies: { marked: '1' },
      peerDependencies: { ai: '7', vue: '3' },
    }
    for (const below of ['@assent/engine', '@assent/vue']) {
      if (below !== name) Object.assign(manifest.dependencies, { [below]: 'workspace:*' })
    }
    write(`${folder}/package.json`, JSON.stringify(manifest))
  }
})

afterEach(() => rmSync(root, { recursive: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

function rulesBrokenBy(file: string, text: string): FloorRule[] {
  write(file, text)
  return checkFloors(root).violations.map(({ rule }) => rule)
}

const CAUGHT: [what: string, rule: FloorRule, file: string, text: string][] = [
  ['the engine importing vue', 'up', 'packages/engine/src/a.ts', `import '@assent/vue'`],
  [
    'vue importing components, by a type',
    'up',
    'packages/vue/src/a.ts',
    `import type { A } from '@assent/components'`,
  ],
  [
    'a test importing from above',
    'up',
    'packages/engine/src/a.test.ts',
    `import { useMessage } from '@assent/vue'`,
  ],
  [
    'a relative path into another package',
    'outside',
    'packages/vue/src/a.ts',
    `import { createStore } from '../../engine/src/store.ts'`,
  ],
  [
    'a site reaching into a package',
    'outside',
    'playground/main.ts',
    `import '../packages/engine/src/index.ts'`,
  ],
  [
    'a source reaching into the root',
    'outside',
    'packages/vue/src/a.ts',
    `import { ROOT } from '../../../scripts/child.ts'`,
  ],
  [
    'a file importing its own root index',
    'own-entry',
    'packages/vue/src/stores/a.ts',
    `import { useMessage } from '../index.ts'`,
  ],
  [
    'a test importing its own root index',
    'own-entry',
    'packages/vue/src/a.test.ts',
    `import { useMessage } from './index.ts'`,
  ],
  [
    'a package importing itself by name',
    'own-entry',
    'packages/vue/src/a.ts',
    `import { useMessage } from '@assent/vue'`,
  ],
  [
    'a value of ai',
    'types-only',
    'packages/engine/src/testing/a.ts',
    `import { readUIMessageStream } from 'ai'`,
  ],
  [
    'an inline type import of ai, which leaves an import behind',
    'types-only',
    'packages/vue/src/a.ts',
    `import { type UIMessage } from 'ai'`,
  ],
  [
    'a dynamic import of a subpath of ai',
    'types-only',
    'packages/engine/src/a.ts',
    `await import('ai/test')`,
  ],
  [
    'a re-export of @ai-sdk',
    'types-only',
    'packages/components/src/a.ts',
    `export * from '@ai-sdk/provider'`,
  ],
  [
    'a value of ai inside a component',
    'types-only',
    'packages/components/src/A.vue',
    `<template><p /></template>\n<script setup lang="ts">\nimport x from 'ai'\n</script>`,
  ],
  ['Vue in the engine', 'never', 'packages/engine/src/a.ts', `import { ref } from 'vue'`],
  ['a Node built-in', 'never', 'packages/components/src/a.ts', `import { join } from 'path'`],
  ['an undeclared dependency', 'undeclared', 'packages/vue/src/a.ts', `import { z } from 'zod'`],
  [
    'test material in what ships',
    'test-material',
    'packages/vue/src/a.ts',
    `import { scriptedTransport } from '@assent/engine/testing'`,
  ],
  [
    "what serves the package's own tests",
    'test-material',
    'packages/vue/src/a.ts',
    `import { frames } from './testing/frames.ts'`,
  ],
  ['a missing extension', 'extension', 'packages/vue/src/a.ts', `export * from './b'`],
  [
    'a package without a line',
    'unlisted',
    'packages/new/package.json',
    `{ "name": "@assent/new" }`,
  ],
]

const FLOORS: [from: string, to: string, typeOnly: boolean][] = [
  ['runner.ts', 'engine.ts', true],
  ['turn.ts', 'runner.ts', true],
  ['plugin.ts', 'turn.ts', true],
  ['state.ts', 'plugin.ts', true],
  ['transport/sse.ts', 'plugin.ts', true],
  ['message/apply-chunk.ts', 'state.ts', true],
  ['errors.ts', 'message/tool-part.ts', true],
  ['not-in-the-table.ts', 'runner.ts', true],
  ['plugins/tools/gate.ts', 'turn.ts', true],
  ['plugins/tools/gate.ts', 'commands.ts', false],
  ['plugins/tools/gate.ts', 'plugins/continuation.ts', false],
  ['plugins/continuation.ts', 'engine.ts', true],
  ['storage/journal.ts', 'runner.ts', true],
  ['storage/storage.ts', 'storage/journal.ts', true],
  ['testing/storage-conformance.ts', 'storage/journal.ts', true],
  ['testing/storage-conformance.ts', 'storage/storage.ts', false],
  ['testing/scripted-transport.ts', 'plugin.ts', false],
  ['testing/scripted-transport.ts', 'engine.ts', true],
  ['engine.ts', 'plugins/tools/index.ts', false],
  ['index.ts', 'testing/index.ts', false],
]

const ALLOWED: [from: string, to: string, typeOnly: boolean][] = [
  ['index.ts', 'engine.ts', false],
  ['index.ts', 'plugins/tools/index.ts', false],
  ['engine.ts', 'errors.ts', false],
  ['runner.ts', 'not-in-the-table.ts', false],
  ['not-in-the-table.ts', 'plugin.ts', false],
  ['transport/http.ts', 'state.ts', false],
  ['plugins/tools/gate.ts', 'plugins/tools/options.ts', false],
  ['plugins/tools/gate.ts', 'commands.ts', true],
  ['plugins/tools/gate.ts', 'message/tool-part.ts', false],
  ['testing/scripted-transport.ts', 'plugin.ts', true],
  ['testing/storage-conformance.ts', 'storage/storage.ts', true],
  ['storage/journal.ts', 'storage/storage.ts', true],
  ['storage/index.ts', 'storage/storage.ts', true],
  ['plugin.ts', 'storage/storage.ts', true],
  ['turn.test.ts', 'engine.ts', false],
]

function engineImport(from: string, to: string, typeOnly: boolean): [string, string] {
  const up = '../'.repeat(from.split('/').length - 1) || './'
  return [`packages/engine/src/${from}`, `import ${typeOnly ? 'type ' : ''}{ x } from '${up}${to}'`]
}

describe('check-floors', () => {
  it.each(CAUGHT)('catches %s', (_what, rule, file, text) => {
    expect(rulesBrokenBy(file, text)).toContain(rule)
  })

  it.each(FLOORS)('catches %s importing %s inside the engine', (from, to, typeOnly) => {
    expect(rulesBrokenBy(...engineImport(from, to, typeOnly))).toEqual(['engine-floor'])
  })

  it.each(ALLOWED)('lets %s import %s inside the engine', (from, to, typeOnly) => {
    expect(rulesBrokenBy(...engineImport(from, to, typeOnly))).toEqual([])
  })

  it('lets every package import what is below it, types of ai, and its dependencies', () => {
    write('packages/vue/src/b.ts', 'export const b = 1')
    const text = [
      `import type { UIMessage } from 'ai'`,
      `import { isEngineError } from '@assent/engine'`,
      `import { marked } from 'marked'`,
      `import { ref } from 'vue'`,
      `import { b } from './b.ts'`,
      `export type Part = import('ai').UIMessage['parts'][number]`,
      `export type { ChatTransport } from 'ai'`,
    ]
    expect(rulesBrokenBy('packages/vue/src/a.ts', text.join('\n'))).toEqual([])
  })

  it('lets tests use ai, Node, test material and the files of the root', () => {
    const text = [
      `import { readUIMessageStream } from 'ai'`,
      `import { join } from 'node:path'`,
      `import { expect } from 'vitest'`,
      `import { scriptedTransport } from '@assent/engine/testing'`,
      `import { findChromium } from '../../../scripts/chromium.ts'`,
    ]
    expect(rulesBrokenBy('packages/vue/src/a.test.ts', text.join('\n'))).toEqual([])
    expect(rulesBrokenBy('packages/vue/src/testing/a.ts', text.slice(0, -1).join('\n'))).toEqual([])
  })

  it('lets a configuration use the shared build settings', () => {
    const text = `import { libraryBuild } from '../../vite.config.ts'`
    expect(rulesBrokenBy('packages/engine/vite.config.ts', text)).toEqual([])
  })

  it('names file and line, also inside a component', () => {
    const text = `<template><p /></template>\n\n<script setup lang="ts">\nimport { z } from 'zod'\n</script>\n`
    write('packages/components/src/A.vue', text)
    expect(checkFloors(root).violations).toEqual([
      {
        file: 'packages/components/src/A.vue',
        line: 4,
        rule: 'undeclared',
        message: `'zod' is neither a dependency nor a peer dependency in package.json`,
      },
    ])
  })

  it('reports engine files that have no line in the table', () => {
    write('packages/engine/src/not-in-the-table.ts', '')
    write('packages/engine/src/errors.ts', '')
    expect(checkFloors(root).unplaced).toEqual(['not-in-the-table.ts'])
  })
})
