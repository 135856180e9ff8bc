import { BlockList, isIP } from 'node:net'

/** What may be asked over HTTP outside: the URL, and the name whose address has to be looked up; or why it may not. */
export type Target = { ok: true; url: URL } | { ok: false; reason: string }

const URL_CHARS_MAX = 2048
// Read from the text as it is written: a URL parser turns octal, hexadecimal, full-width and percent-encoded hosts into others.
const written =
  /^https:\/\/((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9])(?::443)?(?:[/?#][\x21-\x7e]*)?$/i

/**
 * Takes an HTTPS URL on port 443 of a host that is written as a plain DNS name: no address in any notation, no user, no dot at
 * the end, nothing that two parsers could read differently. Says nothing about where the name leads.
 */
export function readTarget(text: string, ownHosts: readonly string[] = []): Target {
  if (text.length > URL_CHARS_MAX) return refused(`it is longer than ${URL_CHARS_MAX} characters`)
  const [, host] = written.exec(text) ?? []
  if (host === undefined || text.includes('\\'))
    return refused('it has to be https://, a DNS name in ASCII without a user or a port, and a path')
  if (host.length > 253 || !URL.canParse(text)) return refused('its host is not a DNS name')
  const url = new URL(text)
  if (url.hostname !== host.toLowerCase()) return refused('its host is not written as it is read')
  if (ownHosts.includes(url.hostname)) return refused('its host is this service')
  return { ok: true, url }
}

const refused = (reason: string): Target => ({ ok: false, reason })

// IANA's special-purpose registries, multicast and reserved space, and Azure's platform address that stands in public space.
const refusedV4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
])
// All that is not global unicast is refused with it: loopback, mapped and NAT64 forms, unique local, link-local, multicast.
const globalV6 = blockList('ipv6', [['2000::', 3]])
// Teredo and its neighbours, documentation, 6to4, AS112, documentation again.
const refusedV6 = blockList('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
])

/** Whether an address, as a resolver writes it, is one that anybody on the internet may be asked at. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refusedV4.check(address, 'ipv4')
    case 6:
      return !address.includes('%') && globalV6.check(address, 'ipv6') && !refusedV6.check(address, 'ipv6')
    default:
      return false
  }
}

function blockList(family: 'ipv4' | 'ipv6', subnets: readonly [string, number][]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family)
  return list
}
