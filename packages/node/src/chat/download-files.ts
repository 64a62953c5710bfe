import type { IncomingMessage, RequestOptions } from 'node:http'
import { isIP } from 'node:net'
import type { streamText } from 'ai'
import {
  isPublicAddress,
  resolveBySystem,
  type Resolve,
  type ResolvedAddress,
} from './public-address.ts'

/** Fetches the files of a prompt, as the AI SDK's `download` does. */
export type DownloadFunction = NonNullable<
  Parameters<typeof streamText>[0]['experimental_download']
>

/** Options of {@link downloadFiles}. */
export interface DownloadFilesOptions {
  /** Which addresses may be fetched from. It is asked about each redirect, too. */
  readonly allow: (url: URL) => boolean
  /** Of one file. Default 20 MB. */
  readonly maxBytes?: number
  /** For one file, with its redirects, in milliseconds. Default 20,000. */
  readonly timeoutMs?: number
  /** Finds the addresses of a name. Default: the operating system. */
  readonly resolve?: Resolve
  /** Which addresses may be connected to. Default: those of the public internet. */
  readonly isPublic?: (address: string) => boolean
}

/** More redirects lead nowhere. */
const MAX_REDIRECTS = 5

/**
 * Lets `createChatHandler` fetch the files of messages that the model cannot fetch itself. Pages name these
 * addresses, so what is fetched is only what `allow` takes, and only from the public internet: the address that was
 * checked is the one that is connected to, whatever the name leads to a moment later, and each redirect is
 * checked anew. No cookies and no credentials go along.
 */
export function downloadFiles(options: DownloadFilesOptions): DownloadFunction {
  return (files) =>
    Promise.all(
      files.map(({ url, isUrlSupportedByModel, abortSignal }) =>
        isUrlSupportedByModel ? null : download(url, options, abortSignal),
      ),
    )
}

/** Fetches nothing: what the model does not fetch itself is an error. */
export const refuseDownloads: DownloadFunction = async (files) =>
  files.map(({ url, isUrlSupportedByModel }) => {
    if (isUrlSupportedByModel) return null
    throw new Error(
      `The model does not fetch ${siteOf(url)} itself, and this server fetches nothing for a page. Send files as data URLs, or say by "download: downloadFiles({ allow })" what it may fetch.`,
    )
  })

async function download(
  first: URL,
  options: DownloadFilesOptions,
  abortSignal: AbortSignal | undefined,
): Promise<{ data: Uint8Array; mediaType: string | undefined }> {
  const { maxBytes = 20 * 1024 * 1024, timeoutMs = 20_000 } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = abortSignal ? AbortSignal.any([timeout, abortSignal]) : timeout
  let url = first
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetchOnce(url, await checkedAddress(url, options), signal)
    const { statusCode = 0, headers } = response
    const { location } = headers
    if (statusCode >= 300 && statusCode < 400 && location !== undefined) {
      response.destroy()
      if (!URL.canParse(location, url)) throw refused(url, 'its redirect leads nowhere')
      url = new URL(location, url)
      continue
    }
    if (statusCode !== 200) {
      response.destroy()
      throw refused(url, `it was answered with ${statusCode}`)
    }
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of response) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw refused(url, `it is over ${maxBytes} bytes`)
      chunks.push(chunk)
    }
    return { data: new Uint8Array(Buffer.concat(chunks)), mediaType: headers['content-type'] }
  }
  throw refused(first, `it was redirected more than ${MAX_REDIRECTS} times`)
}

/** The one address that is connected to. */
async function checkedAddress(
  url: URL,
  { allow, resolve = resolveBySystem, isPublic = isPublicAddress }: DownloadFilesOptions,
): Promise<ResolvedAddress> {
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  if (!isWeb || url.username !== '' || url.password !== '' || !allow(url)) {
    throw refused(url, 'it is not allowed')
  }
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const family = isIP(name)
  const addresses = family === 0 ? await resolve(name) : [{ address: name, family }]
  const [address] = addresses
  // One that is not is enough: nobody has both by chance.
  if (!address || !addresses.every((found) => isPublic(found.address))) {
    throw refused(url, 'it is not on the public internet')
  }
  return address
}

async function fetchOnce(
  url: URL,
  { address, family }: ResolvedAddress,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const options: RequestOptions = {
    signal,
    // A connection that is kept could be one to another address.
    agent: false,
    headers: { 'accept-encoding': 'identity' },
    lookup: (_name, { all }, found) =>
      all ? found(null, [{ address, family }]) : found(null, address, family),
  }
  // Only when it is needed: it takes a fifth of the time in which all of this package is loaded.
  const { request } =
    url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  return new Promise((resolve, reject) => {
    request(url, options).on('response', resolve).on('error', reject).end()
  })
}

function refused(url: URL, why: string): Error {
  return new Error(`${siteOf(url)}${url.pathname} was not fetched: ${why}.`)
}

/** Where an address leads, without what it says of users; of `file:` and the like the origin is `null`. */
function siteOf({ protocol, host }: URL): string {
  return `${protocol}//${host}`
}
