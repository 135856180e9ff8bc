import { z } from 'zod'
import { environments } from '#domain/core/environment.ts'
import { NETWORK } from '#domain/core/limits.ts'
import { payoutStates } from '#domain/payouts/payout-state.ts'
import { shownTransferStatuses } from '#domain/payouts/transfer-status.ts'
import { Address, AtomicAmount, Digest, PayoutId, Time, Usage, UsdcAmount } from '../../fields.ts'

const Hash = z.string().regex(/^0x[0-9a-f]{64}$/)

const Transfer = z
  .object({
    status: z.enum(shownTransferStatuses),
    authorization_nonce: Hash.nullable(),
    transaction_hash: Hash.nullable(),
    block_number: z.int().nullable(),
    confirmations: z.int(),
    next_poll_ms: z.int().nullable(),
  })
  .meta({ id: 'Transfer', description: 'The transfer of the principal on chain.' })

const Payout = z
  .object({
    payout_id: PayoutId,
    state: z.enum(payoutStates),
    recipient: Address,
    amount_usdc: UsdcAmount,
    amount_atomic: AtomicAmount,
    network: z.literal(NETWORK),
    asset: Address,
    payout_wallet: Address,
    memo: z.string(),
    rail_reference: z.string(),
    usage: Usage,
    environment: z.enum(environments),
    terms_sha256: Digest,
    creator: Address,
    created_at: Time,
    authorized_at: Time.nullable(),
    executed_at: Time.nullable(),
    expires_at: z.int().nullable(),
    mandate_ref: z.string().nullable(),
    payout_principal_is_fee: z.literal(false),
    money_moved: z.enum(['no', 'yes', 'unknown']),
    next_action: z.string(),
    transfer: Transfer,
  })
  .meta({ id: 'Payout', description: 'A payout as its creator sees it.' })

/** What every payout operation answers: the payout and its signed receipts, each a compact JWS. */
export const PayoutAnswer = z
  .object({ payout: Payout, receipt: z.string().nullable(), receipts: z.array(z.string()) })
  .meta({
    id: 'PayoutAnswer',
    description: 'The payout, its latest receipt and all of its receipts.',
  })
