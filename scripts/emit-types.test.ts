import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ROOT } from './child.ts'
import { checkAsConsumer, RESOLUTIONS } from './consumer-types.ts'
import { emitTypes, pointToOutput } from './emit-types.ts'

// They start programs of their own, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 })

let root: string
let packageDir: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assent-types-'))
  packageDir = join(root, 'node_modules/kit')
  write('node_modules/kit/package.json', {
    name: 'kit',
    type: 'module',
    exports: { '.': { types: './dist/index.d.ts' } },
  })
  write('node_modules/kit/tsconfig.build.json', {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: 'src',
      outDir: 'dist',
    },
    include: ['src/**/*.ts'],
  })
})

afterEach(() => rmSync(root, { recursive: true }))

function write(file: string, content: unknown): string {
  const path = join(root, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

it('points every kind of reference to the output', () => {
  const declarations = [
    `import type { A } from './a.ts';`,
    `export * from "../b.ts";`,
    `import Bubble from './Bubble.vue';`,
    `export declare const c: import('./c.ts').C;`,
    `declare module '../../commands.ts' {`,
    `    interface CommandMap {`,
    `    }`,
    `}`,
    `import type { D } from './d.d.ts';`,
    `import type { E } from 'pkg/e.ts';`,
    `/** Not one: import './f.ts' */`,
  ]
  expect(pointToOutput(declarations.join('\n')).split('\n')).toEqual([
    `import type { A } from './a.js';`,
    `export * from "../b.js";`,
    `import Bubble from './Bubble.vue.js';`,
    `export declare const c: import('./c.js').C;`,
    `declare module '../../commands.js' {`,
    `    interface CommandMap {`,
    `    }`,
    `}`,
    `import type { D } from './d.d.ts';`,
    `import type { E } from 'pkg/e.ts';`,
    `/** Not one: import './f.ts' */`,
  ])
})

it('keeps an augmentation of another file alive for users, however they resolve types', () => {
  write('node_modules/kit/src/commands.ts', 'export interface CommandMap {}')
  write(
    'node_modules/kit/src/plugins/tools/options.ts',
    `export interface Decision { readonly toolCallId: string }
     declare module '../../commands.ts' { interface CommandMap { resume: Decision } }`,
  )
  write(
    'node_modules/kit/src/index.ts',
    `export type { CommandMap } from './commands.ts'
     export type { Decision } from './plugins/tools/options.ts'`,
  )
  expect(emitTypes(packageDir)).toBe(0)
  expect(readFileSync(join(packageDir, 'dist/plugins/tools/options.d.ts'), 'utf8')).toContain(
    `declare module '../../commands.js'`,
  )

  write('package.json', { type: 'module' })
  const good = write(
    'good.ts',
    `import type { CommandMap } from 'kit'
     export const id = (command: CommandMap['resume']): string => command.toolCallId`,
  )
  const bad = write(
    'bad.ts',
    `import type { CommandMap } from 'kit'
     export const id = (command: CommandMap['resume']): number => command.toolCallId`,
  )
  for (const resolution of RESOLUTIONS) {
    expect(checkAsConsumer([good], packageDir, resolution)).toEqual([])
    expect(checkAsConsumer([bad], packageDir, resolution)).toEqual([
      expect.stringContaining(`Type 'string' is not assignable to type 'number'`),
    ])
  }
})

it('reports declarations that users cannot resolve', () => {
  write('node_modules/kit/dist/index.d.ts', `export { a } from './a.ts'`)
  write('package.json', { type: 'module' })
  const file = write('use.ts', `export { a } from 'kit'`)
  expect(checkAsConsumer([file], packageDir, 'node')).not.toEqual([])
})

it('writes nothing when the sources have a type error', () => {
  write('node_modules/kit/src/index.ts', `export const a: string = 1`)
  expect(emitTypes(packageDir, 'ignore')).not.toBe(0)
  expect(existsSync(join(packageDir, 'dist'))).toBe(false)
})
