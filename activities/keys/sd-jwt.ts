import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { strictJson } from '#domain/core/json-text.ts'
import { limits } from '#domain/core/limits.ts'
import { sha256Base64url } from '#domain/payouts/holder-binding.ts'
import { standingAt } from '#domain/receipts/key-standing.ts'
import { decodeBase64url, decodeCompact, verifySignature } from './compact.ts'
import type { AnchorWithTimes } from './key-status.ts'

/** `vct` of a closed checkout mandate (AP2 v0.2). */
export const MANDATE_VCT = 'mandate.checkout.1'
export const MANDATE_TYP = 'dc+sd-jwt'
/** Tolerated difference between an issuer's clock and ours, in seconds (wire-facts Appendix A step 4). */
const ISSUER_SKEW_SECONDS = 30

/** Claims that SD-JWT VC forbids to disclose selectively, and the names that RFC 9901 reserves. */
const neverDisclosed = new Set([
  'iss',
  'nbf',
  'exp',
  'cnf',
  'vct',
  'status',
  '_sd',
  '_sd_alg',
  '...',
])

const mandateSchema = z.looseObject({
  iss: z.string(),
  vct: z.literal(MANDATE_VCT),
  jti: z.string().min(1).max(256),
  iat: z.int(),
  exp: z.int(),
  nbf: z.int().optional(),
  cnf: z.looseObject({}),
  checkout_hash: z.string(),
  checkout_jwt: z.string(),
})
/** The claims of a verified mandate, its checkout disclosed; times are Unix seconds. */
export type MandateClaims = z.output<typeof mandateSchema>

/** The library's hasher; `sha-256` is the only digest we issue or accept. */
export const sdHasher = (data: string | ArrayBuffer): Uint8Array =>
  sha256(typeof data === 'string' ? utf8ToBytes(data) : new Uint8Array(data))

const invalid = (detail: string) =>
  refuse('mandate_invalid', {
    detail,
    next_action:
      'Have a mandate issued for this challenge and present it with its checkout disclosed.',
  })

/**
 * The claims of the mandate in a presentation's part up to and including its last `~`, signed by a trusted issuer and alive.
 * 403 `issuer_untrusted` or `mandate_invalid`. The only place where the SD-JWT library verifies.
 */
export async function verifyMandate(
  sdPart: string,
  { anchors, nowSeconds }: { anchors: readonly AnchorWithTimes[]; nowSeconds: number },
): Promise<MandateClaims> {
  const [jwt = '', ...disclosures] = sdPart.slice(0, -1).split('~')
  const { header, payload } = attempt('it is not an SD-JWT', () => decodeCompact(jwt))
  const anchor = anchors.find(({ iss, kid }) => iss === payload['iss'] && kid === header['kid'])
  if (anchor === undefined) {
    throw refuse('issuer_untrusted', {
      detail: 'no trust anchor has its iss and kid',
      next_action: 'Present a mandate of a trusted issuer.',
    })
  }
  assertEnvelope(header, payload, anchor)
  attempt('a disclosure does not belong to it exactly once', () =>
    assertDisclosures(payload, disclosures),
  )
  const library = new SDJwtVcInstance({
    hasher: sdHasher,
    verifier: (data, signature) => verifySignature(anchor, data, decodeBase64url(signature)),
  })
  const options = { currentDate: nowSeconds, skewSeconds: ISSUER_SKEW_SECONDS }
  const verified = await library.verify(sdPart, options).catch(() => {
    throw invalid('its signature does not verify, or it is not valid now')
  })
  const claims = mandateSchema.safeParse(verified.payload)
  if (!claims.success)
    throw invalid(
      `a required claim is absent or wrong: ${claims.error.issues[0]?.path.join('.') ?? ''}`,
    )
  if (standingAt(anchor, claims.data.iat) !== 'active')
    throw invalid('its key is revoked, or was retired before')
  return claims.data
}

/** What the library lets through: foreign `typ`, another `alg` than the key's, other digests, and `status`, whose URL it would fetch. */
function assertEnvelope(
  header: Record<string, unknown>,
  payload: Record<string, unknown>,
  anchor: AnchorWithTimes,
): void {
  if (header['typ'] !== MANDATE_TYP) throw invalid(`its typ is not ${MANDATE_TYP}`)
  if (header['alg'] !== anchor.alg || 'crit' in header)
    throw invalid(`it is not signed with ${anchor.alg}`)
  if ((payload['_sd_alg'] ?? 'sha-256') !== 'sha-256') throw invalid('its _sd_alg is not sha-256')
  if ('status' in payload) throw invalid('it has a status claim, which is not supported')
}

/** RFC 9901 §7.1: each disclosure is referenced exactly once, no digest occurs twice, no disclosed name shadows a plain claim. */
function assertDisclosures(payload: Record<string, unknown>, disclosures: readonly string[]): void {
  if (disclosures.length > limits.disclosuresMax) throw new RangeError('too many disclosures')
  const parsed = disclosures.map(parseDisclosure)
  const digests = [payload, ...parsed.map(({ value }) => value)].flatMap(embeddedDigests)
  if (new Set(digests).size !== digests.length) throw new TypeError('a digest stands twice')
  const known = new Set(digests)
  for (const text of disclosures)
    if (!known.delete(sha256Base64url(text)))
      throw new TypeError('a disclosure without a reference')
  const names = parsed.flatMap(({ name }) => (name === undefined ? [] : [name]))
  if (new Set(names).size !== names.length) throw new TypeError('a claim is disclosed twice')
  if (names.some((name) => neverDisclosed.has(name) || Object.hasOwn(payload, name)))
    throw new TypeError('a disclosure shadows a claim')
}

function parseDisclosure(text: string): { name?: string; value: unknown } {
  const array = strictJson(decodeBase64url(text))
  const [, name, value] = z
    .union([z.tuple([z.string(), z.unknown()]), z.tuple([z.string(), z.string(), z.unknown()])])
    .parse(array)
  return Array.isArray(array) && array.length === 2
    ? { value: name }
    : { name: String(name), value }
}

function embeddedDigests(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(embeddedDigests)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    if (name === '_sd') return z.array(z.string()).parse(member)
    if (name === '...') return [z.string().parse(member)]
    return embeddedDigests(member)
  })
}

function attempt<T>(detail: string, run: () => T): T {
  try {
    return run()
  } catch {
    throw invalid(detail)
  }
}
