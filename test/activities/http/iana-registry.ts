import { BlockList, isIPv4 } from 'node:net'

/**
 * The IPv4 blocks to which no call may go: IANA's "IPv4 Special-Purpose Address Registry" (RFC 6890) in full, the multicast
 * space (RFC 5771), and Azure's platform address.
 */
export const specialV4 = [
  '0.0.0.0/8',
  '0.0.0.0/32',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.0.0/29',
  '192.0.0.8/32',
  '192.0.0.9/32',
  '192.0.0.10/32',
  '192.0.0.170/32',
  '192.0.0.171/32',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.88.99.2/32',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '255.255.255.255/32',
  '168.63.129.16/32',
]

/** The IPv6 blocks to which no call may go: IANA's "IPv6 Special-Purpose Address Registry" in full, and multicast space. */
export const specialV6 = [
  '::1/128',
  '::/128',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001::/32',
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:1::3/128',
  '2001:2::/48',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:30::/28',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
]

/** IANA's "IPv6 Address Space" allocates one block as global unicast. */
const globalUnicastV6 = blockList(['2000::/3'])
// Two lists, because a list of Node also compares an IPv4 address in its mapped form.
const refusedV4 = blockList(specialV4)
const refusedV6 = blockList(specialV6)

/** What the registries say about an address, with the block lists of Node as the matcher. */
export function isPublicByRegistry(address: string): boolean {
  if (isIPv4(address)) return !refusedV4.check(address, 'ipv4')
  return globalUnicastV6.check(address, 'ipv6') && !refusedV6.check(address, 'ipv6')
}

/** The first and the last address of a block. */
export function firstAndLast(cidr: string): [string, string] {
  const [network = '', prefix] = cidr.split('/')
  const hostBits = BigInt((isIPv4(network) ? 32 : 128) - Number(prefix))
  const first = toNumber(network)
  const last = first | ((1n << hostBits) - 1n)
  return isIPv4(network) ? [textV4(first), textV4(last)] : [textV6(first), textV6(last)]
}

function blockList(cidrs: readonly string[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [network = '', prefix] = cidr.split('/')
    list.addSubnet(network, Number(prefix), isIPv4(network) ? 'ipv4' : 'ipv6')
  }
  return list
}

function toNumber(address: string): bigint {
  if (isIPv4(address))
    return address.split('.').reduce((sum, octet) => sum * 256n + BigInt(octet), 0n)
  return groupsOf(address).reduce((sum, group) => sum * 65_536n + BigInt(group), 0n)
}

/** The eight groups of an IPv6 address, with `::` written out. */
function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = address.split('::')
  const [left, right] = [head, tail].map((half) =>
    half.split(':').flatMap((group) => (group === '' ? [] : [Number.parseInt(group, 16)])),
  ) as [number[], number[]]
  const zeros: number[] = Array(8 - left.length - right.length).fill(0)
  return left.concat(zeros, right)
}

const textV4 = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.')

const textV6 = (value: bigint): string =>
  [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n]
    .map((shift) => ((value >> shift) & 65_535n).toString(16))
    .join(':')
