/** An address in three: what leads to the host, the host with its port, what follows. */
export interface SplitAddress {
  before: string
  host: string
  after: string
}

/** `https://user@host:80/path` → `https://user@`, `host:80`, `/path`. The texts are the address whole. */
export function splitAddress(address: string): SplitAddress {
  const [start = ''] = /^[a-z][a-z\d+.-]*:[/\\]{2}/i.exec(address) ?? []
  // Whatever ends the authority for some reader of addresses ends it here.
  const [authority = ''] = /^[^/\\?#]*/.exec(address.slice(start.length)) ?? []
  const user = authority.slice(0, authority.lastIndexOf('@') + 1)
  const host = start === '' ? '' : authority.slice(user.length)
  const before = start === '' ? '' : start + user
  return { before, host, after: address.slice(before.length + host.length) }
}
