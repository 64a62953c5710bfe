import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { DefaultTheme } from 'vitepress'

/** What stands together, in this order; a page that is named nowhere comes at the end. */
const GROUPS: readonly { text: string; pages: readonly string[] }[] = [
  {
    text: 'Assent',
    pages: ['index', 'quick-start', 'from-use-chat', 'rules', 'errors', 'approval-conformance'],
  },
  {
    text: 'Components',
    pages: [
      'installing',
      'gallery',
      'asking',
      'approvals',
      'message-actions',
      'markdown',
      'scrolling',
      'composer',
      'drafts',
      'conversation-list',
    ],
  },
  { text: 'Make them yours', pages: ['theming', 'locales', 'tool-renderers'] },
]
const REST = 'More'

/** The pages of a folder, by the first heading of each. */
export function sidebarOf(folder: string): DefaultTheme.SidebarItem[] {
  const pages = new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .toSorted()
      .map((name) => [basename(name, '.md'), titleOf(join(folder, name))]),
  )
  const grouped = new Set(GROUPS.flatMap((group) => group.pages))
  const rest = [...pages.keys()].filter((page) => !grouped.has(page))
  return [...GROUPS, { text: REST, pages: rest }]
    .map((group) => ({
      text: group.text,
      items: group.pages.flatMap((page) => {
        const text = pages.get(page)
        return text === undefined ? [] : [{ text, link: page === 'index' ? '/' : `/${page}` }]
      }),
    }))
    .filter(({ items }) => items.length > 0)
}

function titleOf(file: string): string {
  const [, title] = /^# (.+)$/m.exec(readFileSync(file, 'utf8')) ?? []
  if (title === undefined) throw new Error(`${file} has no heading: begin it with "# …".`)
  return title.replaceAll('`', '')
}
