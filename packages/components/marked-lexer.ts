import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import type { Plugin } from 'vite'

/**
 * Takes the lexer out of `marked` and leaves the rest: its published file is one module that makes an
 * instance of everything, which no bundler can drop. The lexer's own sources are in the source map that
 * comes with it, so what is built is what it was published from.
 *
 * @param dir absolute path of the folder that the modules seem to be in
 */
export function markedLexer(dir: string): Plugin {
  const sources = readSources()
  const pathOf = (name: string): string => join(dir, name)
  return {
    name: 'marked-lexer',
    enforce: 'pre',
    resolveId(id, importer) {
      if (id === 'marked') return pathOf('Lexer.ts')
      if (!importer?.startsWith(dir) || !id.startsWith('.')) return undefined
      const path = resolve(dir, id)
      return sources.has(path.slice(dir.length + 1)) ? path : undefined
    },
    load(id) {
      if (!id.startsWith(`${dir}/`)) return undefined
      const name = id.slice(dir.length + 1)
      const source = sources.get(name)
      if (source === undefined) return undefined
      return name === 'Lexer.ts' ? `${NOTICE}\n${source}\nexport { _Lexer as Lexer }` : source
    },
  }
}

const NOTICE = `/*!
 * The lexer of marked. Copyright (c) 2018+, MarkedJS; copyright (c) 2011-2018, Christopher Jeffrey.
 * MIT licence: https://github.com/markedjs/marked/blob/master/LICENSE.md
 */`

function readSources(): ReadonlyMap<string, string> {
  const file = createRequire(import.meta.url).resolve('marked')
  const map: { sources?: string[]; sourcesContent?: string[] } = JSON.parse(
    readFileSync(`${file}.map`, 'utf8'),
  )
  const sources = new Map(
    map.sources?.map((source, index) => [
      source.replace('../src/', ''),
      map.sourcesContent?.[index] ?? '',
    ]),
  )
  for (const name of ['Lexer.ts', 'Tokenizer.ts', 'rules.ts', 'helpers.ts', 'defaults.ts']) {
    if (!sources.get(name)) throw new Error(`The source map of marked has no ${name} any more.`)
  }
  return sources
}
