const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i

/**
 * What Windows would make something else of: a drive without its folder, a network share, a device,
 * a stream of a file, a short name, a name that ends with a dot or a space.
 *
 * @returns what is wrong with the path, in words
 */
export function oddOnWindows(path: string): string | undefined {
  if (/^[\\/]{2}/.test(path)) return 'it names a network share or a device'
  if (/^[A-Za-z]:(?![\\/])/.test(path)) return 'it depends on the folder of a drive'
  const names = path.replace(/^[A-Za-z]:/, '').split(/[\\/]+/)
  for (const name of names) {
    if (name === '.' || name === '..') continue
    if (name.includes(':')) return 'it names a stream of a file'
    if (/[. ]$/.test(name)) return 'a name in it ends with a dot or a space'
    if (RESERVED.test(name)) return 'it names a device'
    if (/~\d+(?:\.|$)/.test(name)) return 'it uses a short name'
    if (/[<>"|?*]/.test(name)) return 'it holds a character that no name may hold'
  }
  return undefined
}
