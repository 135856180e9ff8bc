import { timingSafeEqual } from 'node:crypto'
import { sha256Hex } from '#domain/core/canonical-json.ts'

const SESSION = 'agent_rails_session'
const CSRF = 'agent_rails_csrf'
/** With this prefix a browser takes the cookie over HTTPS alone and for this host alone, so that no sibling host can set it. */
const prefixOf = (secure: boolean): string => (secure ? '__Host-' : '')
const hex = /^[0-9a-f]{64}$/

/** Headers of a call; a doubled one is an array. */
export type SessionHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The token that `X-CSRF-Token` has to name. It follows from the secret of the session, so that no other site can know it. */
export const csrfTokenOf = (secret: string): string => sha256Hex(`csrf ${secret}`)

/**
 * The secret of the session that a call presents: the cookie together with its token in the header `X-CSRF-Token`, which no form or
 * link of another site can send. Undefined without both. `secure`: the service is reached over HTTPS.
 */
export function presentedSession(headers: SessionHeaders, secure: boolean): string | undefined {
  const secret = cookieOf(headers['cookie'], `${prefixOf(secure)}${SESSION}`)
  const token = headers['x-csrf-token']
  if (secret === undefined || !hex.test(secret)) return undefined
  if (typeof token !== 'string' || !hex.test(token)) return undefined
  return timingSafeEqual(Buffer.from(token), Buffer.from(csrfTokenOf(secret))) ? secret : undefined
}

/** `Set-Cookie` of a session: scripts of the console read only the token, and other sites send neither. */
export function sessionCookies(secret: string, seconds: number, secure: boolean): string[] {
  const attributes = `Path=/; Max-Age=${seconds}; SameSite=Strict${secure ? '; Secure' : ''}`
  const prefix = prefixOf(secure)
  return [
    `${prefix}${SESSION}=${secret}; HttpOnly; ${attributes}`,
    `${prefix}${CSRF}=${secret === '' ? '' : csrfTokenOf(secret)}; ${attributes}`,
  ]
}

function cookieOf(header: SessionHeaders[string], name: string): string | undefined {
  const pairs = typeof header === 'string' ? header.split(';') : []
  const found = pairs.map((pair) => pair.trim()).filter((pair) => pair.startsWith(`${name}=`))
  return found.length === 1 ? found[0]?.slice(name.length + 1) : undefined
}
