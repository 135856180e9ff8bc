import { refusal } from './columns.ts'

const withheld = `new.units < 0 and (select kind from receipts where receipt_id = new.receipt_id) = 'usage_receipt'
  and exists (select from entitlements e where e.entitlement_id = substr(new.account, 8) and e.source like 'wallet:%' and (
    exists (select from payment_references r where r.wallet_id = substr(e.source, 8) and r.state = 'disputed')
    or exists (select from account_balances b where b.account = 'debt:' || substr(e.source, 8) and b.units < 0)))`

const repaid = (account: string, negative: string) => `coalesce((select units from account_balances
    where account = '${account}:' || substr(new.account, position(':' in new.account) + 1)), 0) ${negative} 0`

/** What a wallet owes for payments that were taken back after it had spent them. */
export const walletDebts: readonly string[] = [
  `create index provider_events_refused on provider_events (applied_at) where outcome like 'refused\\_%'`,
  `alter table postings drop constraint postings_account_check, add constraint postings_account_check
    check (account ~ '^(credit:en_[0-9a-f]{64}|(wallet|debt):aw_[0-9a-f]{64}|revenue:[a-z_0-9]+|clearing:[a-z_0-9]+|fees)$')`,
  `alter table account_balances drop constraint account_balances_account_check, drop constraint account_balances_units_check,
    add constraint account_balances_account_check check (account ~ '^(credit|wallet|debt):'),
    add constraint account_balances_units_check check (case when account ~ '^debt:' then units <= 0 else units >= 0 end)`,
  `create or replace function postings_balance() returns trigger language plpgsql as $$
  begin
    if new.account !~ '^(credit|wallet|debt):' then return new; end if;
    insert into account_balances (account, units) values (new.account, 0) on conflict do nothing;
    update account_balances set units = units + new.units where account = new.account;
    return new;
  end $$`,
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
