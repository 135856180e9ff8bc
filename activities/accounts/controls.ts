import { allowsCallback, assertControlsAllow, type Spending } from '#domain/accounts/controls.ts'
import {
  type AccountOf,
  type HeldControls,
  readControls,
  type Spend,
  spendOf,
} from '../store/accounts/controls.ts'
import type { PayoutRow } from '../store/payouts/payouts.ts'
import type { AtCommit, Tx } from '../store/postgres/db.ts'
import { runInOrder } from '../store/postgres/pipeline.ts'

/** Whether the account of an agent or of a bound wallet lets a URL be called back; an owner without an account has no controls. */
export async function mayCallBack(tx: Tx, owner: string, url: string): Promise<boolean> {
  const of = owner.startsWith('0x') ? { wallet: owner } : { agentId: owner }
  const held = await readControls(tx, of)
  return held === undefined || allowsCallback(held.controls, url)
}

/** What is asked of an account that spends nothing yet, such as a quote; throws 403 `control_denied`. */
export async function assertAccountAllows(
  tx: Tx,
  of: AccountOf,
  spending: Spending,
  except?: Pick<Spend, 'kind' | 'subject'>,
): Promise<HeldControls | undefined> {
  const held = await readControls(tx, of, except)
  if (held !== undefined) assertControlsAllow(held.controls, spending, held.spent_today)
  return held
}

export type AccountSpend = Spending & Pick<Spend, 'kind' | 'subject'>

/**
 * Spends for an account in the caller's transaction, or throws 403 `control_denied`. A change of the controls that commits first
 * refuses it, also where it was not seen here: Postgres checks again when the transaction commits, under its last lock, and the
 * transaction is repeated. Once for each kind and subject; an unbound wallet has no controls.
 */
export async function insistAccountAllows(
  tx: Tx,
  of: AccountOf,
  { kind, subject, ...spending }: AccountSpend,
): Promise<void> {
  const held = await assertAccountAllows(tx, of, spending, { kind, subject })
  if (held === undefined) return
  const { rail, usd, units = 1 } = spending
  await runInOrder(tx, spendOf(held.account_id, { kind, subject, rail, usd, units }))
}

/** Throws 403 `control_denied` for a payout that the account of its bound creator does not allow. */
export function assertPayoutAllowed(
  held: HeldControls | undefined,
  payout: Pick<PayoutRow, 'amount_atomic'>,
): void {
  if (held === undefined) return
  assertControlsAllow(held.controls, { rail: null, usd: usdOf(payout) }, held.spent_today)
}

/** Spends a payout with the commit of its reservation, whose controls were read under the lock of the switches. */
export function insistPayoutAllowed(
  atCommit: AtCommit,
  held: HeldControls | undefined,
  payout: PayoutRow,
): void {
  if (held === undefined) return
  assertPayoutAllowed(held, payout)
  const spend = { kind: 'payout', subject: payout.payout_id, rail: null } as const
  atCommit(spendOf(held.account_id, { ...spend, usd: usdOf(payout) }))
}

/** Whole usd, rounded up. */
const usdOf = ({ amount_atomic }: Pick<PayoutRow, 'amount_atomic'>): number =>
  Math.ceil(Number(amount_atomic) / 1_000_000)
