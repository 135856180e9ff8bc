import { z } from 'zod'
import { AgentKey, type vcts } from '#domain/ap2/mandates.ts'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import type { ErrorCode } from '#domain/core/error-codes.ts'
import { refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import { sha256Base64url } from '#domain/payouts/holder-binding.ts'
import { standingAt } from '#domain/receipts/key-standing.ts'
import {
  type CompactParts,
  decodeCompact,
  type SigningKey,
  signCompact,
  verifySignature,
} from './compact.ts'
import { conceal, reveal } from './disclosures.ts'
import type { AnchorWithTimes } from './key-status.ts'

/** `typ` of an open mandate that we issue; a payout mandate has another one. */
export const AP2_TYP = 'ap2+sd-jwt'
/** `typ` that the AP2 SDK gives to an open mandate, and that of a closed one. */
const SDK_TYP = 'example+sd-jwt'
const CLOSED_TYP = 'kb+sd-jwt'
/** Tolerated difference between another clock and ours, in seconds. */
const SKEW_SECONDS = 30

/** The lists of AP2 whose elements a holder may withhold; a withheld element permits nothing. */
const selectiveLists = new Set(['allowed', 'acceptable_items'])

const invalid = (detail: string) => denied('mandate_invalid', detail)
const denied = (code: ErrorCode, detail: string) =>
  refuse(code, {
    detail,
    next_action: 'Present an open mandate of a trusted issuer, closed for this challenge.',
  })

/** One mandate in a chain: its JWT and disclosures, nothing verified. */
type Hop = { readonly sdPart: string; readonly disclosures: string[]; readonly parts: CompactParts }

export type ChainContext = {
  readonly anchors: readonly AnchorWithTimes[]
  readonly nowSeconds: number
  readonly audience: string
  readonly nonce: string
}

/** A verified chain: an open mandate that a trusted issuer signed, and the mandate that its agent closed it with. */
export type VerifiedChain<Open, Closed> = {
  readonly open: Open
  readonly closed: Closed
  readonly issuer: string
  /** SHA-256 of what the issuer signed. Neither a changed signature nor withheld disclosures make it another mandate. */
  readonly mandateKey: string
  /** `sd_hash` of the open mandate as it was presented. */
  readonly openHash: string
  /** SHA-256 of the closed mandate's JWT, base64url: what a receipt refers to. */
  readonly closedHash: string
}

type Shapes<Open, Closed> = { open: z.ZodType<Open>; closed: z.ZodType<Closed> }
type Timed = { iat?: number | undefined; exp?: number | undefined }

const rootSchema = z.looseObject({
  iss: z.string().min(1).max(2048).optional(),
  iat: z.int().optional(),
  exp: z.int().optional(),
  delegate_payload: z.tuple([z.unknown()]),
  _sd_alg: z.literal('sha-256').optional(),
  cnf: z.undefined().optional(),
  status: z.undefined().optional(),
})
const delegating = z.looseObject({ delegate_payload: z.tuple([z.unknown()]) })
const closedSchema = z.strictObject({
  delegate_payload: z.tuple([z.unknown()]),
  iat: z.int(),
  aud: z.string(),
  nonce: z.string(),
  sd_hash: z.string(),
  _sd_alg: z.literal('sha-256').optional(),
})

/**
 * Verifies `<open>~~<closed>` as AP2 v0.2 chains mandates, cheapest checks first. 403 `mandate_invalid`, `issuer_untrusted`,
 * `key_binding_invalid`, `key_binding_expired`, `audience_mismatch`. It knows nothing of constraints or earlier uses.
 */
export function verifyAp2Chain<Open extends Timed & { cnf: { jwk: object } }, Closed extends Timed>(
  presentation: string,
  shapes: Shapes<Open, Closed>,
  context: ChainContext,
): VerifiedChain<Open, Closed> {
  const [root, last] = hopsOf(presentation)
  const bound = readClosed(last, root, context)
  const read = readRoot(root, shapes.open, context.anchors)
  assertInTime(read, context.nowSeconds)
  assertKeyStands(read, context.nowSeconds)
  const closed = closedBy(last, { bound, open: read.open }, shapes.closed, context)
  const [jwt = ''] = last.sdPart.split('~')
  return {
    open: read.open,
    closed,
    issuer: read.anchor.iss,
    mandateKey: read.mandateKey,
    openHash: read.openHash,
    closedHash: sha256Base64url(jwt),
  }
}

type Bound = z.output<typeof closedSchema>

/** The closed mandate, once the agent that the open one names has signed it. */
function closedBy<Closed extends Timed>(
  last: Hop,
  { bound, open }: { bound: Bound; open: { cnf: { jwk: object } } },
  shape: z.ZodType<Closed>,
  { nowSeconds }: Pick<ChainContext, 'nowSeconds'>,
): Closed {
  const key = { alg: 'ES256' as const, publicJwk: AgentKey.parse(open.cnf.jwk) }
  if (!holds(() => verifySignature(key, last.parts.signingInput, last.parts.signature)))
    throw denied('key_binding_invalid', 'the closed mandate is not signed by the agent of the open')
  const closed = mandateIn(last, bound.delegate_payload, shape)
  assertTimes(closed, nowSeconds)
  return closed
}

/** The closed mandate of a chain whose open one was read; 403 as `verifyAp2Chain` where its agent did not close it so. */
export function verifyHolder<Closed extends Timed>(
  presentation: string,
  open: { cnf: { jwk: object } },
  shape: z.ZodType<Closed>,
  context: Omit<ChainContext, 'anchors'>,
): Closed {
  const [root, last] = hopsOf(presentation)
  return closedBy(last, { bound: readClosed(last, root, context), open }, shape, context)
}

const hop = /^[\w-]+\.[\w-]+\.[\w-]+(?:~[\w-]+)*$/

function hopsOf(presentation: string): [Hop, Hop] {
  if (presentation.length > limits.presentationCharsMax)
    throw invalid('the presentation is too long')
  if (!presentation.endsWith('~')) throw invalid('it does not end with ~')
  const texts = presentation.slice(0, -1).split('~~')
  const [root, last] = texts
  if (texts.length !== 2 || root === undefined || last === undefined)
    throw invalid('it is not one open mandate and one closed mandate, joined by ~~')
  return [hopOf(root), hopOf(last)]
}

function hopOf(text: string): Hop {
  if (text.length > limits.presentationCharsMax) throw invalid('the presentation is too long')
  if (!hop.test(text)) throw invalid('a mandate is not a JWT with its disclosures')
  const [jwt = '', ...disclosures] = text.split('~')
  if (disclosures.length > limits.ap2DisclosuresMax) throw invalid('it has too many disclosures')
  const parts = attempt('a mandate is not a JWT', () => decodeCompact(jwt))
  return { sdPart: `${text}~`, disclosures, parts }
}

function readClosed(
  { parts }: Hop,
  root: Hop,
  { audience, nonce, nowSeconds }: Omit<ChainContext, 'anchors'>,
): Bound {
  const { typ, alg } = parts.header
  if (typ !== CLOSED_TYP || alg !== 'ES256' || 'crit' in parts.header)
    throw denied('key_binding_invalid', `the closed mandate is not a ${CLOSED_TYP} with ES256`)
  const read = closedSchema.safeParse(parts.payload)
  if (!read.success)
    throw denied('key_binding_invalid', `the closed mandate is wrong in ${pathOf(read.error)}`)
  if (read.data.aud !== audience)
    throw denied('audience_mismatch', `the closed mandate is for another audience than ${audience}`)
  if (read.data.nonce !== nonce)
    throw denied('key_binding_invalid', 'the nonce is not the challenge’s')
  if (read.data.sd_hash !== sha256Base64url(root.sdPart))
    throw denied('key_binding_invalid', 'sd_hash is not that of the presented open mandate')
  if (Math.abs(nowSeconds - read.data.iat) > limits.keyBindingAgeSecondsMax)
    throw denied(
      'key_binding_expired',
      `iat is more than ${limits.keyBindingAgeSecondsMax} s from now`,
    )
  return read.data
}

/** An open mandate that a trusted issuer signed; whether it and the key are in force is judged apart. */
export type ReadOpen<Open> = {
  readonly open: Open
  readonly claims: Timed
  readonly anchor: AnchorWithTimes
  /** SHA-256 of what the issuer signed. */
  readonly mandateKey: string
  /** `sd_hash` of the mandate as it was presented. */
  readonly openHash: string
}

/** Verifies the signature of an open mandate and reveals it. 403 `mandate_invalid`, `issuer_untrusted`. */
function readRoot<Open extends Timed>(
  root: Hop,
  shape: z.ZodType<Open>,
  anchors: readonly AnchorWithTimes[],
): ReadOpen<Open> {
  const { header, payload, signingInput, signature } = root.parts
  if (header['typ'] !== AP2_TYP && header['typ'] !== SDK_TYP)
    throw invalid(`its typ is not ${AP2_TYP}`)
  const claims = rootSchema.safeParse(payload)
  if (!claims.success) throw invalid(`the open mandate is wrong in ${pathOf(claims.error)}`)
  const { iss } = claims.data
  const named = anchors.filter(
    (anchor) => anchor.kid === header['kid'] && (iss === undefined || anchor.iss === iss),
  )
  const [anchor] = named
  if (anchor === undefined || named.length > 1)
    throw denied('issuer_untrusted', 'not exactly one trust anchor has its issuer and key')
  if (header['alg'] !== anchor.alg || 'crit' in header)
    throw invalid(`it is not signed with ${anchor.alg}`)
  if (!holds(() => verifySignature(anchor, signingInput, signature)))
    throw invalid('the signature of the open mandate does not verify')
  return {
    open: mandateIn(root, claims.data.delegate_payload, shape),
    claims: claims.data,
    anchor,
    mandateKey: sha256Hex(signingInput),
    openHash: sha256Base64url(root.sdPart),
  }
}

/** Throws 403 `mandate_invalid` outside the times of an open mandate. */
export function assertInTime({ claims, open }: ReadOpen<Timed>, nowSeconds: number): void {
  assertTimes(claims, nowSeconds)
  assertTimes(open, nowSeconds)
}

/** Throws 403 `mandate_invalid` where the key of an open mandate is revoked, or had been retired when it signed. */
export function assertKeyStands(
  { claims, open, anchor }: ReadOpen<Timed>,
  nowSeconds: number,
): void {
  const issuedAt = claims.iat ?? open.iat ?? nowSeconds
  if (standingAt(anchor, issuedAt) !== 'active')
    throw invalid('its key is revoked, or was retired before')
}

/** An open mandate by itself, as it was issued. Verifies its signature only; 403 as `verifyAp2Chain`. */
export const readOpenMandate = <Open extends Timed>(
  mandate: string,
  shape: z.ZodType<Open>,
  anchors: readonly AnchorWithTimes[],
): ReadOpen<Open> => readRoot(hopOf(mandate.replace(/~$/, '')), shape, anchors)

/** What a mandate says, open or closed; nothing is verified. 403 `mandate_invalid` for another form. */
export function decodeMandate<T>(mandate: string, shape: z.ZodType<T>): T {
  const hop = hopOf(mandate.replace(/~$/, ''))
  const claims = delegating.safeParse(hop.parts.payload)
  if (!claims.success) throw invalid(`the mandate is wrong in ${pathOf(claims.error)}`)
  return mandateIn(hop, claims.data.delegate_payload, shape)
}

/** The open mandate of a chain, the closed one, and the nonce that it names; nothing is verified. 403 `mandate_invalid`. */
export function splitChain(presentation: string): { open: string; closed: string; nonce: string } {
  const [root, last] = hopsOf(presentation)
  const { nonce } = last.parts.payload
  return { open: root.sdPart, closed: last.sdPart, nonce: typeof nonce === 'string' ? nonce : '' }
}

function mandateIn<T>({ disclosures }: Hop, delegated: unknown, shape: z.ZodType<T>): T {
  const revealed = attempt('its disclosures do not belong to it exactly once', () =>
    reveal(delegated, disclosures, selectiveLists),
  )
  const read = z.tuple([shape]).safeParse(revealed)
  if (read.success) return read.data[0]
  throw invalid(`the mandate is not one of AP2 v0.2: ${pathOf(read.error)}`)
}

function assertTimes({ iat, exp }: Timed, nowSeconds: number): void {
  if (iat !== undefined && iat > nowSeconds + SKEW_SECONDS)
    throw invalid('a mandate is dated in the future')
  if (exp !== undefined && nowSeconds >= exp) throw invalid('a mandate has expired')
}

const pathOf = (error: z.ZodError): string => error.issues[0]?.path.join('.') || 'its form'

function attempt<T>(detail: string, run: () => T): T {
  try {
    return run()
  } catch {
    throw invalid(detail)
  }
}

function holds(run: () => boolean): boolean {
  try {
    return run()
  } catch {
    return false
  }
}

type OpenMandate = {
  vct: typeof vcts.openCheckout | typeof vcts.openPayment
  constraints: readonly object[]
}

/** Signs an open mandate as AP2 v0.2 does: a disclosure of its own, and each element of a selective list as another. */
export async function signOpenMandate(
  key: SigningKey,
  { iss, mandate }: { iss: string; mandate: OpenMandate & { iat: number; exp: number } },
): Promise<string> {
  const disclosures: string[] = []
  const concealed = (value: unknown): object => {
    const { disclosure, digest } = conceal(value)
    disclosures.push(disclosure)
    return { '...': digest }
  }
  const delegated = concealed(concealLists(mandate, concealed))
  const { iat, exp } = mandate
  const payload = { iss, iat, exp, delegate_payload: [delegated], _sd_alg: 'sha-256' }
  const jwt = await signCompact(key, { typ: AP2_TYP, payload })
  return `${[jwt, ...disclosures].join('~')}~`
}

function concealLists(value: unknown, conceal: (element: unknown) => object): unknown {
  if (Array.isArray(value)) return value.map((element) => concealLists(element, conceal))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      selectiveLists.has(name) && Array.isArray(member)
        ? member.map(conceal)
        : concealLists(member, conceal),
    ]),
  )
}
