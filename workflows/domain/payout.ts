import { digestOf } from './canonical-json.ts'
import { CHAIN_ID, NETWORK } from './limits.ts'
import { formatUsdc, parseUsdc } from './money.ts'
import { payoutWait } from './payout-wait.ts'

/** Where a payout is executed: a wallet proof names it. */
export const EXECUTE_PATH = '/api/payout-execute'

export type PayoutState = 'created' | 'authorized' | 'executed'
export type PayoutEvent = 'create' | 'authorize' | 'execute'
export type Usage = 'synthetic' | 'operational' | 'unspecified'

/** The whole state table of the payout document: (state, event) → state; every other pair is refused. */
export const payoutTransitions: Record<PayoutState | 'none', Partial<Record<PayoutEvent, PayoutState>>> = {
  none: { create: 'created' },
  created: { authorize: 'authorized' },
  authorized: { execute: 'executed' },
  executed: {},
}

export function nextPayoutState(from: PayoutState | 'none', event: PayoutEvent): PayoutState | undefined {
  return payoutTransitions[from][event]
}

export function allowedPayoutEvents(from: PayoutState): PayoutEvent[] {
  return Object.keys(payoutTransitions[from]) as PayoutEvent[]
}

export type PayoutTerms = {
  recipient: string
  amount_atomic: string
  memo: string
  rail_reference: string
  usage: Usage
  asset: string
}

/** A create call as its schema reads it. */
export type CreateInput = {
  recipient: string
  amount_usdc: string
  idempotency_key: string
  memo: string
  rail_reference: string
  usage: Usage
}

/** `1.0` and `1.00` are the same payout, and so is a recipient in another case (payout.md, Identity and terms). */
export function payoutTerms(input: Omit<CreateInput, 'idempotency_key'>): Omit<PayoutTerms, 'asset'> {
  const { recipient, amount_usdc, memo, rail_reference, usage } = input
  const amount_atomic = parseUsdc(amount_usdc).toString()
  return { recipient: recipient.toLowerCase(), amount_atomic, memo, rail_reference, usage }
}

/** SHA-256 of the canonical terms: what never changes, and create's request fingerprint. */
export function termsDigest({ recipient, amount_atomic, memo, rail_reference, usage, asset }: PayoutTerms): string {
  // Named one by one: whatever else a caller's object carries would go into the digest, and nobody could recompute it.
  const terms = { recipient: recipient.toLowerCase(), amount_atomic, memo, rail_reference, usage }
  return digestOf({ ...terms, asset: asset.toLowerCase(), chain_id: CHAIN_ID })
}

export type TransferView = {
  status: 'none' | 'signed' | 'submitted' | 'included' | 'final' | 'dead'
  authorization_nonce: string | null
  transaction_hash: string | null
  block_number: number | null
  confirmations: number
  next_poll_ms: number | null
}

/** A payout as callers see it (payout.md, Answer body). Times are RFC 3339 UTC, `expires_at` is Unix seconds. */
export type PayoutView = {
  payout_id: string
  state: PayoutState
  recipient: string
  amount_usdc: string
  amount_atomic: string
  network: typeof NETWORK
  asset: string
  payout_wallet: string
  memo: string
  rail_reference: string
  usage: Usage
  environment: 'local' | 'live'
  terms_sha256: string
  creator: string
  created_at: string
  authorized_at: string | null
  executed_at: string | null
  expires_at: number | null
  mandate_ref: string | null
  payout_principal_is_fee: false
  money_moved: 'no' | 'yes' | 'unknown'
  next_action: string
  transfer: TransferView
}

export type PayoutFacts = {
  payout_id: string
  creator: string
  recipient: string
  amount_atomic: string
  memo: string
  rail_reference: string
  usage: Usage
  asset: string
  payout_wallet: string
  terms_sha256: string
  state: PayoutState
  created_at: Date
  authorized_at: Date | null
  executed_at: Date | null
  expires_at: string | null
  mandate_ref: string | null
}

export type TransferFacts = {
  nonce: string
  status: 'reserved' | Exclude<TransferView['status'], 'none'>
  transaction_hash: string | null
  block_number: string | null
  confirmations: number
  parked: string | null
  exception: string | null
}

/** Whether principal has left the payout wallet, as far as it is proven. */
export function moneyMoved(transfer: TransferFacts | undefined): 'no' | 'yes' | 'unknown' {
  if (transfer === undefined || transfer.status === 'dead') return 'no'
  return transfer.status === 'included' || transfer.status === 'final' ? 'yes' : 'unknown'
}

const READ_NEXT = 'Read payout-status with the header "Prefer: wait=20" to wait for the next change.'

function nextAction({ payout_id, state }: PayoutFacts, transfer: TransferFacts | undefined): string {
  if (transfer === undefined) return state === 'created' ? 'Authorize the payout.' : 'Execute the payout.'
  const { status, parked, exception } = transfer
  const { what } = payoutWait({ payoutId: payout_id, state, transfer: status, parked, exception })
  if (exception !== null) return `Waiting for ${what}. No action is needed from the creator.`
  if (status === 'dead') return 'The transfer can never happen; create a new payout if the money is still owed.'
  if (state === 'executed') return 'No action is needed. Keep the receipt.'
  return `Waiting for ${what}. ${READ_NEXT} Repeating this call is safe; it never pays twice.`
}

export function payoutView(
  row: PayoutFacts,
  transfer: TransferFacts | undefined,
  environment: 'local' | 'live',
): PayoutView {
  const open = transfer !== undefined && transfer.status !== 'final' && transfer.status !== 'dead'
  return {
    payout_id: row.payout_id,
    state: row.state,
    recipient: row.recipient,
    amount_usdc: formatUsdc(BigInt(row.amount_atomic)),
    amount_atomic: row.amount_atomic,
    network: NETWORK,
    asset: row.asset,
    payout_wallet: row.payout_wallet,
    memo: row.memo,
    rail_reference: row.rail_reference,
    usage: row.usage,
    environment,
    terms_sha256: row.terms_sha256,
    creator: row.creator,
    created_at: row.created_at.toISOString(),
    authorized_at: row.authorized_at?.toISOString() ?? null,
    executed_at: row.executed_at?.toISOString() ?? null,
    expires_at: row.expires_at === null ? null : Number(row.expires_at),
    mandate_ref: row.mandate_ref,
    payout_principal_is_fee: false,
    money_moved: moneyMoved(transfer),
    next_action: nextAction(row, transfer),
    transfer: {
      status: transfer === undefined || transfer.status === 'reserved' ? 'none' : transfer.status,
      authorization_nonce: transfer?.nonce ?? null,
      transaction_hash: transfer?.transaction_hash ?? null,
      block_number: transfer?.block_number == null ? null : Number(transfer.block_number),
      confirmations: transfer?.confirmations ?? 0,
      next_poll_ms: open ? 1000 : null,
    },
  }
}
