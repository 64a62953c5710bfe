const TEXTS = {
  EACCES: 'permission denied',
  EAGAIN: 'the file is being changed',
  EBUSY: 'it is in use',
  EEXIST: 'file already exists',
  EFBIG: 'the file is too large',
  EINVAL: 'invalid argument',
  EISDIR: 'it is a folder',
  ELOOP: 'too many links',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
} as const

/** Why a file system says no. */
export type FileErrorCode = keyof typeof TEXTS

/** An error as the programs of the simulated shell expect it: with the code at the beginning of its message. */
export function fileError(code: FileErrorCode, path: string): Error {
  return Object.assign(new Error(`${code}: ${TEXTS[code]}, '${path}'`), { code })
}

/** Whether an error says that there is nothing at a path. */
export function isMissing(error: unknown): boolean {
  // `Reflect` and the like are not to be had while a command runs.
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'ENOENT' || error.code === 'ENOTDIR'
}
