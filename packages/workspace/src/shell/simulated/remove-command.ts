import { defineCommand, type IFileSystem } from 'just-bash'
import { isMissing } from './file-error.ts'

interface Options {
  isForced: boolean
  isRecursive: boolean
  isForEmptyFolders: boolean
  isVerbose: boolean
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['--force', 'f'],
  ['--recursive', 'r'],
  ['--dir', 'd'],
  ['--verbose', 'v'],
  ['--interactive=never', 'f'],
  ['--preserve-root', ''],
])
const CAUSES: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'Permission denied'],
  ['EBUSY', 'Device or resource busy'],
  ['EFBIG', 'File too large'],
  ['ENOENT', 'No such file or directory'],
  ['ENOTDIR', 'Not a directory'],
  ['ENOTEMPTY', 'Directory not empty'],
  ['EPERM', 'Operation not permitted'],
  ['EROFS', 'Read-only file system'],
])

/**
 * `rm` as GNU has it. That of the library says nothing where `-f` meets what cannot be removed, and
 * does not refuse `.` and `..`.
 */
export const removeCommand = defineCommand('rm', async (args, { fs, cwd }) => {
  const { options, paths, wrong } = readOptions(args)
  if (wrong !== undefined) return failed(`${wrong}\n`)
  if (paths.length === 0) return options.isForced ? ended('', '') : failed('missing operand\n')
  let said = ''
  let errors = ''
  for (const path of paths) {
    try {
      const names = await remove(path, fs, cwd, options)
      if (options.isVerbose) said += names.map((name) => `removed ${name}\n`).join('')
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      errors += `rm: ${error.message}\n`
    }
  }
  return ended(said, errors)
})

/** Why something stays, in the words of the program. */
class Refused extends Error {}

/** Removes one path; answers what went. */
async function remove(
  path: string,
  fs: IFileSystem,
  cwd: string,
  { isForced, isRecursive, isForEmptyFolders, isVerbose }: Options,
): Promise<string[]> {
  const cannot = (why: string, cause?: unknown) =>
    new Refused(`cannot remove '${path}': ${why}`, { cause })
  const bare = path.replace(/\/+$/, '')
  const place = fs.resolvePath(cwd, path)
  const found = await fs.lstat(place).catch((error: unknown) => {
    if (!isMissing(error)) throw cannot(causeOf(error), error)
    return undefined
  })
  if (!found) {
    if (isForced) return []
    throw cannot('No such file or directory')
  }
  if (!found.isDirectory && bare !== path) throw cannot('Not a directory')
  if (found.isDirectory) {
    if (!isRecursive && !isForEmptyFolders) throw cannot('Is a directory')
    if (/^\.\.?$/.test(bare.slice(bare.lastIndexOf('/') + 1))) {
      throw new Refused(`refusing to remove '.' or '..' directory: skipping '${path}'`)
    }
    if (place === '/') throw new Refused(`it is dangerous to operate recursively on '/'`)
  }
  const names = isVerbose ? await namesOf(bare, place, fs) : []
  try {
    await fs.rm(place, { recursive: isRecursive })
  } catch (error) {
    throw cannot(causeOf(error), error)
  }
  return names
}

/** What goes with a path, in the order of the program: a folder after what is in it. */
async function namesOf(path: string, place: string, fs: IFileSystem): Promise<string[]> {
  const { isDirectory } = await fs.lstat(place)
  if (!isDirectory) return [`'${path}'`]
  const names: string[] = []
  for (const name of await fs.readdir(place)) {
    names.push(...(await namesOf(`${path}/${name}`, `${place}/${name}`, fs)))
  }
  return [...names, `directory '${path}'`]
}

function readOptions(args: readonly string[]) {
  const options: Options = {
    isForced: false,
    isRecursive: false,
    isForEmptyFolders: false,
    isVerbose: false,
  }
  const end = args.indexOf('--')
  const isOption = (arg: string, at: number) =>
    arg.length > 1 && arg.startsWith('-') && (end === -1 || at < end)
  const paths = args.filter((arg, at) => at !== end && !isOption(arg, at))
  for (const arg of args.filter(isOption)) {
    const letters = arg.startsWith('--') ? WORDS.get(arg) : arg.slice(1)
    if (letters === undefined) return { options, paths, wrong: `unrecognized option '${arg}'` }
    for (const letter of letters) {
      if (letter === 'f') options.isForced = true
      else if (letter === 'r' || letter === 'R') options.isRecursive = true
      else if (letter === 'd') options.isForEmptyFolders = true
      else if (letter === 'v') options.isVerbose = true
      else return { options, paths, wrong: `invalid option -- '${letter}'` }
    }
  }
  return { options, paths }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) throw error
  const code = /^E[A-Z]+/.exec(error.message)?.[0] ?? ''
  const cause = CAUSES.get(code)
  // What is no answer of the files, such as a limit, is not this command's to tell.
  if (cause === undefined) throw error
  return cause
}

const failed = (why: string) => ended('', `rm: ${why}`)
const ended = (stdout: string, stderr: string) => ({
  stdout,
  stderr,
  exitCode: stderr === '' ? 0 : 1,
})
