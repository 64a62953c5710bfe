// Files whose content a person is asked about, whoever wants it: keys, credentials, what steers Git
// and shells. Matched without regard to case, as some file systems do.
import {
  DATA_ENDINGS,
  EXACT_NAMES,
  FILE_NAMES,
  FOLDERS,
  FOLDERS_IN,
  NAME_SHAPES,
  SECRET_ENDINGS,
  WORDS,
} from './sensitive-names.ts'

const SHAPES: readonly RegExp[] = [
  ...NAME_SHAPES,
  new RegExp(String.raw`^(?:.*[._-])?(?:${WORDS})(?:\.(?:${DATA_ENDINGS}))?$`),
  new RegExp(String.raw`\.(?:${SECRET_ENDINGS})$`),
]

/** What is in the folder of a repository and decides what Git runs or sends. */
const IN_GIT = /^(?:config(?:\.worktree|\.lock)?|hooks|credentials|modules|worktrees|info)$/
/** Names that only look like one: what is there to be read by everybody, such as the roots of TLS. */
const HARMLESS =
  /^(?:\.env|\.dev\.vars|\.npmrc)[._-](?:example|sample|template|dist|defaults|schema)$|\.(?:example|sample|template)$|\.pub$|^ca-?certs?\.pem$/

/** What editors and people add to the name of a copy: `.env~`, `.env.swp`, `.#auth.json`, `id_rsa.bak`. */
const COPIES: readonly RegExp[] = [
  /^\.#(.+)$/,
  /^#(.+)#$/,
  /^(.+?)~+(?:\d+~)?$/,
  /^(.+)\.sw[a-z]$/,
  /^(.+)\.(?:bak|backup|old|orig|save|saved|copy|tmp|un~|\d{1,3}|rpmsave|rpmnew|dpkg-old|dpkg-dist)$/,
  /^(.+?)(?: copy| \(\d+\)| - copy)(\.[^.]+)?$/,
]

/**
 * Whether a path leads to what holds secrets or decides what programs run: `.env` files, keys,
 * credentials, `.ssh` and its like, the configuration and hooks of Git. By its names alone.
 *
 * @param path with `/` or `\` between its names; with one behind them it is known to be a folder
 */
export function isSensitivePath(path: string): boolean {
  const names = path
    .normalize('NFC')
    .toLowerCase()
    .split(/[\\/]+/)
    // Windows drops these at the end of a name.
    .map((name) => (/^\.+$/.test(name) ? name : name.replace(/[. ]+$/, '')))
    .filter((name) => name !== '' && name !== '.')
  const last = names.at(-1)
  if (last === undefined) return false
  if (names.some((name, at) => FOLDERS.has(name) || isIn(names[at - 1], name))) return true
  const git = names.findLastIndex((name) => name === '.git' || name.endsWith('.git'))
  if (git !== -1 && IN_GIT.test(names[git + 1] ?? '')) return true
  // A stream of a file on Windows is the file's own.
  const [file = last] = last.split(':')
  const isFolder = /[\\/]$/.test(path)
  return namesOf(file).some((name) => isSensitiveName(name) || (!isFolder && FILE_NAMES.has(name)))
}

/** Whether a name that ends so, as `.json`, can be that of a sensitive file. */
export function canEndSensitiveName(ending: string): boolean {
  const lower = ending.toLowerCase()
  return (
    ['x', 'secrets', '.dev'].some((name) => isSensitiveName(name + lower)) ||
    [...EXACT_NAMES].some((name) => name.endsWith(lower)) ||
    namesOf(`x${lower}`).length > 1
  )
}

function isIn(folder: string | undefined, name: string): boolean {
  return folder !== undefined && FOLDERS_IN.get(folder)?.test(name) === true
}

function isSensitiveName(name: string): boolean {
  if (HARMLESS.test(name)) return false
  return EXACT_NAMES.has(name) || SHAPES.some((shape) => shape.test(name))
}

/** No file system knows longer ones. */
const LONGEST_NAME = 255

/** A name, and the names of which it can be a copy. */
function namesOf(name: string): string[] {
  const names = [name]
  if (name.length > LONGEST_NAME) return names
  for (const copy of names) {
    for (const pattern of COPIES) {
      const [, original, ending = ''] = pattern.exec(copy) ?? []
      if (original === undefined) continue
      // The swap file of `id_rsa` is `.id_rsa.swp`.
      const swapped = pattern.source.includes('sw[a-z]') && original.startsWith('.')
      for (const one of [original + ending, ...(swapped ? [original.slice(1)] : [])]) {
        if (one !== '' && !names.includes(one)) names.push(one)
      }
    }
  }
  return names
}
