/** Separators of folders, what systems refuse, and whatever hides or turns around other characters. */
const UNFIT = /[\\/:*?"<>|]|[\p{C}\p{Zl}\p{Zp}]/gu
const LENGTH = 120

/** A name under which a file can be saved: no path, nothing hidden, and not a hidden file. */
export function saveName(filename: string | undefined, mediaType: string): string {
  const name = (filename ?? '')
    .replace(UNFIT, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '')
    .slice(-LENGTH)
  if (name !== '') return name
  const [, extension = 'bin'] = /^[a-z]+\/([a-z\d]{1,8})$/.exec(mediaType) ?? []
  return `file.${extension}`
}
