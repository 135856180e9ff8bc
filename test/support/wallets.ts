import type { Client } from '../../api/http/client.ts'
import { freshKey } from './agent-use.ts'

/** A new allowance wallet of the caller, into which an invoice of so many usd was paid; `approve` confirms the payment. */
export async function fundedWallet(
  { call }: Pick<Client, 'call'>,
  amount_usd: number,
  approve: (paymentReferenceId: string) => Promise<unknown>,
): Promise<string> {
  const made = { label: 'runs', idempotency_key: freshKey() }
  const { wallet_id } = (await call('allowance-wallet-create', made)).body.wallet
  await fundWallet({ call }, { wallet_id, amount_usd }, approve)
  return wallet_id
}

/** An invoice of so many usd is paid into a wallet of the caller. */
export async function fundWallet(
  { call }: Pick<Client, 'call'>,
  paid: { wallet_id: string; amount_usd: number },
  approve: (paymentReferenceId: string) => Promise<unknown>,
): Promise<void> {
  const { payment_reference } = (
    await call('allowance-fund', {
      mode: 'fund_allowance',
      ...paid,
      method: 'invoice_reference',
      external_reference: `INV-${freshKey()}`,
      idempotency_key: freshKey(),
    })
  ).body
  await approve(payment_reference.payment_reference_id)
}
