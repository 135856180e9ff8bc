import { z } from 'zod'
import type { ErrorCode } from '#domain/core/error-codes.ts'
import { refuse } from '#domain/core/errors.ts'
import {
  authorizeAudience,
  holderAccount,
  holderBindingHeaders,
  holderBindingText,
  holderProofText,
  keyBindingPayload,
} from '#domain/payouts/holder-binding.ts'
import { standingAt } from '#domain/receipts/key-standing.ts'
import { type Order, randomText, signCheckout } from './checkout.ts'
import { decodeCompact, type SigningKey, signCompact, verifyCompact } from './compact.ts'
import type { KeyStatus, KeyWithTimes } from './key-status.ts'

/** `typ` of a challenge token (payout.md, payout-challenge). */
export const CHALLENGE_TYP = 'service-payout-challenge+jwt'

const challengeSchema = z.strictObject({
  iss: z.string(),
  aud: z.string(),
  jti: z.string().min(22),
  iat: z.int(),
  exp: z.int(),
  nonce: z.string().min(22),
  holder: z.string(),
  request_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  checkout_hash: z.string().min(43),
})
/** The claims of a challenge token; `holder` is a CAIP-10 account, times are Unix seconds. */
export type ChallengeClaims = z.output<typeof challengeSchema>

const ask = 'Ask for a new challenge and present that.'
const denied = (code: ErrorCode, detail: string) => refuse(code, { detail, next_action: ask })

/** The signing keys, the origin and the lifetime of a challenge; `nowSeconds` is the clock of the database. */
export type ChallengeFacts = {
  signers: Record<'authority' | 'checkout', SigningKey>
  origin: string
  ttlSeconds: number
  nowSeconds: number
  treasuryHolder: string
}

/** The keys that sign a challenge now, and the current time. */
export const challengeSigners = (
  keyStatus: KeyStatus,
): Pick<ChallengeFacts, 'signers' | 'nowSeconds'> => ({
  signers: { authority: keyStatus.signer('authority'), checkout: keyStatus.signer('checkout') },
  nowSeconds: keyStatus.nowSeconds,
})

/**
 * The answer of payout-challenge: a signed checkout for the request digest, a token that carries the challenge, and what to sign.
 * `<sd-hash>` and `<issued-at>` in the templates are the presentation's; nothing is stored. 403 `holder_unknown` for another holder.
 */
export async function issueChallenge({
  holder,
  requestSha256,
  order,
  ...facts
}: ChallengeFacts & { holder: string; requestSha256: string; order?: Order }) {
  const { signers, origin, nowSeconds: iat } = facts
  assertTreasuryHolder(holderAccount(holder), facts.treasuryHolder)
  const exp = iat + facts.ttlSeconds
  const {
    checkoutJwt,
    checkoutHash,
    jti: nonce,
  } = await signCheckout(signers.checkout, {
    origin,
    requestSha256,
    iat,
    exp,
    ...(order && { order }),
  })
  const audience = authorizeAudience(origin)
  const payload: ChallengeClaims = {
    iss: origin,
    aud: audience,
    jti: randomText(),
    iat,
    exp,
    nonce,
    holder: holderAccount(holder),
    request_sha256: requestSha256,
    checkout_hash: checkoutHash,
  }
  return {
    challenge_token: await signCompact(signers.authority, { typ: CHALLENGE_TYP, payload }),
    checkout_jwt: checkoutJwt,
    checkout_hash: checkoutHash,
    nonce,
    audience,
    holder_binding: holderBinding({
      origin,
      holder,
      audience,
      nonce,
      requestSha256,
      checkoutHash,
      expiresAt: exp,
    }),
    expires_at: exp,
  }
}

type BindingTemplate = Omit<Parameters<typeof holderBindingText>[0], 'sdHash' | 'issuedAt'>

function holderBinding(facts: BindingTemplate) {
  const payload = { ...keyBindingPayload(facts, '<sd-hash>', 0), iat: '<issued-at>' }
  return {
    versions: [1, 2],
    v1_kb_header: holderBindingHeaders[1],
    v1_kb_payload: payload,
    v2_header: holderBindingHeaders[2],
    v2_payload: payload,
    v2_message_template: holderBindingText({
      ...facts,
      sdHash: '<sd-hash>',
      issuedAt: '<issued-at>',
    }),
    holder_proof_message: holderProofText(facts),
  }
}

/** The facts against which a challenge token is verified. */
export type ChallengeContext = {
  authorityKeys: readonly KeyWithTimes[]
  origin: string
  nowSeconds: number
  treasuryHolder: string
}

/**
 * The claims of a challenge token of ours that is still alive and for the treasury holder.
 * 403 `authority_denied` (not ours), `audience_mismatch`, `holder_unknown`; 410 `challenge_expired`.
 */
export function verifyChallengeToken(token: string, context: ChallengeContext): ChallengeClaims {
  const claims = readChallenge(token, context)
  if (claims.aud !== authorizeAudience(context.origin))
    throw denied('audience_mismatch', 'the challenge is for another audience')
  if (context.nowSeconds >= claims.exp)
    throw denied('challenge_expired', `the challenge expired at ${claims.exp}`)
  assertTreasuryHolder(claims.holder, context.treasuryHolder)
  return claims
}

function readChallenge(
  token: string,
  { authorityKeys, origin }: ChallengeContext,
): ChallengeClaims {
  try {
    const { kid } = decodeCompact(token).header
    const key = authorityKeys.find((known) => known.kid === kid)
    if (key === undefined) throw new TypeError('no authority key of this service has its kid')
    const claims = challengeSchema.parse(
      verifyCompact(token, { typ: CHALLENGE_TYP, alg: key.alg, publicJwk: key.publicJwk }),
    )
    if (claims.iss !== origin) throw new TypeError('its issuer is another service')
    if (standingAt(key, claims.iat) !== 'active')
      throw new TypeError('its key is revoked, or was retired before')
    return claims
  } catch {
    throw denied('authority_denied', 'the challenge token is not one of this service')
  }
}

function assertTreasuryHolder(account: string, treasuryHolder: string): void {
  if (account === holderAccount(treasuryHolder)) return
  throw refuse('holder_unknown', {
    detail: 'the holder wallet is not a configured treasury holder',
    next_action: 'Use the treasury holder wallet.',
  })
}
