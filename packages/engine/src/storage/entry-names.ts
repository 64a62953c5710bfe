/** What the name of an entry says. */
export type EntryName =
  | { readonly kind: 'record'; readonly namespace: string; readonly key: string }
  | { readonly kind: 'pending' | 'fence'; readonly namespace: string }

/** How a storage names its entries. */
export interface EntryNames {
  /** What all names begin with. */
  readonly base: string
  /** What the names of all records of a namespace begin with. */
  records(namespace: string): string
  record(namespace: string, key: string): string
  /** The entry that holds a change of the namespace while it is being made. */
  pending(namespace: string): string
  /** The entry that holds the greatest token of the namespace. */
  fence(namespace: string): string
  /** `undefined` for a name that is none of these. */
  parse(name: string): EntryName | undefined
}

/** Longest part of a name; file systems allow 255 bytes. */
const PIECE = 100
/** What ends a piece that goes on in the next one. The encoding below never ends with it. */
const GOES_ON = '_'

/**
 * Names that any backend can take: lower-case letters, digits, `-` and `_`, in parts joined by `:`.
 * File systems that ignore case, forbid signs or reserve names, and stores that tidy up their keys,
 * keep two of them apart when they differ.
 */
export function entryNames(prefix: string): EntryNames {
  const base = `${encodePart('', prefix)}:`
  const records = (namespace: string): string => `${base}r:${encodePart('n-', namespace)}:`
  return {
    base,
    records,
    record: (namespace, key) => `${records(namespace)}${encodePart('k-', key)}`,
    pending: (namespace) => `${base}w:${encodePart('n-', namespace)}`,
    fence: (namespace) => `${base}f:${encodePart('n-', namespace)}`,
    parse: (name) => {
      if (!name.startsWith(base)) return undefined
      const [kind, first, second, ...rest] = joinPieces(name.slice(base.length).split(':'))
      const namespace = decodePart('n-', first)
      if (namespace === undefined || rest.length > 0) return undefined
      if (kind === 'w' || kind === 'f') {
        if (second !== undefined) return undefined
        return { kind: kind === 'w' ? 'pending' : 'fence', namespace }
      }
      const key = kind === 'r' ? decodePart('k-', second) : undefined
      return key === undefined ? undefined : { kind: 'record', namespace, key }
    },
  }
}

/** Every other code unit becomes `_` and four hexadecimal digits. */
function encodePart(mark: string, text: string): string {
  const encoded = text.replaceAll(
    /[^a-z0-9-]/g,
    (unit) => `_${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return [...cut(mark + encoded)].join(`${GOES_ON}:`)
}

function* cut(text: string): Generator<string> {
  for (let at = 0; at === 0 || at < text.length; at += PIECE) yield text.slice(at, at + PIECE)
}

function joinPieces(pieces: readonly string[]): string[] {
  const parts: string[] = []
  let begun = ''
  for (const piece of pieces) {
    if (piece.endsWith(GOES_ON)) begun += piece.slice(0, -GOES_ON.length)
    else {
      parts.push(begun + piece)
      begun = ''
    }
  }
  return parts
}

function decodePart(mark: string, part: string | undefined): string | undefined {
  if (part === undefined || !part.startsWith(mark)) return undefined
  const encoded = part.slice(mark.length)
  if (!/^(?:[a-z0-9-]|_[0-9a-f]{4})*$/.test(encoded)) return undefined
  return encoded.replaceAll(/_(.{4})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
