import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A URL that the service may call, or the reason for a refusal. */
export type Target = { ok: true; url: URL } | { ok: false; reason: string }

const URL_CHARS_MAX = 2048
// Matched against the text itself: a URL parser rewrites octal, hexadecimal, full-width and percent-encoded hosts.
const plainForm =
  /^https:\/\/((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9])(?::443)?(?:[/?#][\x21-\x7e]*)?$/i

/**
 * Accepts an HTTPS URL on port 443 whose host is a plain DNS name: no address in any notation, no user, no trailing dot, and
 * nothing that two parsers could read differently. It does not resolve the name.
 */
export function readTarget(text: string, ownHosts: readonly string[] = []): Target {
  if (text.length > URL_CHARS_MAX) return refused(`it is longer than ${URL_CHARS_MAX} characters`)
  const [, host] = plainForm.exec(text) ?? []
  if (host === undefined || text.includes('\\'))
    return refused('it must be https://, an ASCII DNS name without user or port, and a path')
  if (host.length > 253 || !URL.canParse(text)) return refused('its host is not a DNS name')
  const url = new URL(text)
  if (url.hostname !== host.toLowerCase())
    return refused('its host changes when a URL parser reads it')
  if (ownHosts.includes(url.hostname)) return refused('its host is this service')
  return { ok: true, url }
}

const refused = (reason: string): Target => ({ ok: false, reason })

/** Azure's platform address: it lies in public space and answers only inside a virtual machine. */
const AZURE_PLATFORM = '168.63.129.16'
/** The only space that IANA allocates as global unicast; ipaddr.js calls unallocated space unicast too. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether a call may go to an address, given in the notation of resolvers: it must be in public space. */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js also reads octal and shortened notations, and zones.
  if (isIP(address) === 0 || address.includes('%') || address === AZURE_PLATFORM) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST_V6)
}
