/**
 * Whether a file is of a kind that `accept` names, by the rules of a file input: a list of media types
 * (`image/png`, `image/*`) and of endings (`.pdf`). A drop and a paste pass by the input's own check.
 */
export function accepts(accept: string | undefined, { name, type }: Pick<File, 'name' | 'type'>) {
  const kinds = (accept ?? '')
    .toLowerCase()
    .split(',')
    .flatMap((kind) => kind.trim() || [])
  if (kinds.length === 0) return true
  const [lowName, lowType] = [name.toLowerCase(), type.toLowerCase()]
  return kinds.some((kind) => {
    if (kind === '*/*' || kind === '*') return true
    if (kind.startsWith('.')) return lowName.endsWith(kind)
    if (kind.endsWith('/*')) return lowType.startsWith(kind.slice(0, -1))
    return lowType === kind
  })
}
