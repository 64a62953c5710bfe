import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, posix, sep } from 'node:path'

/** A file or heading that a page names and that is not there. */
export interface MissingName {
  /** The page, relative to the root, with `/`. */
  readonly page: string
  /** Counted from 1. */
  readonly line: number
  readonly name: string
}

/** Which names of a page are looked at: all, or, where it shows files of its readers, its links only. */
export type NameKinds = 'all' | 'links'

const LINK = /\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g
const CODE = /`([^`\n]+)`/g
/** What a name in code ends with when it is a file of ours. */
const FILE = /^[\w@.<>*{},-][\w@.<>*{},/-]*\.(?:ts|mts|mjs|vue|md|css|json|yaml|html)$/
/** A place that is to be filled in, such as `<code>`: only what is around it can be there. */
const PLACEHOLDER = /<[^>]+>/g
const LEFT_OUT = ['**/node_modules', '**/dist', '.git', '**/.vitepress/cache']

/** Finds what the pages name and the workspace does not have. */
export function missingNames(
  root: string,
  pages: readonly (readonly [page: string, kinds: NameKinds])[],
): MissingName[] {
  const workspace = readWorkspace(root)
  return pages.flatMap(([page, kinds]) => {
    const text = readFileSync(join(root, page), 'utf8')
    let isFence = false
    return text.split('\n').flatMap((content, index) => {
      if (/^\s*(?:```|~~~)/.test(content)) {
        isFence = !isFence
        return []
      }
      const names = namesIn(content, isFence, workspace, kinds)
      return names
        .filter(({ name, isLink }) =>
          isLink ? !isLinked(root, page, name) : !isThere(workspace, page, name),
        )
        .map(({ name }) => ({ page, line: index + 1, name }))
    })
  })
}

interface Workspace {
  /** The names at its top that paths begin with. */
  readonly folders: ReadonlySet<string>
  /** All files and folders, with `/`. */
  readonly paths: readonly string[]
}

function readWorkspace(root: string): Workspace {
  const found = globSync('{*,.*}/**', { cwd: root, exclude: LEFT_OUT })
  const top = globSync('{*,.[a-z]*}', { cwd: root, exclude: LEFT_OUT })
  const paths = [...new Set([...top, ...found])].map((path) => path.split(sep).join('/'))
  const folders = paths.flatMap((path) => path.match(/^[^/]+(?=\/)/) ?? [])
  return { folders: new Set(folders), paths }
}

interface Named {
  readonly name: string
  readonly isLink: boolean
}

function namesIn(
  line: string,
  isFence: boolean,
  { folders }: Workspace,
  kinds: NameKinds,
): Named[] {
  const isOurs = (word: string) => folders.has(word.split('/')[0] ?? '') && word.includes('/')
  const inCode = (name: string): Named[] => [{ name, isLink: false }]
  if (isFence) {
    if (kinds === 'links') return []
    return line
      .split(/[\s'"`()=,]+/)
      .filter(isOurs)
      .flatMap(inCode)
  }
  const links = [...line.matchAll(LINK)].map(([, link, attribute]) => link ?? attribute ?? '')
  const ownLinks = links.filter((link) => !/^(?:[a-z]+:|\/)/.test(link))
  const linked = ownLinks.map((name) => ({ name, isLink: true }))
  if (kinds === 'links') return linked
  const words = [...line.matchAll(CODE)].flatMap(([, code = '']) => code.split(/\s+/))
  return [...linked, ...words.filter((word) => isOurs(word) || FILE.test(word)).flatMap(inCode)]
}

function isLinked(root: string, page: string, link: string): boolean {
  const [path = '', heading] = link.split('#')
  const file = path === '' ? page : posix.join(dirname(page), path)
  if (!existsSync(join(root, file))) return false
  return heading === undefined || !file.endsWith('.md') || hasHeading(join(root, file), heading)
}

/** Whether a page has a heading of this address, as GitHub and VitePress make them. */
function hasHeading(file: string, wanted: string): boolean {
  const headings = readFileSync(file, 'utf8').match(/^#+ .*$/gm) ?? []
  return headings.some((heading) => addressOf(heading.replace(/^#+ /, '')) === wanted)
}

function addressOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

/** Whether a name in code is there: from the root, beside the page, or as the end of a path. */
function isThere({ paths }: Workspace, page: string, word: string): boolean {
  const name = word.replace(/:\d+$/, '').replace(/\/$/, '')
  const isWhole = !name.includes('<')
  // Of a file that is to be made, its folder must be there.
  const wanted = isWhole ? name : posix.dirname(name.replace(PLACEHOLDER, '*'))
  if (!isWhole && (wanted === '.' || wanted.includes('*'))) return true
  const beside = posix.join(dirname(page), wanted)
  const matches = /[*{]/.test(wanted)
    ? (path: string) =>
        [wanted, beside, `**/${wanted}`].some((glob) => posix.matchesGlob(path, glob))
    : (path: string) => path === wanted || path === beside || path.endsWith(`/${wanted}`)
  return paths.some(matches)
}
