import { randomBytes } from 'node:crypto'
import { type AccountControls, openControls } from '#domain/accounts/controls.ts'
import { receiptId } from '#domain/core/ids.ts'
import { writeMoneyReceipt } from '../../activities/credit/deps.ts'
import { lockAccount, writeControls } from '../../activities/store/accounts/controls.ts'
import { insertBoundWallet } from '../../activities/store/accounts/wallets.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import type { ReceiptIssuer } from '../../activities/store/receipts/receipts.ts'

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/** Sets controls of an account as an operator, in the caller's transaction. */
export async function setControls(
  deps: ReceiptIssuer,
  tx: Tx,
  accountId: string,
  controls: Partial<AccountControls>,
): Promise<void> {
  await lockAccount(tx, accountId)
  const change_id = `ctl_${hex(32)}`
  const receipt = { subject: change_id, kind: 'control_change', facts: {} } as const
  const receipt_id = receiptId(await writeMoneyReceipt(deps, tx, receipt))
  const by = { set_by: 'op_1', reason: 'test' }
  const fee = { accepted_fee_usd: null, fee_ends_at: null }
  const change = { change_id, account_id: accountId, ...by, receipt_id, ...fee }
  const after = { ...openControls, ...controls }
  await writeControls(tx, change, { before: openControls, after })
}

/** Binds a wallet without its signature. */
export async function bindWallet(
  deps: ReceiptIssuer,
  tx: Tx,
  accountId: string,
  wallet: string,
): Promise<void> {
  const subject = `ctl_${hex(32)}`
  const receipt = { subject, kind: 'control_change', facts: {} } as const
  const receipt_id = receiptId(await writeMoneyReceipt(deps, tx, receipt))
  await insertBoundWallet(tx, { account_id: accountId, wallet, signature: '0x', receipt_id })
}
