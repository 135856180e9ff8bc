import { refusal } from './columns.ts'

const withheld = `new.units < 0 and (select kind from receipts where receipt_id = new.receipt_id) = 'usage_receipt'
  and exists (select from entitlements e where e.entitlement_id = substr(new.account, 8) and e.source like 'wallet:%' and (
    exists (select from payment_references r where r.wallet_id = substr(e.source, 8) and r.state = 'disputed')
    or exists (select from account_balances b where b.account = 'debt:' || substr(e.source, 8) and b.units < 0)))`

const repaid = (account: string, negative: string) => `coalesce((select units from account_balances
    where account = '${account}:' || substr(new.account, position(':' in new.account) + 1)), 0) ${negative} 0`

/** What a wallet owes for payments that were taken back after it had spent them. */
export const walletDebts: readonly string[] = [
  // A wallet that owes holds nothing, so that what comes in pays its debt first.
  `create function wallet_debts() returns trigger language plpgsql as $$
  begin
    ${refusal(`${repaid('wallet', '>')} and ${repaid('debt', '<')}`, 'a wallet pays what it owes first')}
    return null;
  end $$`,
  `create constraint trigger wallet_debts after insert on postings deferrable initially deferred
    for each row when (new.account ~ '^(wallet|debt):') execute function wallet_debts()`,
  // Nor is credit used that came from a wallet with a debt or a disputed payment.
  `create function withheld_credit() returns trigger language plpgsql as $$
  begin
    ${refusal(withheld, 'a payment into the wallet that paid was taken back or is disputed')}
    return null;
  end $$`,
  `create constraint trigger withheld_credit after insert on postings deferrable initially deferred
    for each row when (new.account ~ '^credit:') execute function withheld_credit()`,
]
