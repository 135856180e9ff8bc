import { digestOf } from '../core/canonical-json.ts'
import type { Environment } from '../core/environment.ts'
import { CHAIN_ID, NETWORK } from '../core/limits.ts'
import { formatUsdc, parseUsdc } from '../core/money.ts'
import type { PayoutUsage } from '../core/usage.ts'
import type { PayoutState } from './payout-state.ts'
import type { ShownTransferStatus, TransferStatus } from './transfer-status.ts'
import { payoutWait } from './wait.ts'

/** The path of the execute call; wallet proofs sign it. */
export const EXECUTE_PATH = '/api/payout-execute'

export type PayoutEvent = 'create' | 'authorize' | 'execute'

/** The state table: (state, event) → state. Every other pair is refused. */
export const payoutTransitions: Record<
  PayoutState | 'none',
  Partial<Record<PayoutEvent, PayoutState>>
> = {
  none: { create: 'created' },
  created: { authorize: 'authorized' },
  authorized: { execute: 'executed' },
  executed: {},
}

export function nextPayoutState(
  from: PayoutState | 'none',
  event: PayoutEvent,
): PayoutState | undefined {
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
  usage: PayoutUsage
  asset: string
}

/** A create call as its schema reads it. */
export type CreateInput = {
  recipient: string
  amount_usdc: string
  idempotency_key: string
  memo: string
  rail_reference: string
  usage: PayoutUsage
}

/** The terms of a create call. `1.0` and `1.00` give the same terms, and so does a recipient in another case. */
export function payoutTerms(
  input: Omit<CreateInput, 'idempotency_key'>,
): Omit<PayoutTerms, 'asset'> {
  const { recipient, amount_usdc, memo, rail_reference, usage } = input
  const amount_atomic = parseUsdc(amount_usdc).toString()
  return { recipient: recipient.toLowerCase(), amount_atomic, memo, rail_reference, usage }
}

/** SHA-256 of the canonical terms, which never change; also the fingerprint of a create request. */
export function termsDigest({
  recipient,
  amount_atomic,
  memo,
  rail_reference,
  usage,
  asset,
}: PayoutTerms): string {
  // Each term is named: other members of the caller's object must not enter the digest.
  const terms = { recipient: recipient.toLowerCase(), amount_atomic, memo, rail_reference, usage }
  return digestOf({ ...terms, asset: asset.toLowerCase(), chain_id: CHAIN_ID })
}

type TransferView = {
  status: ShownTransferStatus
  authorization_nonce: string | null
  transaction_hash: string | null
  block_number: number | null
  confirmations: number
  next_poll_ms: number | null
}

/** A payout as callers see it. Times are RFC 3339 UTC, `expires_at` is Unix seconds. */
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
  usage: PayoutUsage
  environment: Environment
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
  usage: PayoutUsage
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
  status: TransferStatus
  transaction_hash: string | null
  block_number: string | null
  confirmations: number
  parked: string | null
  exception: string | null
}

/** Whether principal has left the payout wallet, as far as it is proven. */
export function moneyMoved(transfer: TransferFacts | undefined): 'no' | 'yes' | 'unknown' {
  if (transfer === undefined || transfer.status === 'dead') return 'no'
  if (transfer.status === 'included' || transfer.status === 'final') return 'yes'
  return 'unknown'
}

const READ_NEXT =
  'Read payout-status with the header "Prefer: wait=20" to wait for the next change.'

/** Whether the authorization of a payout has ended. */
export const isExpired = ({ expires_at }: Pick<PayoutFacts, 'expires_at'>, nowMs: number) =>
  expires_at !== null && Number(expires_at) * 1000 <= nowMs

function nextAction(
  { payout_id, state }: PayoutFacts,
  transfer: TransferFacts | undefined,
  expired: boolean,
): string {
  if (transfer === undefined && state === 'created') return 'Authorize the payout.'
  if (transfer === undefined)
    return expired
      ? 'It expired and cannot be executed. Create and authorize a new payout.'
      : 'Execute the payout.'
  const { status, parked, exception } = transfer
  const facts = { payoutId: payout_id, state, transfer: status, parked, exception, expired }
  const { what } = payoutWait(facts)
  if (exception !== null) return `Waiting for ${what}. No action is needed from the creator.`
  if (status === 'dead')
    return 'The transfer can never happen; create a new payout if the money is still owed.'
  if (state === 'executed') return 'No action is needed. Keep the receipt.'
  return `Waiting for ${what}. ${READ_NEXT} Repeating this call is safe; it never pays twice.`
}

export function payoutView(
  row: PayoutFacts,
  transfer: TransferFacts | undefined,
  environment: Environment,
  nowMs = 0,
): PayoutView {
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
    expires_at: numberOf(row.expires_at),
    mandate_ref: row.mandate_ref,
    payout_principal_is_fee: false,
    money_moved: moneyMoved(transfer),
    next_action: nextAction(row, transfer, isExpired(row, nowMs)),
    transfer: transfer === undefined ? noTransfer : transferView(transfer),
  }
}

const noTransfer: TransferView = {
  status: 'none',
  authorization_nonce: null,
  transaction_hash: null,
  block_number: null,
  confirmations: 0,
  next_poll_ms: null,
}

function transferView(transfer: TransferFacts): TransferView {
  const { status } = transfer
  const isOpen = status !== 'final' && status !== 'dead'
  return {
    status: status === 'reserved' ? 'none' : status,
    authorization_nonce: transfer.nonce,
    transaction_hash: transfer.transaction_hash,
    block_number: numberOf(transfer.block_number),
    confirmations: transfer.confirmations,
    next_poll_ms: isOpen ? 1000 : null,
  }
}

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text))
