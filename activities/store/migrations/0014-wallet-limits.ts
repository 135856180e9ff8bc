import { type Kysely, sql } from 'kysely'

/** What a wallet may pay is guarded where it pays: a debit outside its limits never reaches a commit. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // The balance row that the debit changed is locked until the commit, so that two of one day are judged one after the other.
  `create function wallet_limits() returns trigger language plpgsql as $$
  declare wallet allowance_wallets; spent integer; paid_for text;
  begin
    if (select kind from receipts where receipt_id = new.receipt_id) <> 'settlement_receipt' then return null; end if;
    select * into wallet from allowance_wallets where wallet_id = substr(new.account, 8);
    spent := (select -sum(p.units) from postings p join receipts r on r.receipt_id = p.receipt_id
      where p.account = new.account and p.units < 0 and r.kind = 'settlement_receipt'
        and p.posted_at >= date_trunc('day', new.posted_at at time zone 'utc') at time zone 'utc');
    paid_for := (select e.rail from postings p join entitlements e on p.account = 'credit:' || e.entitlement_id
      where p.receipt_id = new.receipt_id);
    if -new.units > wallet.per_run_usd or spent > wallet.per_day_usd
      or (wallet.rails is not null and not coalesce(paid_for = any(wallet.rails), false))
    then raise exception 'the wallet % may not pay this', wallet.wallet_id using errcode = 'check_violation'; end if;
    return null;
  end $$`,
  `create constraint trigger wallet_limits after insert on postings deferrable initially deferred
    for each row when (new.account ~ '^wallet:' and new.units < 0) execute function wallet_limits()`,
]
