import type { Request } from 'express'

/** Express' "trust proxy" value of the setting: empty trusts nobody, a number counts proxies, `true` trusts all, else addresses. */
export function trustProxyOf(setting: string): boolean | number | string {
  if (setting === '') return false
  if (setting === 'true' || setting === 'false') return setting === 'true'
  return /^[0-9]+$/.test(setting) ? Number(setting) : setting
}

/** The caller's address as limits count it: the socket's, or the proxy's word where proxies are trusted; IPv4 in its own form. */
export function clientAddress(request: Request): string {
  return plain(request.ip ?? request.socket.remoteAddress ?? 'unknown')
}

/** Whether the call comes from this machine itself; one that a proxy on this machine forwards for others does not. */
export function isFromLoopback(request: Request): boolean {
  const addresses = [request.socket.remoteAddress ?? '', request.ip ?? ''].map(plain)
  const forwarded = request.get('x-forwarded-for') !== undefined || request.get('forwarded') !== undefined
  return addresses.every((address) => address === '::1' || address.startsWith('127.')) && !forwarded
}

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '')
