import { isIPv4, isIPv6 } from 'node:net'
import type { Request } from 'express'
import type { Config } from '../activities/config/config.ts'

/** Express' "trust proxy" value of the setting: empty trusts no proxy, a number counts proxies, `true` trusts all, else addresses. */
export function trustProxyOf(setting: string): boolean | number | string {
  if (setting === '') return false
  if (setting === 'true' || setting === 'false') return setting === 'true'
  return /^[0-9]+$/.test(setting) ? Number(setting) : setting
}

/** The caller's address for limits: of the socket, or as a trusted proxy reports it. */
export function clientAddress(request: Request): string {
  return countedAddress(request.ip ?? request.socket.remoteAddress ?? 'unknown')
}

/**
 * IPv4 in its own form, also where it is mapped into IPv6, and the /64 network of IPv6: one subscriber has all of its addresses.
 */
export function countedAddress(address: string): string {
  const [plainAddress = ''] = address.split('%')
  if (!isIPv6(plainAddress)) return address
  const groups = groupsOf(plainAddress)
  const [, , , , , , high = 0, low = 0] = groups
  const mapped = groups.slice(0, 6).join() === [0, 0, 0, 0, 0, 0xffff].join()
  if (mapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The network of a counted address: /24 of IPv4, of which one site has many addresses, and /64 of IPv6. */
export const networkOf = (address: string): string =>
  isIPv4(address) ? `${address.split('.').slice(0, 3).join('.')}.0/24` : address

/** The eight groups of an IPv6 address in any of its forms. */
function groupsOf(address: string): number[] {
  // A URL writes every form as groups of hex with at most one `::`.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const read = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [before, after] = [read(head), read(tail ?? '')]
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

/**
 * How the service is reached. Calls from this machine are an operator's only where the service is not public: else a proxy on this
 * machine may forward the calls of others, and by default says so in no header.
 */
export const reachOf = (
  config: Pick<Config, 'BASE_URL' | 'OS_URL' | 'TRUST_PROXY' | 'TRUST_LOOPBACK'>,
) => ({
  baseUrl: config.BASE_URL,
  osUrl: config.OS_URL,
  trustProxy: config.TRUST_PROXY,
  trustsLoopback:
    config.TRUST_LOOPBACK === 'always' || namesThisMachine(new URL(config.BASE_URL).host),
})

/**
 * Whether the call comes from this machine itself and names it; one that a proxy on this machine forwards for others does not, nor one
 * of a page whose name leads here (DNS rebinding).
 */
export function isFromLoopback(request: Request): boolean {
  const addresses = [request.socket.remoteAddress ?? '', request.ip ?? ''].map(plain)
  const forwarded =
    request.get('x-forwarded-for') !== undefined || request.get('forwarded') !== undefined
  const isLocal = addresses.every((address) => address === '::1' || address.startsWith('127.'))
  return isLocal && !forwarded && namesThisMachine(request.get('host'))
}

/** Whether a Host header, with or without a port, names this machine. */
export const namesThisMachine = (host: string | undefined): boolean =>
  /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(host ?? '')

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '')
