/** A name of a host that is not what it looks like. */
export interface SuspectHost {
  /** Where it stands in the text. */
  index: number
  host: string
  /** The name as computers read it: `xn--pple-43d.com`. */
  ascii: string
}

/** Names with a dot, some of whose letters are not ASCII. */
const NAME =
  /[\p{L}\p{M}\p{N}\u2460-\u24ff_-]+(?:[.\u3002\uff0e\uff61][\p{L}\p{M}\p{N}\u2460-\u24ff_-]+)+/gu
/** Scripts whose letters look alike. */
const LOOKALIKE_SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
]
/** Cyrillic, Greek and Armenian letters that cannot be told from Latin ones. */
const LOOKALIKES = /^[авеѕіјкмнорстухһԁԛԝӏьαιονυτρκχսոօցհ\d_-]+$/u

/**
 * The hosts in a text whose name mixes scripts that look alike, is written all in letters that look
 * Latin and are not, or in other forms of plain letters. Names in one script of their own are fine.
 */
export function suspectHosts(text: string): SuspectHost[] {
  if (isAscii(text)) return []
  return [...text.matchAll(NAME)].flatMap((match) => {
    const [host] = match
    const ascii = isAscii(host) || !isSuspect(host) ? undefined : asciiOf(host)
    return ascii === undefined ? [] : [{ index: match.index, host, ascii }]
  })
}

function isSuspect(host: string): boolean {
  if (host.normalize('NFKC') !== host.normalize('NFC')) return true
  const labels = host.split('.')
  const isLatinEnd = isAscii(labels.at(-1) ?? '')
  return labels.some((label) => {
    if (isAscii(label)) return false
    const scripts = LOOKALIKE_SCRIPTS.filter((script) => script.test(label))
    return scripts.length > 1 || (isLatinEnd && LOOKALIKES.test(label.toLowerCase()))
  })
}

/** As a browser would look the name up; `undefined` for what is no name of a host. */
function asciiOf(host: string): string | undefined {
  try {
    const { hostname } = new URL(`http://${host}`)
    return hostname === '' || hostname === host ? undefined : hostname
  } catch {
    return undefined
  }
}

function isAscii(text: string): boolean {
  return !/[^ -~\s]/.test(text)
}
