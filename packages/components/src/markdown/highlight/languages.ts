import type { LanguageInput } from 'shiki/core'

/** A language and how to get its grammar. */
export interface Language {
  /** As its grammar is called. */
  name: string
  grammar: LanguageInput
}

/** Languages by the names that models give them; each is loaded when code of it is shown. */
export const LANGUAGES: ReadonlyMap<string, Language> = new Map(
  (
    [
      ['bash', () => import('shiki/langs/bash.mjs'), 'sh', 'shell', 'zsh', 'console'],
      ['c', () => import('shiki/langs/c.mjs'), 'h'],
      ['cpp', () => import('shiki/langs/cpp.mjs'), 'c++', 'hpp'],
      ['csharp', () => import('shiki/langs/csharp.mjs'), 'c#', 'cs'],
      ['css', () => import('shiki/langs/css.mjs')],
      ['diff', () => import('shiki/langs/diff.mjs'), 'patch'],
      ['docker', () => import('shiki/langs/docker.mjs'), 'dockerfile'],
      ['go', () => import('shiki/langs/go.mjs'), 'golang'],
      ['html', () => import('shiki/langs/html.mjs')],
      ['java', () => import('shiki/langs/java.mjs')],
      ['javascript', () => import('shiki/langs/javascript.mjs'), 'js', 'mjs', 'cjs'],
      ['json', () => import('shiki/langs/json.mjs'), 'jsonc', 'json5'],
      ['jsx', () => import('shiki/langs/jsx.mjs')],
      ['kotlin', () => import('shiki/langs/kotlin.mjs'), 'kt'],
      ['markdown', () => import('shiki/langs/markdown.mjs'), 'md'],
      ['php', () => import('shiki/langs/php.mjs')],
      ['powershell', () => import('shiki/langs/powershell.mjs'), 'ps1'],
      ['python', () => import('shiki/langs/python.mjs'), 'py'],
      ['ruby', () => import('shiki/langs/ruby.mjs'), 'rb'],
      ['rust', () => import('shiki/langs/rust.mjs'), 'rs'],
      ['scss', () => import('shiki/langs/scss.mjs')],
      ['sql', () => import('shiki/langs/sql.mjs')],
      ['swift', () => import('shiki/langs/swift.mjs')],
      ['toml', () => import('shiki/langs/toml.mjs')],
      ['tsx', () => import('shiki/langs/tsx.mjs')],
      ['typescript', () => import('shiki/langs/typescript.mjs'), 'ts', 'mts', 'cts'],
      ['vue', () => import('shiki/langs/vue.mjs')],
      ['xml', () => import('shiki/langs/xml.mjs'), 'svg'],
      ['yaml', () => import('shiki/langs/yaml.mjs'), 'yml'],
    ] as const
  ).flatMap(([name, grammar, ...aliases]) =>
    [name, ...aliases].map((alias): [string, Language] => [alias, { name, grammar }]),
  ),
)
