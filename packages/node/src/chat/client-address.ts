const addresses = new WeakMap<Request, string>()

/** Notes where a request came from; a `Request` of the web has no place for it. */
export function noteClientAddress(request: Request, address: string | undefined): void {
  if (address !== undefined) addresses.set(request, address)
}

/**
 * The address that a request which `toNodeListener` made came from: of the connection, so that behind
 * a proxy it is the proxy's.
 */
export function clientAddress(request: Request): string | undefined {
  return addresses.get(request)
}
