/** A file that Git keeps. */
export interface TrackedFile {
  /** From the root of the repository on, with `/`. */
  readonly path: string
  /** It is another repository inside of this one. */
  readonly isRepository: boolean
  readonly isLink: boolean
}

/** Bytes of an entry before its name: times, mode, ids, size, a hash of 20 bytes, flags. */
const ENTRY_BYTES = 62
const MODE_AT = 24
const FLAGS_AT = 60
const REPOSITORY = 0o160_000
const LINK = 0o120_000
const FOLDER = 0o040_000
/** Entries after which others have their turn. */
const AT_ONCE = 1_000
const MOST_FILES = 200_000

/**
 * Reads which files the index of a repository names. Throws for one that cannot be read in full: of
 * another hash, in several files, or with folders in the place of files.
 */
export async function readGitIndex(bytes: Buffer): Promise<readonly TrackedFile[]> {
  const version = bytes.readUInt32BE(4)
  const count = bytes.readUInt32BE(8)
  const isKnown = bytes.toString('latin1', 0, 4) === 'DIRC' && version >= 2 && version <= 4
  if (!isKnown || count > MOST_FILES) throw new Error('The index of Git cannot be read.')
  const files: TrackedFile[] = []
  let at = 12
  let last = ''
  for (let index = 0; index < count; index++) {
    if (index % AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve))
    const mode = bytes.readUInt32BE(at + MODE_AT)
    const isLong = version > 2 && (bytes.readUInt16BE(at + FLAGS_AT) & 0x4000) !== 0
    let from = at + ENTRY_BYTES + (isLong ? 2 : 0)
    let shared = ''
    if (version === 4) {
      // How much of the name before is not shared: seven bits a byte, each further one counts one more.
      let cut = bytes.readUInt8(from) & 0x7f
      while (bytes.readUInt8(from++) & 0x80) cut = ((cut + 1) << 7) | (bytes.readUInt8(from) & 0x7f)
      shared = last.slice(0, last.length - cut)
    }
    const end = bytes.indexOf(0, from)
    if (end === -1 || mode === FOLDER) throw new Error('The index of Git cannot be read.')
    // Byte by byte: a part of a name may end inside of a character.
    last = shared + bytes.toString('latin1', from, end)
    const path = Buffer.from(last, 'latin1').toString('utf8')
    files.push({ path, isRepository: mode === REPOSITORY, isLink: mode === LINK })
    at = version === 4 ? end + 1 : at + Math.ceil((end - at + 1) / 8) * 8
  }
  // Its end is a hash, or pieces that begin with their names. In `link` is what another file holds.
  const piece = bytes.toString('latin1', at, at + 4)
  if (bytes.length - at !== 20 && (!/^[A-Za-z]{4}$/.test(piece) || piece === 'link')) {
    throw new Error('The index of Git cannot be read.')
  }
  return files
}
