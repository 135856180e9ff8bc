import { sql } from 'kysely'
import type { BoundAccounts } from '#domain/trust/counterparties.ts'
import type { Tx } from '../postgres/db.ts'

/**
 * The accounts whose agents paid from these wallets, which the wallets proved by their signatures: by a verified reference, or by
 * the x402 payment of a call.
 */
export async function readBoundAccounts(
  tx: Tx,
  wallets: readonly string[],
): Promise<BoundAccounts> {
  const { rows } = await sql<{ wallet: string; accounts: string[] }>`
    select wallet, array_agg(distinct a.account_id order by a.account_id) as accounts from (
      select payer as wallet, agent_id from payment_references
        where payer = any(${[...wallets]}) and method in ('stablecoin_reference', 'x402_reference', 'ap2_mandate_reference')
          and state in ('verified', 'disputed', 'refunded')
      union all
      select payer, substr(proof_wallet, 7) from payments
        where payer = any(${[...wallets]}) and proof_wallet like 'agent:%' and state = 'settled'
    ) as paid join agents a using (agent_id) group by wallet`.execute(tx)
  return new Map(rows.map(({ wallet, accounts }) => [wallet, accounts]))
}
