import type { Kysely } from 'kysely'
import { digestOf } from '../workflows/domain/canonical-json.ts'
import { refuse } from '../workflows/domain/errors.ts'
import type { Hex } from '../workflows/domain/ids.ts'
import { formatUsdc } from '../workflows/domain/money.ts'
import { requestSha256 } from '../workflows/domain/principal-authorization.ts'
import { principalTermsOf } from './authorization.ts'
import type { WalletSignatures } from './chain/wallet-signature.ts'
import type { Config } from './config.ts'
import { receiptSigner } from './build-deps.ts'
import { issueChallenge } from './keys/challenge.ts'
import type { KeyRings } from './keys/key-ring.ts'
import { issueMandate } from './keys/mandate.ts'
import { unknownPayout } from './payout.ts'
import type { DatabaseClock } from './store/clock.ts'
import { transaction } from './store/db.ts'
import { storeMandate } from './store/mandates.ts'
import { type PayoutRow, readPayout } from './store/payouts.ts'
import { appendReceipt } from './store/receipts.ts'
import type { Database } from './store/schema.ts'

export type AuthoritySettings = {
  db: Kysely<Database>
  config: Pick<Config, 'BASE_URL' | 'CHALLENGE_TTL_S' | 'TREASURY_HOLDER_ADDRESS' | 'ENVIRONMENT'>
  keys: KeyRings
  clock: DatabaseClock
  wallets: WalletSignatures
}
export type MandateInput = {
  payout: { payout_id: string; expires_at: number; authorize_idempotency_key: string }
  checkout_jwt: string
  holder_proof: { binding_version: 1 | 2; holder_wallet: string; signature: string }
  idempotency_key: string
}

/** The authority's own acts: challenges for a treasury holder, and mandates that an operator issues for one created payout. */
export function openAuthority({ db, config, keys, clock, wallets }: AuthoritySettings) {
  const facts = async () => ({
    keys,
    origin: config.BASE_URL,
    treasuryHolder: config.TREASURY_HOLDER_ADDRESS,
    nowSeconds: await clock.nowSeconds(),
  })
  return {
    challenge: async (input: { holder_wallet: string; request_sha256: string }) =>
      issueChallenge({ ...(await facts()), ttlSeconds: config.CHALLENGE_TTL_S, holder: input.holder_wallet, requestSha256: input.request_sha256 }),

    /** The same operator and key give the first mandate again; the digest is recomputed from the stored payout, never taken from the caller. */
    issueMandate: async (operator: { operatorId: string; name: string }, input: MandateInput) => {
      const { payout, holder_proof: proof } = input
      const row = (await readPayout(db, payout.payout_id))?.payout
      if (row === undefined) throw unknownPayout()
      if (row.state !== 'created') throw refuse('wrong_state', `the payout is ${row.state}`, 'Issue mandates only for created payouts.', { extra: { state: row.state } })
      const mandateId = `mdt_${digestOf({ operator: operator.operatorId, idempotency_key: input.idempotency_key })}`
      const digest = requestSha256(principalTermsOf(row, payout.expires_at, payout.authorize_idempotency_key))
      const issued = await issueMandate({
        ...(await facts()),
        mandateId,
        requestSha256: digest,
        checkoutJwt: input.checkout_jwt,
        holderProof: { bindingVersion: proof.binding_version, holderWallet: proof.holder_wallet, signature: proof.signature as Hex },
        verifyWalletMessage: wallets.verify,
      })
      return keep(operator, row, { mandateId, digest, ...issued })
    },
  }

  async function keep(operator: { operatorId: string; name: string }, row: PayoutRow, issued: { mandateId: string; digest: string; ap2Mandate: string; expiresAt: number }) {
    return transaction(db, async (tx) => {
      const { mandateId, digest, ap2Mandate, expiresAt } = issued
      const stored = await storeMandate(tx, { mandateId, operatorId: operator.operatorId, payoutId: row.payout_id, requestSha256: digest, ap2Mandate, expiresAt })
      const amounts = { recipient: row.recipient, amount_usdc: formatUsdc(BigInt(row.amount_atomic)), amount_atomic: row.amount_atomic }
      const receipt = await appendReceipt(
        tx,
        receiptSigner(keys),
        {
          subject: mandateId,
          kind: 'mandate',
          usage: row.usage,
          environment: config.ENVIRONMENT,
          issuer: `${config.BASE_URL}/api/trust-contract`,
          facts: { payout_id: row.payout_id, ...amounts, request_sha256: stored.request_sha256, issued_by: operator.name },
        },
        await clock.nowSeconds(),
      )
      return { mandate_id: mandateId, ap2_mandate: stored.ap2_mandate, request_sha256: stored.request_sha256, ...amounts, expires_at: Math.floor(stored.expires_at.getTime() / 1000), receipt }
    })
  }
}
