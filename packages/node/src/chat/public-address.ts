import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

/** An address to connect to. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** All addresses of a name, as the operating system knows them. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

export const resolveBySystem: Resolve = (hostname) => lookup(hostname, { all: true })

const reserved = new BlockList()
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]) {
  const [net = '', bits] = range.split('/')
  reserved.addSubnet(net, Number(bits), 'ipv4')
}

const global = new BlockList()
global.addSubnet('2000::', 3, 'ipv6')
// Of these some are documentation, and some lead to an IPv4 address that they hold.
for (const range of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) {
  const [net = '', bits] = range.split('/')
  reserved.addSubnet(net, Number(bits), 'ipv6')
}

/** Whether an address is one of the public internet: of no private network, no machine's own, and no cloud's inside. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !reserved.check(address, 'ipv4')
    case 6:
      return global.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
    default:
      return false
  }
}
