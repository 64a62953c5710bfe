const LINKS = new Set(['http:', 'https:', 'mailto:'])
const IMAGE_DATA = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)[;,]/i

/**
 * A link's address when it may be followed, else `undefined`. Only absolute `http`, `https` and
 * `mailto` addresses may: a relative one would act on the app itself.
 */
export function safeLink(href: string): URL | undefined {
  const url = parse(href)
  return url && LINKS.has(url.protocol) ? url : undefined
}

/** Whether an address holds the thing itself, so that nothing is loaded from anywhere. */
export function isCarried(address: string): boolean {
  return /^(?:data|blob):/i.test(address)
}

/** What becomes of an image: shown at once, shown when asked for, or not at all. */
export type ImageSource =
  | { kind: 'inline'; src: string }
  | { kind: 'external'; src: string; host: string }
  | { kind: 'refused' }

/** Images that carry their data are shown; loading one from a host tells that host about the reader. */
export function imageSource(address: string): ImageSource {
  if (IMAGE_DATA.test(address)) return { kind: 'inline', src: address }
  const url = parse(address)
  if (url?.protocol === 'blob:') return { kind: 'inline', src: address }
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return { kind: 'refused' }
  return { kind: 'external', src: url.href, host: url.host }
}

/**
 * The host that a link leads to when its text names another one: `[bank.com](https://evil.com)`.
 * `undefined` when the text claims nothing or tells the truth.
 */
export function contradictedHost(text: string, url: URL): string | undefined {
  if (url.protocol === 'mailto:') return undefined
  const claimed = /^\s*(?:https?:\/\/)?([\w-]+(?:\.[\w-]+)*\.[a-z]{2,})(?:[/:?#]|\s*$)/i.exec(text)
  if (!claimed?.[1]) return undefined
  const [claimedHost, host] = [bare(claimed[1]), bare(url.hostname)]
  return claimedHost === host ? undefined : url.host
}

function bare(host: string): string {
  return host.toLowerCase().replace(/^www\./, '')
}

function parse(address: string): URL | undefined {
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}
