import { RequestError } from './request-error.ts'

/** From where a chat may be called that knows no users. */
export interface CallerRules {
  /** Host names, with or without a port, beside those of this machine. */
  readonly allowedHosts: readonly string[]
  /** Origins of pages, such as `https://app.example`, beside the chat's own. */
  readonly allowedOrigins: readonly string[]
}

/**
 * Checks where a request was sent to, and by whose page. Whoever is let in without a question is let in because they
 * are at this machine: so it must be called by a name of this machine, which no page elsewhere can make its own
 * (DNS rebinding), and by a page that is served from it.
 *
 * @returns the page's origin where that is another one than the chat's, so that it may be given the answer
 * @throws RequestError 403
 */
export function checkCaller(
  { headers, url }: Request,
  { allowedHosts, allowedOrigins }: CallerRules,
): string | undefined {
  const host = headers.get('host') ?? new URL(url).host
  const name = nameOf(host)
  const isListed = allowedHosts.some((allowed) => allowed === host || allowed === name)
  if (name === undefined || !(isLoopback(name) || isListed)) {
    throw new RequestError(
      403,
      'foreign-host',
      `A chat without "authorize" is served by the names of its own machine only, not by ${quoted(host)}. Give "authorize", or list the name in "allowedHosts".`,
    )
  }
  const origin = headers.get('origin')
  if (origin === null) {
    if (headers.get('sec-fetch-site') !== 'cross-site') return undefined
    throw foreignOrigin('another site')
  }
  const page = pageOf(origin)
  // Its scheme may be another one behind a proxy.
  if (page?.host === host) return undefined
  const isLocal = page !== undefined && isLoopback(page.hostname) && isLoopback(name)
  if (isLocal || allowedOrigins.includes(origin)) return origin
  throw foreignOrigin(quoted(origin))
}

function foreignOrigin(from: string): RequestError {
  return new RequestError(
    403,
    'foreign-origin',
    `A chat without "authorize" is not called by pages of ${from}. Give "authorize", or list the origin in "allowedOrigins".`,
  )
}

/** The page of an `Origin` header, as browsers write it; `undefined` for one that no browser writes. */
function pageOf(origin: string): URL | undefined {
  const page = URL.canParse(origin) ? new URL(origin) : undefined
  return page && /^https?:$/.test(page.protocol) && page.origin === origin ? page : undefined
}

/**
 * The name in a `Host` header; `undefined` for one that is none, and for an address in another spelling than the usual
 * one, such as `127.1`: no page of this machine is called by it.
 */
function nameOf(host: string): string | undefined {
  const [, name] = /^([\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/.exec(host.toLowerCase()) ?? []
  if (name === undefined || !URL.canParse(`http://${host}`)) return undefined
  return new URL(`http://${host}`).hostname === name ? name : undefined
}

function isLoopback(name: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(name)
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200))
}

/** The answer to a browser that asks whether a page of this origin may call. */
export function preflightResponse({ headers }: Request): Response {
  const allowed = {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': headers.get('access-control-request-headers') ?? '',
    'access-control-max-age': '600',
  }
  return new Response(null, { status: 204, headers: allowed })
}

/** Lets a page of this origin read a response. */
export function letRead(response: Response, origin: string | undefined): Response {
  if (origin === undefined) return response
  response.headers.set('access-control-allow-origin', origin)
  response.headers.set('access-control-expose-headers', 'retry-after')
  response.headers.append('vary', 'origin')
  return response
}
