import type { Kysely } from 'kysely'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import type { Hex } from '#domain/core/ids.ts'
import { formatUsdc } from '#domain/core/money.ts'
import { requestSha256 } from '#domain/payouts/principal-authorization.ts'
import type { WalletSignatures } from '../../../activities/chain/wallet-signature.ts'
import type { Config } from '../../../activities/config/config.ts'
import { receiptSigner } from '../../../activities/container.ts'
import { challengeSigners, issueChallenge } from '../../../activities/keys/challenge.ts'
import type { KeyRings } from '../../../activities/keys/key-ring.ts'
import { issueMandate } from '../../../activities/keys/mandate.ts'
import {
  mandateReplayKey,
  principalTermsOf,
  readAuthorityKeyStatus,
} from '../../../activities/payouts/authorization.ts'
import { assertLife, unknownPayout } from '../../../activities/payouts/rules.ts'
import { storeMandate } from '../../../activities/store/payouts/mandates.ts'
import { type PayoutRow, readPayout } from '../../../activities/store/payouts/payouts.ts'
import { clockSeconds, type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { appendReceipt } from '../../../activities/store/receipts/receipts.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'

export type AuthoritySettings = {
  db: Kysely<Database>
  config: Pick<
    Config,
    | 'BASE_URL'
    | 'CHALLENGE_TTL_S'
    | 'TREASURY_HOLDER_ADDRESS'
    | 'ENVIRONMENT'
    | 'EXECUTE_LIFE_MIN_S'
  >
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
export class AuthorityService {
  private readonly deps: AuthoritySettings

  constructor(deps: AuthoritySettings) {
    this.deps = deps
  }

  async challenge(input: { holder_wallet: string; request_sha256: string }) {
    const { db, config, keys } = this.deps
    const facts = factsOf(config)
    const asked = { holder: input.holder_wallet, requestSha256: input.request_sha256 }
    const signing = challengeSigners(await readAuthorityKeyStatus({ keys }, db))
    return issueChallenge({ ...facts, ...signing, ttlSeconds: config.CHALLENGE_TTL_S, ...asked })
  }

  /** The same operator and key give the first mandate again; the digest is recomputed from the stored payout, never taken from the caller. */
  async issueMandate(operator: Operator, input: MandateInput) {
    const { db, config, keys, wallets } = this.deps
    const { payout, holder_proof: proof, idempotency_key } = input
    // A mandate for a payout that could never be authorized any more is not issued.
    assertLife(
      {
        expiresAt: payout.expires_at,
        now: await clockSeconds(db),
        lifeSecondsMin: config.EXECUTE_LIFE_MIN_S,
      },
      'Name a later expires_at.',
    )
    const row = createdPayout((await readPayout(db, payout.payout_id))?.payout)
    const mandateId = `mdt_${digestOf({ kind: 'payout', operator: operator.operatorId, idempotency_key })}`
    const requestDigest = requestSha256(
      principalTermsOf(row, payout.expires_at, payout.authorize_idempotency_key),
    )
    const holderProof = {
      bindingVersion: proof.binding_version,
      holderWallet: proof.holder_wallet,
      signature: proof.signature as Hex,
    }
    const asked = {
      mandateId,
      requestSha256: requestDigest,
      checkoutJwt: input.checkout_jwt,
      holderProof,
    }
    return transaction(db, async (tx) => {
      const keyStatus = await readAuthorityKeyStatus({ keys }, tx)
      const issued = await issueMandate({
        ...factsOf(config),
        keyStatus,
        ...asked,
        verifyWalletMessage: wallets.verify,
      })
      const mandate = { mandateId, requestSha256: requestDigest, ...issued }
      return keepMandate(this.deps, tx, { operator, row, mandate, iat: keyStatus.nowSeconds })
    })
  }
}

const factsOf = (config: AuthoritySettings['config']) => ({
  origin: config.BASE_URL,
  treasuryHolder: config.TREASURY_HOLDER_ADDRESS,
})

function createdPayout(row: PayoutRow | undefined): PayoutRow {
  if (row === undefined) throw unknownPayout()
  if (row.state === 'created') return row
  throw refuse('wrong_state', {
    detail: `the payout is ${row.state}`,
    next_action: 'Issue mandates only for created payouts.',
    extra: { state: row.state },
  })
}

/** Stores the mandate with its receipt and answers what is stored, so that an operator sees recipient and amount. */
async function keepMandate(
  { config, keys }: AuthoritySettings,
  tx: Tx,
  {
    operator,
    row,
    mandate,
    iat,
  }: { operator: Operator; row: PayoutRow; mandate: Issued; iat: number },
) {
  const { recipient, amount_atomic } = row
  const amounts = { recipient, amount_usdc: formatUsdc(BigInt(amount_atomic)), amount_atomic }
  const stored = await storeMandate(tx, {
    ...mandate,
    operatorId: operator.operatorId,
    payoutId: row.payout_id,
    replayKey: mandateReplayKey(config.BASE_URL, mandate.mandateId),
  })
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
