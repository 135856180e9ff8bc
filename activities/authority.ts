import type { Kysely } from 'kysely'
import { digestOf } from '../workflows/domain/canonical-json.ts'
import { refuse } from '../workflows/domain/errors.ts'
import type { Hex } from '../workflows/domain/ids.ts'
import { formatUsdc } from '../workflows/domain/money.ts'
import { requestSha256 } from '../workflows/domain/principal-authorization.ts'
import { authorityStanding, principalTermsOf } from './authorization.ts'
import { receiptSigner } from './build-deps.ts'
import type { WalletSignatures } from './chain/wallet-signature.ts'
import type { Config } from './config.ts'
import { challengeSigners, issueChallenge } from './keys/challenge.ts'
import type { KeyRings } from './keys/key-ring.ts'
import { issueMandate } from './keys/mandate.ts'
import { unknownPayout } from './payout-rules.ts'
import { clockSeconds, type Tx, transaction } from './store/db.ts'
import { storeMandate } from './store/mandates.ts'
import { type PayoutRow, readPayout } from './store/payouts.ts'
import { appendReceipt } from './store/receipts.ts'
import type { Database } from './store/schema.ts'

export type AuthoritySettings = {
  db: Kysely<Database>
  config: Pick<Config, 'BASE_URL' | 'CHALLENGE_TTL_S' | 'TREASURY_HOLDER_ADDRESS' | 'ENVIRONMENT'>
  keys: KeyRings
  wallets: WalletSignatures
}
export type MandateInput = {
  payout: { payout_id: string; expires_at: number; authorize_idempotency_key: string }
  checkout_jwt: string
  holder_proof: { binding_version: 1 | 2; holder_wallet: string; signature: string }
  idempotency_key: string
}

type Operator = { operatorId: string; name: string }
type Issued = { mandateId: string; requestSha256: string; ap2Mandate: string; expiresAt: number }

/** The authority's own acts: challenges for a treasury holder, and mandates that an operator issues for one created payout. */
export function openAuthority(settings: AuthoritySettings) {
  const { db, config, keys, wallets } = settings
  const facts = { origin: config.BASE_URL, treasuryHolder: config.TREASURY_HOLDER_ADDRESS }
  return {
    challenge: async (input: { holder_wallet: string; request_sha256: string }) => {
      const asked = { holder: input.holder_wallet, requestSha256: input.request_sha256 }
      const signing = challengeSigners(await authorityStanding({ keys }, db))
      return issueChallenge({ ...facts, ...signing, ttlSeconds: config.CHALLENGE_TTL_S, ...asked })
    },

    /** The same operator and key give the first mandate again; the digest is recomputed from the stored payout, never taken from the caller. */
    issueMandate: async (operator: Operator, input: MandateInput) => {
      const { payout, holder_proof: proof } = input
      assertAhead(payout.expires_at, await clockSeconds(db))
      const row = createdPayout((await readPayout(db, payout.payout_id))?.payout)
      const mandateId = `mdt_${digestOf({ operator: operator.operatorId, idempotency_key: input.idempotency_key })}`
      const requestDigest = requestSha256(principalTermsOf(row, payout.expires_at, payout.authorize_idempotency_key))
      const holderProof = {
        bindingVersion: proof.binding_version,
        holderWallet: proof.holder_wallet,
        signature: proof.signature as Hex,
      }
      const asked = { mandateId, requestSha256: requestDigest, checkoutJwt: input.checkout_jwt, holderProof }
      return transaction(db, async (tx) => {
        const standing = await authorityStanding({ keys }, tx)
        const issued = await issueMandate({ ...facts, standing, ...asked, verifyWalletMessage: wallets.verify })
        const mandate = { mandateId, requestSha256: requestDigest, ...issued }
        return keepMandate(settings, tx, { operator, row, mandate, iat: standing.nowSeconds })
      })
    },
  }
}

/** A mandate for a payout that could never be authorized any more is not issued. */
function assertAhead(expiresAt: number, nowSeconds: number): void {
  if (expiresAt > nowSeconds) return
  throw refuse('payout_expired', 'expires_at has passed', 'Name an expires_at that lies ahead.')
}

function createdPayout(row: PayoutRow | undefined): PayoutRow {
  if (row === undefined) throw unknownPayout()
  if (row.state === 'created') return row
  throw refuse('wrong_state', `the payout is ${row.state}`, 'Issue mandates only for created payouts.', {
    extra: { state: row.state },
  })
}

/** Stores the mandate with its receipt and answers what is stored, so that an operator sees recipient and amount. */
async function keepMandate(
  { config, keys }: AuthoritySettings,
  tx: Tx,
  { operator, row, mandate, iat }: { operator: Operator; row: PayoutRow; mandate: Issued; iat: number },
) {
  const { recipient, amount_atomic } = row
  const amounts = { recipient, amount_usdc: formatUsdc(BigInt(amount_atomic)), amount_atomic }
  const stored = await storeMandate(tx, { ...mandate, operatorId: operator.operatorId, payoutId: row.payout_id })
  const { mandate_id, request_sha256 } = stored
  const receipt = {
    subject: mandate_id,
    kind: 'mandate',
    usage: row.usage,
    environment: config.ENVIRONMENT,
    issuer: `${config.BASE_URL}/api/trust-contract`,
    facts: { payout_id: row.payout_id, ...amounts, request_sha256, issued_by: operator.name },
  }
  return {
    mandate_id,
    ap2_mandate: stored.ap2_mandate,
    request_sha256,
    ...amounts,
    expires_at: Math.floor(stored.expires_at.getTime() / 1000),
    receipt: await appendReceipt(tx, receiptSigner(keys), receipt, iat),
  }
}
